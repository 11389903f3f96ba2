"""Reads recordings and live streams, straight from docs/recording.md."""

import base64
import json
import os
import re
import socket
import struct
import zlib
from urllib.parse import urlsplit

BLOCK = re.compile(r'<script type="application/x-stiction" data-encoding="deflate-raw;base64">(.*?)</script>', re.S)


def chunks(data):
    """(kind, payload) of each chunk."""
    at = 0
    while at < len(data):
        length, kind = struct.unpack_from("<IB3x", data, at)
        yield kind, data[at + 8 : at + 8 + length]
        at += 8 + (length + 7) // 8 * 8


def frame(payload):
    """Time, poses and channels of a frame, and how many contacts and patches it has."""
    time, bodies, channels, contacts, patches = struct.unpack_from("<dIIII", payload)
    numbers = struct.unpack_from(f"<{7 * bodies + channels}f", payload, 24)
    poses = [numbers[7 * b : 7 * b + 7] for b in range(bodies)]
    return {"time": time, "poses": poses, "channels": numbers[7 * bodies :], "contacts": contacts, "patches": patches}


def read_html(path):
    """Scene and frames of a recording."""
    blocks = BLOCK.findall(path.read_text(encoding="utf-8"))
    data = b"".join(zlib.decompress(base64.b64decode(block), -15) for block in blocks)
    parts = list(chunks(data))
    assert parts[0][0] == 1
    return json.loads(parts[0][1]), [frame(payload) for kind, payload in parts if kind == 3]


class Page:
    """A WebSocket client, as far as the tests need one."""

    def __init__(self, url):
        address = urlsplit(url)
        self.socket = socket.create_connection((address.hostname, address.port), timeout=300)
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall(
            f"GET /stream HTTP/1.1\r\nHost: {address.netloc}\r\nOrigin: http://{address.netloc}\r\n"
            f"Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            f"Sec-WebSocket-Key: {key}\r\n\r\n".encode()
        )
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            head += self.take(1)
        assert head.startswith(b"HTTP/1.1 101"), head

    def take(self, count):
        data = b""
        while len(data) < count:
            part = self.socket.recv(count - len(data))
            assert part, "the server closed the stream"
            data += part
        return data

    def say(self, **message):
        text = json.dumps(message).encode()
        assert len(text) < 126
        mask = os.urandom(4)
        masked = bytes(b ^ mask[k % 4] for k, b in enumerate(text))
        self.socket.sendall(bytes([0x81, 0x80 | len(text)]) + mask + masked)

    def next(self):
        """Kind and content of the next chunk."""
        while True:
            first, length = self.take(2)
            length &= 0x7F
            if length == 126:
                (length,) = struct.unpack(">H", self.take(2))
            elif length == 127:
                (length,) = struct.unpack(">Q", self.take(8))
            data = self.take(length)
            if first & 0x0F == 2:
                ((kind, payload),) = chunks(data)
                return kind, frame(payload) if kind == 3 else payload

    def wait(self, kind, fits=lambda content: True):
        """The next chunk of a kind that fits; statuses and scenes are read."""
        for _ in range(10_000):
            found, content = self.next()
            if found in (1, 4):
                content = json.loads(content)
            if found == kind and fits(content):
                return content
        raise AssertionError("no such chunk")

    def close(self):
        self.socket.close()

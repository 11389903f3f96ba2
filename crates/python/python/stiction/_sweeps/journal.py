"""The journal: every outcome on disk before it is counted.

Lines of UTF-8, each a checksum and a JSON object: first a header that says which sweep this is, then one line an
outcome. Lines are only ever appended. A line cut off by a crash fails its checksum; it is cut away when the sweep
goes on, and its row is run again. If a row has two lines (an error that was tried again), the later counts.
"""

import hashlib
import json
import os
import re
import time
import zlib

from .rows import encoded_rows
from .task import Outcome
from .values import text

#: First entry of the header.
FORMAT = "stiction sweep journal"
VERSION = 1

#: Seconds between syncs to the disk; a power cut costs at most the rows of that long, which are run again.
SYNC = 1.0


class Journal:
    """An open journal; a lock keeps a second sweep from writing to it."""

    def __init__(self, path, task, rows, resume):
        from .. import __version__

        self.path = path
        self.count = len(rows)
        self.header = {
            "format": FORMAT,
            "version": VERSION,
            "rows": len(rows),
            "parameters": hashlib.sha256(text(encoded_rows(rows)).encode()).hexdigest(),
            "function": task.name(),
            "fingerprint": task.fingerprint(),
            "seed": task.seed,
            "stiction": __version__,
        }
        self.resume = resume
        self.file = open(path, "a+b")
        self.synced = time.monotonic()
        try:
            self._lock()
        except BaseException:
            self.file.close()
            raise

    def read(self):
        """The outcomes so far, after cutting away a line that a crash left incomplete."""
        self.file.seek(0)
        content = self.file.read()
        good, entries = 0, []
        for line in content.splitlines(keepends=True):
            entry = _checked(line)
            if entry is None:
                break
            entries.append(entry)
            good += len(line)
        if content and not entries and not _torn_header(content):
            raise ValueError(f"{self.path} is not a sweep journal: give another path")
        if b"\n" in content[good:-1]:
            raise ValueError(
                f"{self.path}: line {len(entries) + 1} is damaged and others follow it, so this is not the end of an "
                "interrupted sweep: restore the file, or delete it to start over"
            )
        self.file.truncate(good)
        if not entries:
            self._write(self.header)
            self._sync()
            return {}
        self._check_header(entries[0])
        outcomes = {}
        for entry in entries[1:]:
            if not 0 <= entry["row"] < self.count:
                raise ValueError(f"{self.path}: row {entry['row']} of {self.count}: the file is damaged; delete it to start over")
            outcomes[entry["row"]] = Outcome(entry.get("results"), entry.get("error"), entry.get("traceback"))
        return outcomes

    def append(self, row, outcome):
        """Writes an outcome down: in the hands of the system at once, on the disk within SYNC seconds."""
        entry = {"row": row}
        for name in ("results", "error", "traceback"):
            if getattr(outcome, name) is not None:
                entry[name] = getattr(outcome, name)
        self._write(entry)
        if time.monotonic() - self.synced > SYNC:
            self._sync()

    def close(self):
        self._sync()
        self.file.close()

    def _write(self, entry):
        line = text(entry).encode()
        self.file.write(b"%08x %s\n" % (zlib.crc32(line), line))
        self.file.flush()

    def _sync(self):
        os.fsync(self.file.fileno())
        self.synced = time.monotonic()

    def _lock(self):
        try:
            import fcntl
        except ImportError:  # no such locks on Windows
            return
        try:
            fcntl.flock(self.file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ValueError(f"{self.path}: another sweep is writing this journal: wait for it or give another path") from None

    def _check_header(self, found):
        if found.get("format") != FORMAT:
            raise ValueError(f"{self.path} is not a sweep journal: give another path")
        if found.get("version") != VERSION:
            raise ValueError(f"{self.path} is a journal of version {found.get('version')}, this is {VERSION}: give another path")
        if found["parameters"] != self.header["parameters"]:
            raise ValueError(f"{self.path} is the journal of a sweep with other parameters: give another path, or delete it")
        if self.resume == "anyway":
            return
        for name, what in (("seed", "seed"), ("stiction", "version of Stiction"), ("fingerprint", "function")):
            if found[name] != self.header[name]:
                raise ValueError(
                    f"{self.path} was written with another {what} ({found[name]!s:.20}, now {self.header[name]!s:.20}): give "
                    'another path, or resume="anyway" to keep its rows'
                )


def _torn_header(content):
    """Whether a file without a good line may be a journal whose first line was cut off."""
    return re.fullmatch(rb"[0-9a-f]{1,8}( (\{[^\n]*)?)?\n?", content) is not None


def _checked(line):
    """The JSON of a line whose checksum fits, or None."""
    if len(line) < 11 or not line.endswith(b"\n") or line[8:9] != b" ":
        return None
    try:
        if int(line[:8], 16) != zlib.crc32(line[9:-1]):
            return None
        entry = json.loads(line[9:-1])
    except ValueError:
        return None
    return entry if isinstance(entry, dict) else None

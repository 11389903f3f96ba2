"""The comparison of one model file, in a process of its own: readers may crash or hang."""

import logging
import multiprocessing
import os
import signal
import time
import zlib

import numpy as np

import drake_peer
import layout
import mujoco_peer
import pinocchio_peer
from ours import Ours
from quantities import NAMES, SINGULAR, TOLERANCE, differences, pose_difference, tolerance

STATES = 5
TIME_LIMIT = 240.0  # seconds for one file


def peers(file):
    """The peers that read the file's format."""
    return {"mjcf": [mujoco_peer], "urdf": [pinocchio_peer, drake_peer]}.get(file.format, [drake_peer])


def compare(file, peer):
    """One row of the table."""
    try:
        return {"mjcf": mujoco_row, "sdf": whole_row, "dmd": whole_row}.get(file.format, lambda f: urdf_row(f, peer))(file)
    except Exception as error:
        reason = f"{type(error).__name__}: {text(error)}"
        return new_row(file, peer.VERSION) | {"verdict": "no answer", "reason": reason}


def mujoco_row(file):
    row = new_row(file, mujoco_peer.VERSION)
    try:
        peer = mujoco_peer.Peer(file.path)
    except ValueError as error:
        return row | {"verdict": "peer does not load", "reason": text(error)}
    row["particulars"] = peer.particulars()
    try:
        ours = Ours(file)
    except Exception as error:
        return row | {"verdict": "not loaded here", "reason": text(error)}
    return measured(row, peer, ours, peer.random_state)


def urdf_row(file, module):
    row = new_row(file, module.VERSION)
    warnings = DrakeWarnings()
    if massless := layout.massless_inertias(file.path):
        row["particulars"] = [f"{massless} links have rotational inertia and no mass"]
    for fixed_base in (True, False):
        try:
            joints, root = layout.joints(file.path, fixed_base)
            peer = module.Peer(file.path, joints, root, fixed_base)
        except layout.Unsupported as error:
            return row | {"verdict": "out of scope", "reason": text(error)}
        except Exception as error:
            return row | {"verdict": "peer does not load", "reason": text(error)}
        if module is drake_peer and warnings.inertias():
            replaced = f"Drake replaced {warnings.inertias()} inertias that no body can have"
            row["particulars"] = [p for p in row["particulars"] if "Drake" not in p] + [replaced]
        try:
            ours = Ours(file, fixed_base)
            peer.joints = joints = ours.joints(joints)
        except layout.Unsupported as error:
            return row | {"verdict": "differs", "reason": text(error)}
        except Exception as error:
            return row | {"verdict": "not loaded here", "reason": text(error)}
        row = measured(row, peer, ours, lambda random: layout.random_state(joints, random))
    return row


def whole_row(file):
    """SDFormat and directives: all models of the file at once, as it puts them."""
    row = new_row(file, drake_peer.VERSION)
    warnings = DrakeWarnings()
    try:
        peer = drake_peer.Whole(file.path)
    except Exception as error:
        return row | {"verdict": "peer does not load", "reason": text(error)}
    if warnings.inertias():
        row["particulars"] = [f"Drake replaced {warnings.inertias()} inertias that no body can have"]
    try:
        ours = Ours(file)
    except Exception as error:
        return row | {"verdict": "not loaded here", "reason": text(error)}
    try:
        joints = peer.place(ours.model.joint_names)
    except layout.Unsupported as error:
        return row | {"verdict": "out of scope", "reason": text(error)}
    started = pose_difference(peer.starts(), ours.starts())
    if started > TOLERANCE:
        return row | {"verdict": "differs", "reason": "where bodies start", "errors": {"poses": started}}
    if peer.placed_in_others():
        particular = "Drake counts the coordinates of a free body from where it was placed: only the start is compared"
        return row | {"verdict": "agrees", "errors": {"poses": started}, "particulars": [*row["particulars"], particular]}
    return measured(row, peer, ours, lambda random: layout.random_state(joints, random))


def new_row(file, peer):
    return {"file": file.label, "format": file.format, "peer": peer, "errors": {}, "particulars": []}


def measured(row, peer, ours, random_state):
    """`row` with the largest differences over random states added."""
    row["nq"], row["nv"] = int(peer.nq), int(peer.nv)
    sizes = ["nq", "nv", "nu", "na"] if hasattr(peer, "nu") else ["nq", "nv"]
    here, there = ([getattr(side, size) for size in sizes] for side in (ours, peer))
    if here != there:
        reason = f"{', '.join(sizes)} = {here} here and {there} there"
        return row | {"verdict": "differs", "reason": reason}
    errors, bad = dict(row["errors"]), []
    our_mass = ours.mass_of(peer.weighed) if hasattr(peer, "weighed") else ours.total_mass
    mass = abs(our_mass - peer.total_mass) / max(abs(peer.total_mass), 1e-300)
    errors["mass"] = max(errors.get("mass", 0.0), mass if peer.total_mass or our_mass else 0.0)
    random = np.random.default_rng(zlib.crc32(row["file"].encode()))
    # A model that cannot move still has poses.
    for _ in range(STATES if peer.nv else int(hasattr(peer, "weighed"))):
        q, v, a = random_state(random)
        theirs = peer.evaluate(q, v, a, None)
        mine = ours.evaluate(q, v, a, theirs.inverse)
        if theirs.passive is not None:
            mine.passive = ours.model.passive_forces(q, v)
        if hasattr(peer, "act"):
            ctrl, activation, acceleration = peer.act(theirs, q, v, random)
            if np.all(np.isfinite(acceleration)):
                ours.act(mine, q, v, acceleration, ctrl, activation)
            else:
                theirs.passive, theirs.tendons, theirs.actuators, theirs.sensors = None, {}, {}, {}
        found, condition = differences(theirs, mine)
        for name, value in found.items():
            if name == "forward" and not condition < SINGULAR:
                row["particulars"] = sorted({*row["particulars"], "the mass matrix is singular: no forward dynamics"})
                continue
            errors[name] = max(errors.get(name, 0.0), float(value))
            if not value <= tolerance(name, condition):
                bad.append(name)
    if errors["mass"] > 1e-9:
        bad.append("mass")
    row = row | {"errors": errors}
    if row.get("verdict") == "differs" or bad:
        names = sorted({*bad, *row.get("reason", "").split(", ")} - {""}, key=NAMES.index)
        return row | {"verdict": "differs", "reason": ", ".join(names)}
    return row | {"verdict": "agrees"}


class DrakeWarnings(logging.Handler):
    """Counts the links whose inertia Drake found impossible and replaced."""

    def __init__(self):
        super().__init__()
        self.places = set()
        logger = logging.getLogger("drake")
        logger.handlers, logger.propagate = [self], False

    def emit(self, record):
        message = record.getMessage()
        if "inertia" in message.lower():
            self.places.add(message.split(": warning")[0])

    def inertias(self):
        return len(self.places)


def text(error):
    """The first lines of an error, without the place of this repository."""
    message = " ".join(str(error).split()) or type(error).__name__
    from catalog import DRAKE, PACKAGES, ROOT

    message = message.replace(f"{DRAKE}/", "drake/")
    return message.replace(f"{PACKAGES}/", "").replace(f"{ROOT}/", "").replace("cmeel.prefix/share/", "")[:300]


def quietly(file, peer):
    """`compare` without what the peers' readers print; their errors are in the row."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    return compare(file, peer)


def in_own_process(files, workers):
    """Compares each file with each peer in a fork of its own; yields rows as they end."""
    context = multiprocessing.get_context("fork")
    waiting, running = [(file, peer) for file in files for peer in peers(file)][::-1], []
    while waiting or running:
        while waiting and len(running) < workers:
            file, peer = waiting.pop()
            receiver, sender = context.Pipe(duplex=False)
            process = context.Process(target=lambda: sender.send(quietly(file, peer)), daemon=True)
            process.start()
            sender.close()
            running.append((new_row(file, peer.VERSION), process, receiver, time.monotonic()))
        for entry in list(running):
            row, process, receiver, start = entry
            if receiver.poll(0.01):
                running.remove(entry)
                yield answer(row, process, receiver)
            elif time.monotonic() - start > TIME_LIMIT:
                process.kill()
                running.remove(entry)
                yield row | {"verdict": "no answer", "reason": f"nothing within {TIME_LIMIT:.0f} s"}


def answer(row, process, receiver):
    try:
        row = receiver.recv()
        process.join()
        return row
    except EOFError:
        process.join()
        code = process.exitcode
        what = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        return row | {"verdict": "no answer", "reason": f"the process ended with {what}"}

"""What the recorded elbow tosses say by themselves, before anything is fitted to simulations (docs/learned.md).

    python validation/elbow_study.py elbow_tosses.npy

Rows are toss, time, x y z, qw qx qy qz, hinge, and velocities. Lengths are those of the recording.
"""

import sys

import numpy as np

HALF = np.array([0.05, 0.025, 0.025])
HINGE, SECOND = np.array([-0.035, 0.06, 0.0]), np.array([0.035, 0.0, 0.0])
MASS, SOLID = 0.37, np.array([1.54e-4, 3.85e-4, 3.85e-4])  # of a solid box of that mass
CORNERS = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * HALF


def rotations(q):
    w, x, y, z = np.moveaxis(q, -1, 0)
    rows = [[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)]]
    rows += [[2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)]]
    rows += [[2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]]
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))


def about_y(angle):
    c, s, o, i = np.cos(angle), np.sin(angle), np.zeros_like(angle), np.ones_like(angle)
    return np.moveaxis(np.array([[c, o, s], [o, i, o], [-s, o, c]]), (0, 1), (-2, -1))


def rotation_vector(r):
    angle = np.arccos(np.clip((np.trace(r) - 1) / 2, -1, 1))
    axis = np.array([r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]])
    return axis / 2 if angle < 1e-6 else axis * angle / (2 * np.sin(angle))


def cross(a):
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def flights(low, least):
    """Stretches between bounces in which the lowest corner is high, less a sample at either end."""
    for toss, up in enumerate(low > 0.006):
        edges = np.flatnonzero(np.diff(np.r_[False, up, False].astype(int)))
        for first, end in zip(edges[::2], edges[1::2]):
            if first > 5 and end - first >= least + 2:
                yield toss, first + 1, end - 1


def main():
    table = np.load(sys.argv[1])
    tosses = np.stack([table[table[:, 0] == n] for n in np.unique(table[:, 0])])
    time, p = tosses[0, :, 1] - tosses[0, 0, 1], tosses[:, :, 2:5]
    r1, hinge = rotations(tosses[:, :, 5:9]), tosses[:, :, 9]
    r2 = r1 @ about_y(hinge)
    second = p + r1 @ HINGE + r2 @ SECOND
    centre = (p + second) / 2
    low = np.minimum(p[..., 2] - np.abs(r1[..., 2, :] * HALF).sum(-1), second[..., 2] - np.abs(r2[..., 2, :] * HALF).sum(-1))

    still = np.abs(tosses[:, -6:, 10:]).max((1, 2)) < 0.3
    normals = []
    for r in r1[still, -1]:
        k = np.abs(r[2]).argmax()
        if abs(r[2, k]) > 0.995:
            normals.append(r[:, k] * np.sign(r[2, k]))
    normals = np.array(normals)
    mean, error = normals.mean(0), normals.std(0) / np.sqrt(len(normals))
    print(f"{len(normals)} first links at rest on a face: its normal is off the vertical by {mean[:2]} ± {error[:2]}")

    # The centre of mass p + R1 a + R2 b flies on a parabola; a and b along the hinge cannot be told apart.
    rows, right = [], []
    for toss, first, end in flights(low, 7):
        t = time[first:end] - time[first]
        line = np.stack([np.ones_like(t), t], 1)
        free = np.eye(len(t)) - line @ np.linalg.pinv(line)
        for axis in range(3):
            fall = np.zeros((len(t), 3))
            fall[:, axis] = t * t / 2
            x = np.hstack([r1[toss, first:end, axis], r2[toss, first:end, axis], fall])
            rows.append(free @ x)
            right.append(-free @ p[toss, first:end, axis])
    rows, right = np.vstack(rows), np.hstack(right)
    weight = np.ones_like(right)
    for _ in range(15):
        found = np.linalg.lstsq(rows * weight[:, None], right * weight, rcond=1e-6)[0]
        off = np.abs(rows @ found - right)
        weight = 1 / (1 + (off / (3 * np.median(off))) ** 2)
    a, b, g = found[:3], found[3:6], found[6:]
    print(f"flights between bounces: gravity {-g} m/s², off by {1e3 * np.median(off):.2f} mm")
    print(f"  hinge at {2 * np.array([a[0], a[1] + b[1], a[2]])} of the first link, second's centre {2 * b[[0, 2]]} from it (x, z)")

    # Impacts of a single corner: the impulse there that explains the jump of all seven velocities.
    events = []
    for toss in range(len(tosses)):
        end = 6
        while end < 115:
            c = centre[toss, : end + 1] + np.outer(time[: end + 1] ** 2, [0, 0, 9.61 / 2])
            if max(np.abs(c[:, k] - np.polyval(np.polyfit(time[: end + 1], c[:, k], 1), time[: end + 1])).max() for k in range(3)) > 3e-3:
                break
            end += 1
        end -= 1
        heights = np.r_[(p[toss, end] + CORNERS @ r1[toss, end].T)[:, 2], (second[toss, end] + CORNERS @ r2[toss, end].T)[:, 2]]
        order = np.argsort(heights)
        if end < 9 or end > 114 or heights[order[0]] > 0.012 or heights[order[1]] - heights[order[0]] < 0.006:
            continue

        def velocities(first, last, at):
            span = time[last] - time[first]
            v = (centre[toss, last] - centre[toss, first]) / span
            v[2] += 9.61 * ((time[first] + time[last]) / 2 - time[at])
            spin = rotation_vector(r1[toss, last] @ r1[toss, first].T) / span
            turn = hinge[toss, last] - hinge[toss, first]
            return np.r_[v, spin, np.arctan2(np.sin(turn), np.cos(turn)) / span]

        before, after = velocities(end - 8, end - 1, end), velocities(end + 1, end + 4, end)
        events.append((toss, end, order[0], before, after - before))
    scale = 1 / np.array([0.05, 0.05, 0.05, 1, 1, 1, 1.5])
    for factor in (1.0, 1.25, 1.5, 1.75, 2.0):
        misfits, bounce, ratio = [], [], []
        for toss, at, corner, before, jump in events:
            x1, x2 = r1[toss, at], r2[toss, at]
            arm, axis = x2 @ SECOND, x1[:, 1]
            d = x1 @ HINGE + arm
            half = np.hstack([cross(d) / 2, -np.cross(axis, arm)[:, None] / 2])
            j1, j2 = np.hstack([np.eye(3), half]), np.hstack([np.eye(3), -half])
            w1 = np.hstack([np.zeros((3, 3)), np.eye(3), np.zeros((3, 1))])
            w2 = np.hstack([np.zeros((3, 3)), np.eye(3), axis[:, None]])
            inertia = np.diag(factor * SOLID)
            mass = MASS * (j1.T @ j1 + j2.T @ j2) + w1.T @ x1 @ inertia @ x1.T @ w1 + w2.T @ x2 @ inertia @ x2.T @ w2
            point = (x1 if corner < 8 else x2) @ CORNERS[corner % 8]
            rows = (j1 - cross(point) @ w1) if corner < 8 else (j2 - cross(point) @ w2)
            response = np.linalg.solve(mass, rows.T)
            impulse = np.linalg.lstsq(scale[:, None] * response, scale * jump, rcond=None)[0]
            misfit = np.abs(scale * (response @ impulse - jump))
            misfits.append(np.minimum(misfit, 6).mean())
            if misfit.max() < 3:
                u, after = rows @ before, rows @ (before + response @ impulse)
                bounce.append(-after[2] / u[2])
                ratio.append(np.hypot(*impulse[:2]) / impulse[2])
        quartiles = lambda x: " ".join(f"{q:.2f}" for q in np.quantile(x, [0.25, 0.5, 0.75]))  # noqa: E731
        print(
            f"moments {factor:.2f} times a solid box's: misfit {np.mean(misfits):.2f} over {len(events)} impacts of one corner; "
            f"of {len(bounce)} clean ones restitution {quartiles(bounce)}, friction over normal impulse {quartiles(ratio)}"
        )


if __name__ == "__main__":
    np.set_printoptions(precision=4, suppress=True)
    main()

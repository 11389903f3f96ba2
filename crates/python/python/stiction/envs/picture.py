"""Pictures of a simulation without a graphics card: rays against the model's shapes, in numpy."""

import numpy as np

#: Where the light comes from, how bright what it does not reach is, and the sky's colours at the top and at the bottom.
LIGHT, SHADE, SKY = np.array([0.35, -0.5, 0.8]) / np.linalg.norm([0.35, -0.5, 0.8]), 0.35, ((0.75, 0.85, 0.95), (0.95, 0.96, 0.97))
#: Half the angle of view, as its tangent, and the side of the floor's squares, m.
VIEW, SQUARE = 0.35, 0.1


class Camera:
    """Draws the geoms of a model from where all that moves is in view; it follows their middle.

    model: a stiction.Model of primitive shapes.
    width, height: of the picture in pixels.
    """

    def __init__(self, model, width=320, height=240):
        self._geoms = [model.geom(k) for k in range(len(model.geom_names))]
        self._geoms = [geom for geom in self._geoms if geom.rgba[3] > 0]
        for geom in self._geoms:
            if geom.shape not in _RAYS:
                raise ValueError(
                    f'rgb_array draws primitive shapes, and geom "{geom.name}" is a {geom.shape}: record or watch env.unwrapped.sim instead'
                )
        self._moves = sorted({geom.body for geom in self._geoms if geom.body and geom.shape != "half-space"})
        bodies = {body: model.body_pose(body, model.default_qpos) for body in self._moves}
        moving = [geom for geom in self._geoms if geom.body in bodies]
        at = [bodies[geom.body].position + _matrix(bodies[geom.body].quaternion) @ geom.position for geom in moving]
        middle = np.mean(at, axis=0)
        reach = max(np.linalg.norm(place - middle) + _reach(geom) for geom, place in zip(moving, at, strict=True))
        #: From what it follows, the mean of the bodies' origins, to what it looks at; and from there to the eye.
        self._ahead = middle - np.mean([pose.position for pose in bodies.values()], axis=0)
        self._eye = 1.25 * reach / VIEW * np.array([0.5, -0.8, 0.4])
        forward = -self._eye / np.linalg.norm(self._eye)
        right = np.cross(forward, [0, 0, 1])
        right /= np.linalg.norm(right)
        x, y = np.meshgrid(np.arange(width) + 0.5 - width / 2, height / 2 - np.arange(height) - 0.5)
        x, y = (VIEW * part.reshape(-1, 1) / (height / 2) for part in (x, y))
        rays = forward + x * right + y * np.cross(right, forward)
        self._rays, self._shape = rays / np.linalg.norm(rays, axis=1, keepdims=True), (height, width, 3)
        top, bottom = np.array(SKY)
        self._sky = bottom + np.clip(0.5 + 0.7 * self._rays[:, 2:], 0, 1) * (top - bottom)

    def draw(self, sim):
        """The present state, shape (height, width, 3), bytes."""
        poses = {body: sim.body_pose(body) for body in {geom.body for geom in self._geoms}}
        eye = np.mean([poses[body].position for body in self._moves], axis=0) + self._ahead + self._eye
        colour, depth = self._sky.copy(), np.full(len(self._rays), np.inf)
        for geom in self._geoms:
            turn = _matrix(poses[geom.body].quaternion)
            centre, turn = poses[geom.body].position + turn @ geom.position, turn @ _matrix(geom.quaternion)
            near = slice(None)
            if geom.shape != "half-space":
                # Only rays that pass near enough to its middle can meet it.
                along = self._rays @ (centre - eye)
                near = np.flatnonzero(along**2 >= np.sum((centre - eye) ** 2) - _reach(geom) ** 2)
            origin, rays = turn.T @ (eye - centre), self._rays[near] @ turn
            with np.errstate(all="ignore"):
                distance, normal = _RAYS[geom.shape](origin, rays, geom.size)
            distance = np.where((distance > 0) & np.isfinite(distance), distance, np.inf)
            first = distance < depth[near]
            places = np.arange(len(self._rays))[near][first]
            depth[places] = distance[first]
            tint = np.array(geom.rgba[:3], dtype=float)
            if geom.shape == "half-space":
                at = origin[:2] + distance[first, None] * rays[first, :2]
                tint = tint * (0.9 + 0.1 * (np.floor(at / SQUARE).sum(axis=1, keepdims=True) % 2))
            light = np.clip((normal[first] @ turn.T) @ LIGHT, 0, 1)[:, None]
            colour[places] = tint * (SHADE + (1 - SHADE) * light)
        return np.clip(255 * colour, 0, 255).astype(np.uint8).reshape(self._shape)


def _reach(geom):
    """Radius of a ball around a geom."""
    return sum(geom.size) if geom.shape == "capsule" else float(np.linalg.norm(geom.size))


def _matrix(quaternion):
    w, x, y, z = quaternion
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


# Each gives the distance along rays d from o, both in the geom's frame, and the normal there; NaN or infinity for none.


def _quadric(o, d, radii):
    """Where (p/radii)² = 1 first; a radius may be infinite."""
    inverse = 1 / np.asarray(radii, dtype=float)
    u, v = o * inverse, d * inverse
    a, b, c = np.sum(v * v, axis=1), v @ u, u @ u - 1
    t = (-b - np.sqrt(b * b - a * c)) / a
    normal = (o + t[:, None] * d) * inverse**2
    return t, normal / np.linalg.norm(normal, axis=1, keepdims=True)


def _sphere(o, d, size):
    return _quadric(o, d, [size[0]] * 3)


def _box(o, d, size):
    one, other = (-np.asarray(size) - o) / d, (np.asarray(size) - o) / d
    enters = np.minimum(one, other)
    t = enters.max(axis=1)
    axis = enters.argmax(axis=1)
    normal = np.zeros_like(d)
    rows = np.arange(len(d))
    normal[rows, axis] = -np.sign(d[rows, axis])
    return np.where(t <= np.maximum(one, other).min(axis=1), t, np.inf), normal


def _half_space(o, d, size):
    t = -o[2] / d[:, 2]
    at = np.abs(o[:2] + t[:, None] * d[:, :2])
    inside = (at <= [extent if extent > 0 else np.inf for extent in size]).all(axis=1)
    return np.where(inside & (d[:, 2] < 0), t, np.inf), np.broadcast_to([0.0, 0.0, 1.0], d.shape)


def _nearest(*hits):
    """The first of several."""
    times = np.stack([np.where(t > 0, t, np.inf) for t, _ in hits])
    first = np.nanargmin(np.nan_to_num(times, nan=np.inf), axis=0)
    rows = np.arange(times.shape[1])
    return times[first, rows], np.stack([normal for _, normal in hits])[first, rows]


def _side(o, d, radius, half):
    t, normal = _quadric(o, d, [radius, radius, np.inf])
    return np.where(np.abs(o[2] + t * d[:, 2]) <= half, t, np.inf), normal


def _capsule(o, d, size):
    radius, half = size
    ends = [_quadric(o - [0, 0, end], d, [radius] * 3) for end in (-half, half)]
    return _nearest(_side(o, d, radius, half), *ends)


def _cylinder(o, d, size):
    radius, half = size
    hits = [_side(o, d, radius, half)]
    for end in (-half, half):
        t = (end - o[2]) / d[:, 2]
        at = o[:2] + t[:, None] * d[:, :2]
        hits.append((np.where((at**2).sum(axis=1) <= radius**2, t, np.inf), np.broadcast_to([0.0, 0.0, np.sign(end)], d.shape)))
    return _nearest(*hits)


_RAYS = {"sphere": _sphere, "ellipsoid": _quadric, "box": _box, "half-space": _half_space, "capsule": _capsule, "cylinder": _cylinder}

"""Our answers."""

import numpy as np
import stiction as st

import layout
from catalog import package_paths
from quantities import Evaluation

VERSION = f"Stiction {st.__version__}"


class Ours:
    def __init__(self, file, fixed_base=False):
        paths = [str(folder) for folder in package_paths(file.path)] if file.format != "mjcf" else []
        self.model = model = st.Model.from_file(str(file.path), fixed_base=fixed_base, package_paths=paths)
        self.nq, self.nv, self.total_mass = model.nq, model.nv, model.total_mass
        self.nu, self.na = model.nu, model.na

    def mass_of(self, names):
        """Mass of some bodies together."""
        masses = dict(zip(self.model.body_names, self.model.body_masses))
        return float(sum(masses[name] for name in names))

    def joints(self, joints):
        """A URDF's joints in the order of this model."""
        return layout.reordered(joints, list(self.model.joint_names))

    def evaluate(self, q, v, a, tau):
        model = self.model
        inverse = model.inverse_dynamics(q, v, a)
        try:
            forward = model.forward_dynamics(q, v, inverse if tau is None else tau)
        except ValueError as error:  # the peers answer with NaN or noise
            if "singular" not in str(error):
                raise
            forward = np.full(self.nv, np.nan)
        return Evaluation(model.mass_matrix(q), model.bias(q, v), inverse, forward, self.poses(q))

    def act(self, evaluation, q, v, a, ctrl, activation):
        """Adds what drives the model, and what sensors read under the accelerations `a`."""
        model = self.model
        moments, forces = model.actuator_moments(q), model.actuator_forces(q, v, ctrl, activation)
        evaluation.passive = model.passive_forces(q, v)
        evaluation.tendons = {"length": model.tendon_lengths(q), "rate": model.tendon_moments(q) @ v}
        evaluation.actuators = {
            "length": model.actuator_lengths(q),
            "rate": moments @ v,
            "force": forces,
            "joint forces": moments.T @ forces,
        }
        evaluation.sensors = model.sensors(q, v, a, ctrl, activation)

    def starts(self):
        """Poses where the model starts."""
        return self.poses(st.Simulation(self.model).qpos)

    def poses(self, q):
        found = {}
        for name in self.model.body_names:
            pose = self.model.body_pose(name, q)
            found[name] = (rotation(*pose.quaternion), np.array(pose.position))
        return found


def rotation(w, x, y, z):
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )

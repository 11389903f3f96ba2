"""Pinocchio's answers, in our layout of q and v.

Its free-flyer has q = [x y z, qx qy qz qw] and v = [linear, angular], both in the body frame, so
v_pin = T v with T = diag(R^T, 1) for it; a continuous joint has q = [cos, sin].
"""

import numpy as np
import pinocchio as pin

import layout
from quantities import Evaluation

VERSION = f"Pinocchio {pin.__version__}"


class Peer:
    def __init__(self, path, joints, root_link, fixed_base):
        self.free = any(joint.kind == "free" for joint in joints)
        args = (str(path), pin.JointModelFreeFlyer()) if self.free else (str(path),)
        self.model = pin.buildModelFromUrdf(*args)
        self.data = self.model.createData()
        self.joints = joints
        self.nq, self.nv = sum(layout.SIZES[j.kind][0] for j in joints), self.model.nv
        # A fixed root belongs to the universe here.
        self.total_mass = float(sum(inertia.mass for inertia in self.model.inertias))
        expected = sum(layout.SIZES[j.kind][1] for j in joints)
        if expected != self.nv:
            raise layout.Unsupported(f"Pinocchio counts {self.nv} velocities, the file {expected}")

    def evaluate(self, q, v, a, tau):
        model, data = self.model, self.data
        q_pin = pin.neutral(model)
        T = np.zeros((self.nv, self.nv))
        T_dot_v = np.zeros(self.nv)
        for joint in self.joints:
            index = model.getJointId("root_joint" if joint.kind == "free" else joint.name)
            at_q, at_v = model.idx_qs[index], model.idx_vs[index]
            if joint.kind == "free":
                w, x, y, z = q[joint.q + 3 : joint.q + 7]
                R = pin.Quaternion(w, x, y, z).matrix()
                q_pin[at_q : at_q + 7] = [*q[joint.q : joint.q + 3], x, y, z, w]
                T[at_v : at_v + 3, joint.v : joint.v + 3] = R.T
                T[at_v + 3 : at_v + 6, joint.v + 3 : joint.v + 6] = np.eye(3)
                linear, angular = v[joint.v : joint.v + 3], v[joint.v + 3 : joint.v + 6]
                T_dot_v[at_v : at_v + 3] = -np.cross(angular, R.T @ linear)
            else:
                T[at_v, joint.v] = 1.0
                if model.joints[index].nq == 2:
                    q_pin[at_q : at_q + 2] = [np.cos(q[joint.q]), np.sin(q[joint.q])]
                else:
                    q_pin[at_q] = q[joint.q]
        M_pin = np.triu(pin.crba(model, data, q_pin))
        M_pin = M_pin + np.triu(M_pin, 1).T
        bias_pin = pin.nonLinearEffects(model, data, q_pin, T @ v)
        M = T.T @ M_pin @ T
        bias = T.T @ (bias_pin + M_pin @ T_dot_v)
        inverse = T.T @ pin.rnea(model, data, q_pin, T @ v, T @ a + T_dot_v)
        tau = inverse if tau is None else tau
        forward_pin = pin.aba(model, data, q_pin, T @ v, np.linalg.solve(T.T, tau))
        forward = np.linalg.solve(T, forward_pin - T_dot_v)
        pin.framesForwardKinematics(model, data, q_pin)
        poses = {
            frame.name: (placement.rotation.copy(), placement.translation.copy())
            for frame, placement in zip(model.frames, data.oMf)
            if frame.type == pin.FrameType.BODY
        }
        return Evaluation(M, bias, inverse, forward, poses)

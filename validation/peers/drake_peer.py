"""Drake's answers, in our layout of q and v.

Its floating base has q = [qw qx qy qz, x y z] and v = [angular, linear], both in the world frame,
so v_drake = T v with the blocks R (our angular velocity is in the body frame) and 1.
"""

from importlib.metadata import version

import numpy as np
from pydrake.common.eigen_geometry import Quaternion
from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import MultibodyForces

import layout
from catalog import package_paths
from quantities import Evaluation, solve

VERSION = f"Drake {version('drake')}"


class Peer:
    def __init__(self, path, joints, root_link, fixed_base):
        self.plant = plant = MultibodyPlant(0.0)
        parser = Parser(plant)
        for folder in package_paths(path):
            if (folder / "package.xml").is_file():
                parser.package_map().AddPackageXml(str(folder / "package.xml"))
        (self.instance,) = parser.AddModels(str(path))
        if fixed_base and root_link != "world":
            root = plant.GetBodyByName(root_link, self.instance)
            plant.WeldFrames(plant.world_frame(), root.body_frame())
        plant.Finalize()
        self.context = plant.CreateDefaultContext()
        self.joints, self.root_link = joints, root_link
        self.nq, self.nv = plant.num_positions(), plant.num_velocities()
        self.total_mass = float(
            sum(plant.get_body(i).default_mass() for i in plant.GetBodyIndices(self.instance))
        )
        expected = sum(layout.SIZES[j.kind][1] for j in joints)
        if expected != self.nv:
            raise layout.Unsupported(f"Drake counts {self.nv} velocities, the file {expected}")

    def evaluate(self, q, v, a, tau):
        plant, context = self.plant, self.context
        q_drake, T = np.zeros(self.nq), np.zeros((self.nv, self.nv))
        for joint in self.joints:
            name = self.root_link if joint.kind == "free" else joint.name
            peer = plant.GetJointByName(name, self.instance)
            at_q, at_v = peer.position_start(), peer.velocity_start()
            if joint.kind == "free":
                quaternion = q[joint.q + 3 : joint.q + 7]
                q_drake[at_q : at_q + 7] = [*quaternion, *q[joint.q : joint.q + 3]]
                T[at_v : at_v + 3, joint.v + 3 : joint.v + 6] = Quaternion(quaternion).rotation()
                T[at_v + 3 : at_v + 6, joint.v : joint.v + 3] = np.eye(3)
            else:
                q_drake[at_q] = q[joint.q]
                T[at_v, joint.v] = 1.0
        plant.SetPositions(context, q_drake)
        plant.SetVelocities(context, T @ v)
        M_drake = plant.CalcMassMatrix(context)
        M = T.T @ M_drake @ T
        gravity = plant.CalcGravityGeneralizedForces(context)
        bias = T.T @ (plant.CalcBiasTerm(context) - gravity)
        forces = MultibodyForces(plant)
        forces.mutable_generalized_forces()[:] = gravity
        # T's rate times v is R (w x w) = 0, so accelerations map as velocities do.
        inverse = T.T @ plant.CalcInverseDynamics(context, T @ a, forces)
        tau = inverse if tau is None else tau
        forward = solve(M, tau - bias)
        poses = {}
        for index in plant.GetBodyIndices(self.instance):
            body = plant.get_body(index)
            pose = plant.EvalBodyPoseInWorld(context, body)
            poses[body.name()] = (pose.rotation().matrix(), pose.translation())
        return Evaluation(M, bias, inverse, forward, poses)

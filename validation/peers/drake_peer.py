"""Drake's answers, in our layout of q and v.

Its floating base has q = [qw qx qy qz, x y z] and v = [angular, linear], both in the world frame,
so v_drake = T v with the blocks R (our angular velocity is in the body frame) and 1.
"""

import xml.etree.ElementTree as ElementTree
from importlib.metadata import version

import numpy as np
from pydrake.common.eigen_geometry import Quaternion
from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import ModelInstanceIndex, MultibodyForces

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

    def joint_of(self, joint):
        """Drake's joint for one of ours."""
        return self.plant.GetJointByName(self.root_link if joint.kind == "free" else joint.name, self.instance)

    def bodies(self):
        """Name here and body of all bodies."""
        for index in self.plant.GetBodyIndices(self.instance):
            yield self.plant.get_body(index).name(), self.plant.get_body(index)

    def evaluate(self, q, v, a, tau):
        plant, context = self.plant, self.context
        q_drake, T = np.zeros(self.nq), np.zeros((self.nv, self.nv))
        for joint in self.joints:
            peer = self.joint_of(joint)
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
        evaluation = Evaluation(M, bias, inverse, forward, self.poses())
        evaluation.passive = T.T @ (self.passive() - gravity)
        return evaluation

    def poses(self):
        """Poses of all bodies in the context."""
        found = {}
        for name, body in self.bodies():
            pose = self.plant.EvalBodyPoseInWorld(self.context, body)
            found[name] = (pose.rotation().matrix(), pose.translation())
        return found

    def passive(self):
        """Joint forces of gravity, springs, bushings and the damping of joints."""
        plant, context = self.plant, self.context
        forces = MultibodyForces(plant)
        plant.CalcForceElementsContribution(context, forces)
        return plant.CalcGeneralizedForces(context, forces)


class Whole(Peer):
    """An SDFormat file, or directives, as it is: every model in it, each free or fixed as the file says."""

    KINDS = {"revolute": "revolute", "prismatic": "prismatic", "quaternion_floating": "free"}

    def __init__(self, path):
        self.plant = plant = MultibodyPlant(0.0)
        parser = Parser(plant)
        for folder in package_paths(path):
            if (folder / "package.xml").is_file():
                parser.package_map().AddPackageXml(str(folder / "package.xml"))
        instances = parser.AddModels(str(path))
        plant.Finalize()
        self.context = plant.CreateDefaultContext()
        self.nq, self.nv = plant.num_positions(), plant.num_velocities()
        # A file with one model calls its parts by their own names, others put the model's before.
        alone = path.suffix != ".yaml" and len(ElementTree.parse(path).getroot().findall("model")) == 1
        self.prefix = plant.GetModelInstanceName(instances[0]) + "::" if alone else ""
        world = plant.world_body().index()
        indices = [i for m in self.instances() for i in plant.GetBodyIndices(m) if i != world]
        self.by_name = {self.name(plant.get_body(i)): plant.get_body(i) for i in indices}
        # The mass of a link that is fixed to the world has no effect, and Drake replaces some such masses.
        fixed = {body.index() for body in plant.GetBodiesWeldedTo(plant.world_body())}
        self.weighed = [name for name, body in self.by_name.items() if body.index() not in fixed]
        self.total_mass = float(sum(self.by_name[name].default_mass() for name in self.weighed))
        joints = [plant.get_joint(i) for m in self.instances() for i in plant.GetJointIndices(m)]
        self.joints_by_name = {}
        for joint in joints:
            free = joint.type_name() == "quaternion_floating"
            self.joints_by_name[self.name(joint) + ("_free" if free else "")] = joint

    def instances(self):
        return [ModelInstanceIndex(i) for i in range(self.plant.num_model_instances())]

    def name(self, part):
        full = f"{self.plant.GetModelInstanceName(part.model_instance())}::{part.name()}"
        return full.removeprefix(self.prefix)

    def place(self, names):
        """Our joints, by their names in order, with their places in q and v."""
        self.joints, q, v = [], 0, 0
        for name in names:
            if name not in self.joints_by_name:
                raise layout.Unsupported(f"Drake has no joint `{name}`")
            kind = self.joints_by_name[name].type_name()
            if kind not in self.KINDS:
                raise layout.Unsupported(f"joint `{name}` is of type {kind}")
            self.joints.append(layout.Joint(name, self.KINDS[kind], q, v))
            q, v = q + layout.SIZES[self.KINDS[kind]][0], v + layout.SIZES[self.KINDS[kind]][1]
        return self.joints

    def starts(self):
        """Poses where the models start."""
        self.plant.SetPositions(self.context, self.plant.GetDefaultPositions())
        return self.poses()

    def placed_in_others(self):
        """Whether a free body's coordinates count from something other than the world."""
        world = self.plant.world_frame().index()
        joints = self.joints_by_name.values()
        return any(j.type_name() == "quaternion_floating" and j.frame_on_parent().index() != world for j in joints)

    def joint_of(self, joint):
        return self.joints_by_name[joint.name]

    def bodies(self):
        return self.by_name.items()

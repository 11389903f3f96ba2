"""MuJoCo's answers. Its layout of q and v is ours."""

import re

import mujoco
import numpy as np

from quantities import Evaluation, solve

mujoco.set_mju_user_warning(lambda message: None)  # it would write a file into the current folder
DOFS = np.array([6, 3, 1, 1])  # velocity coordinates of each type of joint
VERSION = f"MuJoCo {mujoco.__version__}"


def load(path):
    """The model; a file with our `drake:` tags is read without them, since MuJoCo refuses those."""
    text = path.read_bytes()
    if b"<drake:" not in text:
        return mujoco.MjModel.from_xml_path(str(path))
    text = re.sub(rb"<drake:proximity_properties.*?</drake:proximity_properties>", b"", text, flags=re.DOTALL)
    spec = mujoco.MjSpec.from_string(text.decode())
    spec.modelfiledir = str(path.parent)
    return spec.compile()


class Peer:
    def __init__(self, path):
        self.model = load(path)
        self.data = mujoco.MjData(self.model)
        self.nq, self.nv = self.model.nq, self.model.nv
        self.total_mass = float(self.model.body_mass.sum())
        self.nu, self.na = self.model.nu, self.model.na

    def random_state(self, random):
        q = self.model.qpos0.copy()
        mujoco.mj_integratePos(self.model, q, random.normal(size=self.nv), 1.0)
        return q, random.normal(size=self.nv), random.normal(size=self.nv)

    def evaluate(self, q, v, a, tau):
        """Kinematics, M and bias, without constraints, passive forces and actuators."""
        model, data = self.model, self.data
        data.qpos[:], data.qvel[:] = q, v
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_tendon(model, data)
        mujoco.mj_makeM(model, data)
        mujoco.mj_comVel(model, data)
        M, bias = np.zeros((self.nv, self.nv)), np.zeros(self.nv)
        mujoco.mj_fullM(model, data, M)
        mujoco.mj_rne(model, data, 0, bias)
        if "tendon armature" in self.particulars():
            mujoco.mj_fwdPosition(model, data)
            mujoco.mj_fwdVelocity(model, data)
            bias = data.qfrc_bias.copy()
        inverse = M @ a + bias
        forward = solve(M, (inverse if tau is None else tau) - bias)
        return Evaluation(M, bias, inverse, forward, self.poses())

    def act(self, evaluation, q, v, random):
        """Adds what drives the model, and the sensors under forward dynamics without constraints. Returns
        controls, activations and the accelerations."""
        model, data = self.model, self.data
        before = model.opt.disableflags
        model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
        mujoco.mj_resetData(model, data)
        data.qpos[:], data.qvel[:] = q, v
        low, high = model.actuator_ctrlrange.T if model.nu else (0.0, 0.0)
        limited = model.actuator_ctrllimited.astype(bool)
        data.ctrl[:] = np.where(limited, random.uniform(low, np.maximum(low, high)), random.normal(size=model.nu))
        data.act[:] = random.uniform(size=model.na)
        mujoco.mj_forward(model, data)
        # Gravity compensation that MuJoCo counts among the actuators is passive here.
        lifted = np.repeat(model.jnt_actgravcomp.astype(bool), DOFS[model.jnt_type]) * data.qfrc_gravcomp
        evaluation.passive = data.qfrc_passive + lifted
        evaluation.tendons = {"length": data.ten_length.copy(), "rate": data.ten_velocity.copy()}
        evaluation.actuators = {
            "length": data.actuator_length.copy(),
            "rate": data.actuator_velocity.copy(),
            "force": data.actuator_force.copy(),
            "joint forces": data.qfrc_actuator - lifted,
        }
        evaluation.sensors = {}
        for index in range(model.nsensor):
            sensor = model.sensor(index)
            start, size = int(model.sensor_adr[index]), int(model.sensor_dim[index])
            if sensor.name:
                evaluation.sensors[sensor.name] = data.sensordata[start : start + size].copy()
        model.opt.disableflags = before
        return data.ctrl.copy(), data.act.copy(), data.qacc.copy()

    def poses(self):
        model, data = self.model, self.data
        found = {}
        for body in range(1, model.nbody):
            if name := model.body(body).name:
                found[name] = (data.xmat[body].reshape(3, 3).copy(), data.xpos[body].copy())
        return found

    def particulars(self):
        """What the model contains that a comparison of dynamics should know about."""
        model, found = self.model, []
        if model.ntendon and np.any(getattr(model, "tendon_armature", np.zeros(1))):
            found.append("tendon armature")
        if model.nflex:
            found.append("flex")
        if np.any(model.jnt_actfrclimited) or np.any(model.tendon_actfrclimited):
            found.append("shared actuator force limits")
        if model.nv and np.any(model.dof_damping < 0):
            found.append("negative damping")
        if np.any(model.geom_type == mujoco.mjtGeom.mjGEOM_MESH):
            found.append("meshes")
        return found

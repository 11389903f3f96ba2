//! What of MJCF is read, what only changes pictures, and what has no effect here and why.

use crate::schema::Rule;

const SOLVER: &str = "constraint softness in MuJoCo's solver units has no counterpart; the simulator's own near-rigid law is used";
const SENSOR: &str = "sensors are not read; read the quantity from the simulation state instead";
const DELAY: &str = "actuator delays and histories are not simulated; the control acts at once";
const ACTUATOR_DOF: &str =
    "damping and armature of an actuator are not added to its joint; write them on the joint";
const ACTIVATION: &str = "activation limits and order have no effect, as activations are not simulated";
const LENGTHRANGE: &str = "length ranges matter only to muscles, which are not simulated";
const PLUGIN: &str = "plugins are not run; what the plugin does is missing";

const ACTUATORS: &[(&str, &str)] = &[
    ("general", "actuator"),
    ("motor", "actuator"),
    ("position", "actuator"),
    ("velocity", "actuator"),
    ("intvelocity", "actuator"),
    ("damper", "actuator"),
    ("cylinder", "actuator"),
    ("muscle", "actuator"),
    ("adhesion", "actuator"),
    ("orientation", "actuator"),
    ("pid", "actuator"),
    ("dcmotor", "actuator"),
    ("plugin", "actuator"),
];

/// The rules, `mujoco` first.
pub const RULES: &[Rule] = &[
    Rule {
        key: "mujoco",
        read: "model",
        children: &[
            ("compiler", "compiler"),
            ("option", "option"),
            ("default", "default"),
            ("asset", "asset"),
            ("worldbody", "body"),
            ("contact", "contact"),
            ("equality", "equality"),
            ("actuator", "actuators"),
            ("keyframe", "keyframe"),
        ],
        drawing_children: "visual statistic size custom",
        ignored_children: &[
            ("sensor", SENSOR),
            ("tendon", "tendons are not simulated: their springs, limits and actuators make no force"),
            ("deformable", "deformable bodies are not simulated and are left out"),
            ("extension", PLUGIN),
        ],
        ..Rule::NONE
    },
    Rule {
        key: "compiler",
        read: "angle autolimits balanceinertia boundinertia boundmass coordinate eulerseq fitaabb inertiafromgeom \
               inertiagrouprange meshdir assetdir settotalmass strippath",
        drawing: "texturedir usethread discardvisual fusestatic saveinertial savecompiled savecanonical conflict \
                  passthrough convexhull exactmeshinertia",
        ignored: &[(
            "alignfree",
            "free bodies keep the frame the file gives them, so qpos and qvel refer to that frame and not to the inertial one",
        )],
        ignored_children: &[("lengthrange", LENGTHRANGE)],
        ..Rule::NONE
    },
    Rule {
        key: "option",
        // The reader reports all attributes without effect in one warning.
        read: "gravity timestep actuatorgroupdisable ccd_iterations ccd_tolerance cone impratio integrator iterations \
               jacobian ls_iterations ls_tolerance noslip_iterations noslip_tolerance o_friction o_margin o_solimp \
               o_solref sdf_initpoints sdf_iterations sleep_tolerance solver tolerance mpr_iterations mpr_tolerance \
               apirate collision",
        ignored: &[
            ("density viscosity wind", "there is no drag or lift from a medium around the bodies"),
            ("magnetic", "there is no magnetic field"),
        ],
        children: &[("flag", "flag")],
        ..Rule::NONE
    },
    Rule {
        key: "flag",
        read: "actuation autoreset clampctrl constraint contact damper diagexact energy equality eulerdamp \
               filterparent frictionloss fwdinv gravity invdiscrete ipc island limit midphase multiccd nativeccd \
               override refsafe sensor sleep speculative spring warmstart passive sensornoise",
        ..Rule::NONE
    },
    Rule {
        key: "default",
        read: "class",
        children: &[
            ("default", "default"),
            ("mesh", "mesh"),
            ("material", "material"),
            ("joint", "joint"),
            ("geom", "geom"),
            ("site", "site"),
            ("equality", "equality.default"),
            ("general", "actuator"),
            ("motor", "actuator"),
            ("position", "actuator"),
            ("velocity", "actuator"),
            ("intvelocity", "actuator"),
            ("damper", "actuator"),
            ("cylinder", "actuator"),
            ("muscle", "actuator"),
            ("adhesion", "actuator"),
            ("orientation", "actuator"),
            ("pid", "actuator"),
            ("dcmotor", "actuator"),
        ],
        drawing_children: "camera light texture tendon pair",
        ..Rule::NONE
    },
    Rule {
        key: "asset",
        children: &[("mesh", "mesh"), ("hfield", "hfield"), ("material", "material")],
        drawing_children: "texture skin",
        ignored_children: &[("model", "other models are not attached; their bodies are missing")],
        ..Rule::NONE
    },
    Rule {
        key: "mesh",
        read: "name class file content_type vertex face scale refpos refquat inertia builtin",
        drawing: "normal texcoord smoothnormal material params",
        ignored: &[("maxhullvert", "the convex hull keeps all its vertices")],
        ignored_children: &[("plugin", PLUGIN)],
        ..Rule::NONE
    },
    Rule { key: "hfield", read: "name file content_type nrow ncol size elevation", ..Rule::NONE },
    Rule {
        key: "material",
        read: "name class rgba",
        drawing: "texture texrepeat texuniform emission specular shininess reflectance metallic roughness",
        drawing_children: "layer",
        ..Rule::NONE
    },
    Rule {
        key: "body",
        read: "name pos quat axisangle euler xyaxes zaxis childclass mocap gravcomp count sep offset",
        drawing: "user sleep simple fuse",
        children: &[
            ("body", "body"),
            ("frame", "body"),
            ("replicate", "body"),
            ("joint", "joint"),
            ("freejoint", "freejoint"),
            ("geom", "geom"),
            ("site", "site"),
            ("inertial", "inertial"),
        ],
        drawing_children: "camera light",
        ignored_children: &[
            ("composite flexcomp", "composite and deformable bodies are not simulated and are left out"),
            ("attach", "other models are not attached; their bodies are missing"),
            ("plugin", PLUGIN),
        ],
        ..Rule::NONE
    },
    Rule {
        key: "inertial",
        read: "pos quat axisangle euler xyaxes zaxis mass diaginertia fullinertia",
        ..Rule::NONE
    },
    Rule {
        key: "joint",
        read: "name class type pos axis range limited damping stiffness springref armature frictionloss ref \
               actuatorfrcrange actuatorfrclimited springdamper",
        drawing: "group user",
        ignored: &[
            ("margin", "limits act at the limit itself, not a margin before it"),
            ("solreflimit solimplimit solreffriction solimpfriction", SOLVER),
            ("springyield", "springs do not yield"),
            (
                "actuatorgravcomp",
                "gravity compensation is a force on the body, not part of the actuator's force",
            ),
        ],
        ..Rule::NONE
    },
    Rule {
        key: "freejoint",
        read: "name",
        drawing: "group",
        ignored: &[(
            "align",
            "the free body keeps the frame the file gives it, so qpos and qvel refer to that frame and not to the inertial one",
        )],
        ..Rule::NONE
    },
    Rule {
        key: "geom",
        read: "name class type pos quat axisangle euler xyaxes zaxis fromto size mass density shellinertia mesh hfield \
               fitscale contype conaffinity condim priority friction margin gap solref surfacevel rgba material group",
        drawing: "user castshadow",
        ignored: &[
            ("solimp solmix", SOLVER),
            ("adhesion", "contacts do not stick"),
            ("fluidshape fluidcoef", "there is no drag or lift from a medium around the bodies"),
        ],
        children: &[("drake:proximity_properties", "any")],
        ignored_children: &[("plugin", PLUGIN)],
        ..Rule::NONE
    },
    Rule {
        key: "site",
        read: "name class pos quat axisangle euler xyaxes zaxis fromto",
        drawing: "group material rgba size type user mesh",
        ..Rule::NONE
    },
    Rule {
        key: "contact",
        children: &[("exclude", "exclude")],
        ignored_children: &[(
            "pair",
            "explicit contact pairs are not read: the geoms touch by contype and conaffinity, with their own friction",
        )],
        ..Rule::NONE
    },
    Rule { key: "exclude", read: "name body1 body2", ..Rule::NONE },
    Rule {
        key: "equality",
        children: &[("joint", "equality.joint"), ("connect", "equality.bodies"), ("weld", "equality.bodies")],
        ignored_children: &[
            ("tendon", "tendons are not simulated; this coupling is left out"),
            ("flex flexvert flexstrain", "deformable bodies are not simulated; this coupling is left out"),
        ],
        ..Rule::NONE
    },
    Rule { key: "equality.default", read: "active", ignored: &[("solref solimp", SOLVER)], ..Rule::NONE },
    Rule {
        key: "equality.joint",
        read: "name class active joint1 joint2 polycoef",
        ignored: &[("solref solimp", SOLVER)],
        ..Rule::NONE
    },
    Rule {
        key: "equality.bodies",
        read: "name class active body1 body2 site1 site2 anchor relpose",
        ignored: &[
            ("solref solimp", SOLVER),
            ("torquescale", "the weld holds the rotation as firmly as the position"),
        ],
        ..Rule::NONE
    },
    Rule { key: "actuators", children: ACTUATORS, ..Rule::NONE },
    Rule {
        key: "actuator",
        read: "name class joint jointinparent tendon site refsite body slidersite cranksite gear ctrllimited ctrlrange \
               forcelimited forcerange gaintype biastype gainprm biasprm dyntype dynprm kp kv dampratio timeconst \
               inheritrange area diameter bias",
        drawing: "group user plugin instance",
        ignored: &[
            ("cranklength", "slider-crank transmissions are not simulated"),
            ("delay nsample interp", DELAY),
            ("actdim actearly actlimited actrange", ACTIVATION),
            ("lengthrange", LENGTHRANGE),
            ("armature damping", ACTUATOR_DOF),
            (
                "range scale force lmin lmax vmax fpmax fvmax tausmooth",
                "muscles are not simulated; the actuator makes no force",
            ),
            ("gain", "adhesion is not simulated; the actuator makes no force"),
            (
                "ki imax input posrange slewmax velrange ffrange",
                "this controller is not simulated; the actuator makes no force",
            ),
            (
                "cogging controller inductance lugre motorconst nominal resistance saturation thermal",
                "electric motors are not simulated; the actuator makes no force",
            ),
        ],
        ignored_children: &[("config", PLUGIN)],
        ..Rule::NONE
    },
    Rule { key: "keyframe", children: &[("key", "key")], ..Rule::NONE },
    Rule {
        key: "key",
        read: "name time qpos qvel ctrl",
        ignored: &[
            ("mpos mquat", "mocap bodies start where the model places them"),
            ("act", "activations are not simulated"),
            ("plastic", "springs do not yield"),
        ],
        ..Rule::NONE
    },
];

//! The elements and attributes of URDF: those read, those for pictures only, and those without effect here and why.

use crate::drake::{bushing, constraint, filter_group, tendon};
use crate::schema::Rule;

const JOINT: Rule = Rule {
    key: "joint",
    read: "name type",
    children: &[
        ("origin", "origin"),
        ("parent", "link ref"),
        ("child", "link ref"),
        ("axis", "axis"),
        ("limit", "limit"),
        ("dynamics", "dynamics"),
        ("mimic", "mimic"),
        ("drake:screw_thread_pitch", "value"),
    ],
    drawing_children: "calibration",
    ignored_children: &[(
        "safety_controller",
        "soft limits are a matter of the robot's controller and have no effect; the hard limits hold",
    )],
    mapped: &[("mimic", "an equality between the two joints")],
    ..Rule::NONE
};

/// The rules, `robot` first.
pub const RULES: &[Rule] = &[
    Rule {
        key: "robot",
        read: "name",
        drawing: "version",
        children: &[
            ("link", "link"),
            ("joint", "joint"),
            ("drake:joint", "joint"),
            ("material", "material"),
            ("transmission", "transmission"),
            ("frame", "frame"),
            ("gazebo", "gazebo"),
            (filter_group::TAG, filter_group::RULE.key),
            (constraint::BALL, "any"),
            (constraint::DISTANCE, "any"),
            (constraint::SPRING, "any"),
            (bushing::TAG, bushing::RULE.key),
            (tendon::TAG, tendon::RULE.key),
        ],
        mapped: &[
            ("frame", "a site"),
            ("transmission", "a motor on its joint, limited to the joint's effort"),
            constraint::SPRING_MAPPED,
            tendon::MAPPED,
        ],
        ignored_children: &[
            ("mujoco", "settings for MuJoCo's URDF compiler are not read"),
            ("sensor", "sensors are not read; read the quantity from the simulation state instead"),
            (
                "xacro:property xacro:include xacro:macro xacro:arg",
                "xacro is not expanded; run xacro on the file and load its output",
            ),
        ],
        ..Rule::NONE
    },
    Rule {
        key: "link",
        read: "name",
        drawing: "type",
        children: &[("inertial", "inertial"), ("visual", "visual"), ("collision", "collision")],
        ignored_children: &[
            ("drake:deformable_properties", "deformable bodies are not simulated; the link stays rigid"),
            ("contact", "contact settings of Bullet are not read; contact can be set by drake: tags"),
            ("sensor", "sensors are not read; read the quantity from the simulation state instead"),
            ("self_collision_checking", "self-collision is decided by the whole model"),
        ],
        ..Rule::NONE
    },
    Rule {
        key: "inertial",
        children: &[("origin", "origin"), ("mass", "value"), ("inertia", "inertia")],
        ..Rule::NONE
    },
    Rule { key: "frame", read: "name link xyz rpy", ..Rule::NONE },
    Rule {
        key: "gazebo",
        read: "reference",
        children: &[("mu1", "any"), ("mu2", "any"), ("mu", "any"), ("kp", "any"), ("kd", "any")],
        drawing_children: "material visual sensor turnGravityOff dampingFactor maxVel minDepth maxContacts \
                           implicitSpringDamper provideFeedback preserveFixedJoint laserRetro fudgeFactor stopCfm stopErp",
        ignored_children: &[
            ("plugin", "plugins of Gazebo are not run; what the plugin does is missing"),
            ("static", "use fixed_base to fix a robot to the world"),
            ("selfCollide self_collide", "self-collision is decided by the whole model"),
            ("gravity", "gravity acts on every link"),
            ("collision", "settings of single collisions are not read; contact can be set by drake: tags"),
        ],
        mapped: &[
            ("mu1", "static and dynamic friction of the link's collisions, unless drake: tags give it"),
            ("kp kd", "contact stiffness kp and relaxation time kd/kp, unless kp is 1e12 or more"),
        ],
        ..Rule::NONE
    },
    bushing::RULE,
    tendon::RULE,
    tendon::JOINT_RULE,
    filter_group::RULE,
    Rule { key: "inertia", read: "ixx ixy ixz iyy iyz izz", ..Rule::NONE },
    Rule { key: "value", read: "value", ..Rule::NONE },
    Rule { key: "origin", read: "xyz rpy", ..Rule::NONE },
    Rule {
        key: "visual",
        read: "name",
        children: &[("origin", "origin"), ("geometry", "geometry"), ("material", "material")],
        drawing_children: "drake:accepting_renderer drake:perception_properties drake:illustration_properties",
        ..Rule::NONE
    },
    Rule {
        key: "collision",
        read: "name",
        drawing: "group",
        children: &[("origin", "origin"), ("geometry", "geometry"), ("drake:proximity_properties", "any")],
        drawing_children: "verbose material",
        ignored_children: &[(
            "contact_coefficients surface",
            "contact settings of other simulators are not read; contact can be set by drake: tags",
        )],
        ..Rule::NONE
    },
    Rule {
        key: "geometry",
        children: &[
            ("box", "box"),
            ("sphere", "sphere"),
            ("cylinder", "cylinder"),
            ("capsule", "cylinder"),
            ("drake:capsule", "cylinder"),
            ("drake:ellipsoid", "ellipsoid"),
            ("plane", "plane"),
            ("mesh", "mesh"),
        ],
        ..Rule::NONE
    },
    Rule { key: "box", read: "size", ..Rule::NONE },
    Rule { key: "sphere", read: "radius", ..Rule::NONE },
    Rule { key: "cylinder", read: "radius length", ..Rule::NONE },
    Rule { key: "ellipsoid", read: "a b c", ..Rule::NONE },
    Rule { key: "plane", read: "normal", ..Rule::NONE },
    Rule { key: "mesh", read: "filename scale", children: &[("drake:declare_convex", "any")], ..Rule::NONE },
    Rule {
        key: "material",
        read: "name",
        children: &[("color", "color")],
        drawing_children: "texture drake:diffuse_map",
        ..Rule::NONE
    },
    Rule { key: "color", read: "rgba", ..Rule::NONE },
    JOINT,
    Rule { key: "link ref", read: "link", ..Rule::NONE },
    Rule { key: "axis", read: "xyz", ..Rule::NONE },
    Rule {
        key: "limit",
        read: "lower upper effort",
        mapped: &[("effort", "limit of what drives the joint; 0 means that there is none")],
        kept: &[(
            "velocity drake:acceleration drake:jerk",
            "kept for planners and controllers; no force acts when a joint is faster",
        )],
        ..Rule::NONE
    },
    Rule { key: "dynamics", read: "damping friction", ..Rule::NONE },
    Rule { key: "mimic", read: "joint multiplier offset", ..Rule::NONE },
    Rule {
        key: "transmission",
        read: "name type",
        children: &[("type", "any"), ("joint", "transmission joint"), ("actuator", "actuator")],
        drawing_children: "leftActuator rightActuator flexJoint rollJoint gap_joint passive_joint \
                           use_simulated_gripper_joint",
        ignored_children: &[(
            "mechanicalReduction motorTorqueConstant simulated_actuated_joint",
            "motor-side gearing is not read; controls act at the joint (drake:gear_ratio sets reflected inertia)",
        )],
        ..Rule::NONE
    },
    Rule {
        key: "transmission joint",
        read: "name",
        drawing_children: "hardwareInterface role offset",
        ignored_children: &[(
            "mechanicalReduction",
            "motor-side gearing is not read; controls act at the joint",
        )],
        ..Rule::NONE
    },
    Rule {
        key: "actuator",
        read: "name",
        drawing_children: "hardwareInterface role motorTorqueConstant",
        children: &[
            ("drake:gear_ratio", "value"),
            ("drake:rotor_inertia", "value"),
            ("drake:controller_gains", "gains"),
        ],
        ignored_children: &[(
            "mechanicalReduction",
            "motor-side gearing is not read; controls act at the joint (drake:gear_ratio sets reflected inertia)",
        )],
        ..Rule::NONE
    },
    Rule { key: "gains", read: "p d", ..Rule::NONE },
];

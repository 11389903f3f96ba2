//! The elements and attributes of SDFormat: those read, those for pictures only, and those without effect here and why.

use crate::drake::{bushing, constraint, filter_group, tendon};
use crate::schema::Rule;

const SENSOR: &str = "sensors are not read; read the quantity from the simulation state instead";
const PLUGIN: &str = "plugins are not run; what the plugin does is missing";
const MEDIUM: &str = "there is no drag, lift or wind from a medium around the bodies";
const SOLVER: &str = "a setting of another simulator's solver, which has no counterpart here";

/// The rules, `sdf` first.
pub const RULES: &[Rule] = &[
    Rule {
        key: "sdf",
        read: "version",
        children: &[("world", "world"), ("model", "model")],
        drawing_children: "light",
        ignored_children: &[("actor", "actors are animated pictures and are left out")],
        ..Rule::NONE
    },
    Rule {
        key: "world",
        read: "name",
        children: &[
            ("gravity", "any"),
            ("physics", "physics"),
            ("model", "model"),
            ("frame", "frame"),
            ("joint", "joint"),
            ("drake:joint", "drake joint"),
        ],
        drawing_children: "light scene gui audio spherical_coordinates road magnetic_field state population actor",
        ignored_children: &[
            ("plugin", PLUGIN),
            ("wind atmosphere", MEDIUM),
            ("include", "it could not be resolved"),
        ],
        ..Rule::NONE
    },
    Rule {
        key: "physics",
        drawing: "name default type",
        children: &[("max_step_size", "any"), ("gravity", "any")],
        drawing_children: "real_time_factor real_time_update_rate",
        ignored_children: &[
            ("ode bullet simbody dart max_contacts", SOLVER),
            ("magnetic_field", "there is no magnetic field"),
        ],
        mapped: &[("max_step_size", "the step that `stiction run` takes unless told otherwise")],
        ..Rule::NONE
    },
    Rule {
        key: "model",
        read: "name canonical_link placement_frame",
        children: &[
            ("pose", "pose"),
            ("static", "any"),
            ("self_collide", "any"),
            ("frame", "frame"),
            ("link", "link"),
            ("joint", "joint"),
            ("model", "model"),
            ("drake:joint", "drake joint"),
            (filter_group::TAG, filter_group::RULE.key),
            (constraint::BALL, "any"),
            (constraint::DISTANCE, "any"),
            (constraint::SPRING, "any"),
            (bushing::TAG, bushing::RULE.key),
            (tendon::TAG, tendon::RULE.key),
        ],
        drawing_children: "allow_auto_disable",
        ignored_children: &[
            ("plugin", PLUGIN),
            (
                "gripper",
                "Gazebo's grasping of whatever two fingers touch is not simulated; contact holds things here",
            ),
            ("enable_wind", MEDIUM),
            ("include", "it could not be resolved"),
        ],
        mapped: &[
            ("static", "its links are welded to the world"),
            (
                "self_collide",
                "false: no two links of the model touch. Unless it is said, links may touch, as in Drake, except those joined to each other",
            ),
            ("frame", "a site"),
            constraint::SPRING_MAPPED,
            tendon::MAPPED,
        ],
        ..Rule::NONE
    },
    Rule { key: "pose", read: "relative_to frame degrees rotation_format", ..Rule::NONE },
    Rule { key: "frame", read: "name attached_to", children: &[("pose", "pose")], ..Rule::NONE },
    Rule {
        key: "link",
        read: "name",
        children: &[
            ("pose", "pose"),
            ("inertial", "inertial"),
            ("collision", "collision"),
            ("visual", "visual"),
            ("gravity", "any"),
            ("self_collide", "any"),
            ("kinematic", "any"),
            ("enable_wind", "any"),
        ],
        drawing_children: "light audio_source audio_sink battery projector particle_emitter must_be_base_link",
        ignored_children: &[
            ("sensor", SENSOR),
            ("drake:deformable_properties", "deformable bodies are not simulated; the link stays rigid"),
            ("velocity_decay", MEDIUM),
            ("plugin", PLUGIN),
            ("frame", "frames inside links are not read; put them into the model"),
        ],
        mapped: &[("gravity", "false: the link's weight is compensated")],
        ..Rule::NONE
    },
    Rule {
        key: "inertial",
        read: "auto",
        children: &[("mass", "any"), ("pose", "pose"), ("inertia", "inertia"), ("density", "any")],
        ignored_children: &[
            ("fluid_added_mass", MEDIUM),
            ("auto_inertia_params", "mass from volumes is computed exactly, without parameters"),
            ("frame", "frames inside inertial elements are not read"),
        ],
        mapped: &[("auto", "mass and inertia of the collisions' volumes")],
        ..Rule::NONE
    },
    Rule {
        key: "inertia",
        children: &[
            ("ixx", "any"),
            ("ixy", "any"),
            ("ixz", "any"),
            ("iyy", "any"),
            ("iyz", "any"),
            ("izz", "any"),
        ],
        ..Rule::NONE
    },
    Rule {
        key: "visual",
        read: "name",
        children: &[("pose", "pose"), ("geometry", "geometry"), ("material", "material")],
        drawing_children: "cast_shadows laser_retro transparency visibility_flags meta plugin \
                           drake:perception_properties drake:illustration_properties drake:accepting_renderer",
        ..Rule::NONE
    },
    Rule {
        key: "material",
        children: &[("diffuse", "any"), ("ambient", "any")],
        drawing_children: "specular emissive script shader lighting pbr render_order double_sided shininess drake:diffuse_map",
        ..Rule::NONE
    },
    Rule {
        key: "collision",
        read: "name",
        children: &[
            ("pose", "pose"),
            ("geometry", "geometry"),
            ("surface", "surface"),
            ("density", "any"),
            ("drake:proximity_properties", "any"),
        ],
        drawing_children: "laser_retro",
        ignored_children: &[
            ("max_contacts", SOLVER),
            ("auto_inertia_params", "mass from volumes is computed exactly, without parameters"),
        ],
        ..Rule::NONE
    },
    Rule {
        key: "surface",
        children: &[("friction", "friction"), ("contact", "contact"), ("bounce", "bounce")],
        ignored_children: &[("soft_contact", "deformable bodies are not simulated")],
        ..Rule::NONE
    },
    Rule {
        key: "friction",
        children: &[("ode", "ode friction"), ("bullet", "bullet friction"), ("torsional", "torsional")],
        ..Rule::NONE
    },
    Rule {
        key: "bounce",
        children: &[("restitution_coefficient", "any"), ("threshold", "any")],
        mapped: &[(
            "threshold",
            "approach up to which an impact has no restitution; if not given, that of a body at rest decides (100000 by the format)",
        )],
        ..Rule::NONE
    },
    Rule {
        key: "torsional",
        children: &[
            ("coefficient", "any"),
            ("use_patch_radius", "any"),
            ("patch_radius", "any"),
            ("surface_radius", "any"),
        ],
        ignored_children: &[("ode", SOLVER)],
        mapped: &[(
            "coefficient",
            "torque about the normal of a point, at most 3π/16 times this, the radius of the patch and the normal force",
        )],
        ..Rule::NONE
    },
    Rule {
        key: "ode friction",
        children: &[("mu", "any"), ("mu2", "any")],
        ignored_children: &[("fdir1", "friction is the same in all directions"), ("slip1 slip2", SOLVER)],
        mapped: &[("mu", "static and dynamic friction coefficient")],
        ..Rule::NONE
    },
    Rule {
        key: "bullet friction",
        children: &[("friction", "any"), ("friction2", "any")],
        ignored_children: &[
            ("fdir1", "friction is the same in all directions"),
            ("rolling_friction", "rolling friction does not act"),
        ],
        mapped: &[("friction", "static and dynamic friction coefficient, where there is no ode element")],
        ..Rule::NONE
    },
    Rule {
        key: "contact",
        children: &[("collide_bitmask", "any"), ("collide_without_contact", "any"), ("ode", "ode contact")],
        ignored_children: &[
            ("bullet", SOLVER),
            ("category_bitmask collide_without_contact_bitmask", "only collide_bitmask decides who touches"),
            ("poissons_ratio elastic_modulus", "elastic contact is set by drake:hydroelastic_modulus"),
        ],
        mapped: &[("collide_without_contact", "true: the geom touches nothing")],
        ..Rule::NONE
    },
    Rule {
        key: "ode contact",
        children: &[("kp", "any"), ("kd", "any")],
        ignored_children: &[("soft_cfm soft_erp max_vel min_depth", SOLVER)],
        mapped: &[("kp kd", "contact stiffness kp and relaxation time kd/kp, unless kp is 1e12 or more")],
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
            ("ellipsoid", "ellipsoid"),
            ("drake:ellipsoid", "drake ellipsoid"),
            ("plane", "plane"),
            ("mesh", "mesh"),
            ("empty", "any"),
        ],
        ignored_children: &[(
            "heightmap image polyline cone",
            "this shape is not read and is left out; use a mesh instead",
        )],
        ..Rule::NONE
    },
    Rule { key: "box", children: &[("size", "any")], ..Rule::NONE },
    Rule { key: "sphere", children: &[("radius", "any")], ..Rule::NONE },
    Rule { key: "cylinder", children: &[("radius", "any"), ("length", "any")], ..Rule::NONE },
    Rule { key: "ellipsoid", children: &[("radii", "any")], ..Rule::NONE },
    Rule { key: "drake ellipsoid", children: &[("a", "any"), ("b", "any"), ("c", "any")], ..Rule::NONE },
    Rule {
        key: "plane",
        children: &[("normal", "any"), ("size", "any")],
        mapped: &[("size", "only the size of the picture: the plane is unbounded")],
        ..Rule::NONE
    },
    Rule {
        key: "mesh",
        read: "optimization",
        children: &[
            ("uri", "any"),
            ("scale", "any"),
            ("submesh", "submesh"),
            ("drake:declare_convex", "any"),
            ("convex_decomposition", "convex_decomposition"),
        ],
        mapped: &[(
            "optimization",
            "convex_hull: collides as its hull; convex_decomposition: as convex parts, whose error is reported",
        )],
        ..Rule::NONE
    },
    Rule {
        key: "convex_decomposition",
        children: &[("max_convex_hulls", "any"), ("voxel_resolution", "any")],
        mapped: &[("voxel_resolution", "its cube root is the number of voxels along the longest side")],
        ..Rule::NONE
    },
    Rule { key: "submesh", children: &[("name", "any"), ("center", "any")], ..Rule::NONE },
    Rule {
        key: "joint",
        read: "name type",
        children: &[
            ("pose", "pose"),
            ("parent", "any"),
            ("child", "any"),
            ("axis", "axis"),
            ("axis2", "axis"),
            ("thread_pitch", "any"),
            ("screw_thread_pitch", "any"),
            ("gearbox_ratio", "any"),
            ("gearbox_reference_body", "any"),
            ("drake:rotor_inertia", "any"),
            ("drake:gear_ratio", "any"),
            ("drake:controller_gains", "gains"),
            ("drake:mimic", "drake mimic"),
        ],
        ignored_children: &[("sensor", SENSOR), ("physics", SOLVER), ("plugin", PLUGIN)],
        mapped: &[
            ("drake:controller_gains", "the joint's motor is a position servo"),
            ("drake:mimic", "an equality between the two joints"),
            (
                "gearbox_ratio gearbox_reference_body",
                "an equality between the two joints on the reference body",
            ),
        ],
        ..Rule::NONE
    },
    Rule {
        key: "drake joint",
        read: "name type",
        children: &[
            ("pose", "pose"),
            ("drake:parent", "any"),
            ("drake:child", "any"),
            ("drake:damping", "any"),
        ],
        ..Rule::NONE
    },
    Rule { key: "gains", read: "p d", ..Rule::NONE },
    Rule { key: "drake mimic", read: "joint multiplier offset", ..Rule::NONE },
    Rule {
        key: "axis",
        children: &[
            ("xyz", "xyz"),
            ("use_parent_model_frame", "any"),
            ("dynamics", "dynamics"),
            ("limit", "limit"),
            ("mimic", "mimic"),
        ],
        ignored_children: &[("initial_position", "joints start where the poses place the links")],
        mapped: &[("mimic", "an equality between the two joints")],
        ..Rule::NONE
    },
    Rule { key: "xyz", read: "expressed_in", ..Rule::NONE },
    Rule {
        key: "mimic",
        read: "joint axis",
        children: &[("multiplier", "any"), ("offset", "any"), ("reference", "any")],
        ..Rule::NONE
    },
    Rule {
        key: "dynamics",
        children: &[
            ("damping", "any"),
            ("friction", "any"),
            ("spring_reference", "any"),
            ("spring_stiffness", "any"),
        ],
        ..Rule::NONE
    },
    Rule {
        key: "limit",
        children: &[("lower", "any"), ("upper", "any"), ("effort", "any"), ("stiffness", "any")],
        ignored_children: &[("dissipation", "a limit's damping follows from the step")],
        mapped: &[
            (
                "effort",
                "limit of the joint's motor; 0 means that the joint has none, negative that there is no limit",
            ),
            ("stiffness", "compliance of the limit where it is below 1e8"),
        ],
        kept: &[(
            "velocity drake:acceleration",
            "kept for planners and controllers; no force acts when a joint is faster",
        )],
        ..Rule::NONE
    },
    bushing::RULE,
    tendon::RULE,
    tendon::JOINT_RULE,
    filter_group::RULE,
];

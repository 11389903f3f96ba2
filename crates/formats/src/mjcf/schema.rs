//! The elements and attributes of MJCF: those read, those for pictures only, and those without effect here and why.

use crate::schema::{Rule, Setting};

const DELAY: &str = "actuator delays and histories are not simulated; the control acts at once";
const SENSOR_DELAY: &str =
    "readings have neither delay nor history: they are those of the present state and the last step";
const LENGTHRANGE: &str = "a muscle without a lengthrange of its own takes the smallest and largest length within the joints' limits";
const PICTURES: &str = "for pictures";
const TENDON: &str = "name class range limited stiffness damping frictionloss armature springlength actuatorfrcrange actuatorfrclimited \
                      width rgba material";
const TENDON_DEFAULT: &str = "range limited stiffness damping frictionloss armature springlength actuatorfrcrange actuatorfrclimited width \
                              rgba material";
const NAME: (&str, &str) = ("name", "nothing refers to it");
const TENDON_IGNORED: &[(&str, &str)] = &[
    ("margin", "limits act at the limit itself, not a margin before it"),
    ("springyield", "springs do not yield"),
];
const LIMIT_SETTINGS: &[(&str, Setting)] =
    &[("solreflimit solimplimit solreffriction solimpfriction", Setting::OfConstraint)];
const EQUALITY_SETTINGS: &[(&str, Setting)] = &[("solref solimp", Setting::OfConstraint)];
const SENSOR_TIMING: (&str, &str) = ("delay interval nsample interp", SENSOR_DELAY);
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

const SENSORS: &[(&str, &str)] = &[
    ("touch", "sensor.site"),
    ("accelerometer", "sensor.site"),
    ("velocimeter", "sensor.site"),
    ("gyro", "sensor.site"),
    ("force", "sensor.site"),
    ("torque", "sensor.site"),
    ("magnetometer", "sensor.site"),
    ("rangefinder", "sensor.site"),
    ("jointpos", "sensor.joint"),
    ("jointvel", "sensor.joint"),
    ("jointactuatorfrc", "sensor.joint"),
    ("jointlimitpos", "sensor.joint"),
    ("jointlimitvel", "sensor.joint"),
    ("jointlimitfrc", "sensor.joint"),
    ("ballquat", "sensor.joint"),
    ("ballangvel", "sensor.joint"),
    ("tendonpos", "sensor.tendon"),
    ("tendonvel", "sensor.tendon"),
    ("tendonactuatorfrc", "sensor.tendon"),
    ("tendonlimitpos", "sensor.tendon"),
    ("tendonlimitvel", "sensor.tendon"),
    ("tendonlimitfrc", "sensor.tendon"),
    ("actuatorpos", "sensor.actuator"),
    ("actuatorvel", "sensor.actuator"),
    ("actuatorfrc", "sensor.actuator"),
    ("framepos", "sensor.frame"),
    ("framequat", "sensor.frame"),
    ("framexaxis", "sensor.frame"),
    ("frameyaxis", "sensor.frame"),
    ("framezaxis", "sensor.frame"),
    ("framelinvel", "sensor.frame"),
    ("frameangvel", "sensor.frame"),
    ("framelinacc", "sensor.frame"),
    ("frameangacc", "sensor.frame"),
    ("subtreecom", "sensor.body"),
    ("subtreelinvel", "sensor.body"),
    ("subtreeangmom", "sensor.body"),
    ("insidesite", "sensor.frame"),
    ("distance", "sensor.distance"),
    ("normal", "sensor.distance"),
    ("fromto", "sensor.distance"),
    ("contact", "sensor.contact"),
    ("camprojection", "sensor.projection"),
    ("user", "sensor.user"),
    ("e_potential", "sensor.world"),
    ("e_kinetic", "sensor.world"),
    ("clock", "sensor.world"),
];

/// The rules, `mujoco` first.
pub const RULES: &[Rule] = &[
    Rule {
        key: "mujoco",
        read: "model",
        children: &[
            ("compiler", "compiler"),
            ("option", "option"),
            ("custom", "custom"),
            ("default", "default"),
            ("asset", "asset"),
            ("worldbody", "body"),
            ("contact", "contact"),
            ("equality", "equality"),
            ("tendon", "tendon"),
            ("actuator", "actuators"),
            ("sensor", "sensor"),
            ("keyframe", "keyframe"),
            ("statistic", "statistic"),
            ("visual", "visual"),
        ],
        drawing_children: "size",
        ignored_children: &[
            ("deformable", "deformable bodies are not simulated and are left out"),
            ("extension", PLUGIN),
        ],
        ..Rule::NONE
    },
    Rule {
        key: "custom",
        // Numbers whose names begin with "stiction:" say how contact is computed; the rest is for others.
        children: &[("numeric", "numeric"), ("text", "text")],
        drawing_children: "tuple",
        ..Rule::NONE
    },
    Rule {
        key: "numeric",
        read: "name data size",
        mapped: &[("size", "as many numbers as data has")],
        ..Rule::NONE
    },
    Rule { key: "text", read: "name data", ..Rule::NONE },
    Rule {
        key: "compiler",
        read: "angle autolimits balanceinertia boundinertia boundmass coordinate eulerseq fitaabb inertiafromgeom \
               inertiagrouprange meshdir assetdir texturedir settotalmass strippath",
        drawing: "usethread discardvisual fusestatic saveinertial savecompiled savecanonical conflict \
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
        read: "gravity timestep magnetic density viscosity wind",
        ignored: &[(
            "actuatorgroupdisable",
            "actuators are not disabled by group; remove them from the file",
        )],
        settings: &[
            ("cone impratio", Setting::OfContact),
            ("noslip_iterations noslip_tolerance", Setting::AgainstSlip),
            (
                "ccd_iterations ccd_tolerance integrator iterations jacobian ls_iterations ls_tolerance o_friction o_margin o_solimp \
                 o_solref sdf_initpoints sdf_iterations sleep_tolerance solver tolerance mpr_iterations mpr_tolerance apirate \
                 collision",
                Setting::None,
            ),
        ],
        children: &[("flag", "flag")],
        ..Rule::NONE
    },
    Rule {
        key: "flag",
        read: "actuation clampctrl constraint contact damper equality filterparent frictionloss gravity limit spring passive",
        settings: &[(
            "autoreset diagexact energy eulerdamp fwdinv invdiscrete ipc island midphase multiccd nativeccd override refsafe sensor \
             sleep speculative warmstart sensornoise",
            Setting::None,
        )],
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
            ("tendon", "tendon.default"),
            ("pair", "pair"),
            ("camera", "camera"),
            ("light", "light"),
            ("texture", "texture"),
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
        ..Rule::NONE
    },
    Rule {
        key: "asset",
        children: &[
            ("mesh", "mesh"),
            ("hfield", "hfield"),
            ("material", "material"),
            ("texture", "texture"),
            ("model", "model"),
        ],
        drawing_children: "skin",
        ..Rule::NONE
    },
    Rule { key: "model", read: "name file", drawing: "content_type", ..Rule::NONE },
    Rule {
        key: "texture",
        read: "name class",
        kept: &[(
            "file builtin rgb1 rgb2",
            "for pictures, as the texture's mean colour (PNG files up to 4 MiB)",
        )],
        drawing: "type content_type gridsize gridlayout fileright fileleft fileup filedown filefront fileback mark \
                  markrgb random width height hflip vflip colorspace nchannel",
        ..Rule::NONE
    },
    Rule {
        key: "mesh",
        read: "name class file vertex face scale refpos refquat inertia",
        drawing: "content_type normal texcoord smoothnormal material params",
        ignored: &[("maxhullvert", "the convex hull keeps all its vertices")],
        reported: &[("builtin", "built-in meshes are not made; the geoms that use it are left out")],
        ignored_children: &[("plugin", PLUGIN)],
        ..Rule::NONE
    },
    Rule { key: "hfield", read: "name file nrow ncol size elevation", drawing: "content_type", ..Rule::NONE },
    Rule {
        key: "material",
        read: "name class",
        kept: &[("rgba texture emission specular shininess reflectance metallic roughness", PICTURES)],
        drawing: "texrepeat texuniform",
        children: &[("layer", "layer")],
        ..Rule::NONE
    },
    Rule { key: "layer", read: "texture role", ..Rule::NONE },
    Rule {
        key: "statistic",
        kept: &[("center extent", PICTURES)],
        drawing: "meaninertia meanmass meansize",
        ..Rule::NONE
    },
    Rule {
        key: "visual",
        children: &[("global", "global")],
        drawing_children: "quality headlight map scale rgba",
        ..Rule::NONE
    },
    Rule {
        key: "global",
        kept: &[("azimuth elevation", PICTURES)],
        drawing: "cameraid orthographic fovy ipd linewidth glow realtime offwidth offheight ellipsoidinertia \
                  bvactive",
        ..Rule::NONE
    },
    Rule {
        key: "camera",
        read: "name class pos quat axisangle euler xyaxes zaxis",
        kept: &[("fovy resolution focal focalpixel sensorsize", "for pictures and camprojection sensors")],
        drawing: "mode target ipd output principal principalpixel projection orthographic user",
        ..Rule::NONE
    },
    Rule {
        key: "light",
        read: "class",
        kept: &[("pos dir directional type diffuse", PICTURES)],
        drawing: "name mode target castshadow active attenuation cutoff exponent ambient specular bulbradius intensity range \
                  texture user",
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
            ("camera", "camera"),
            ("light", "light"),
            ("attach", "attach"),
        ],
        ignored_children: &[
            ("composite flexcomp", "composite and deformable bodies are not simulated and are left out"),
            ("plugin", PLUGIN),
        ],
        ..Rule::NONE
    },
    Rule { key: "attach", read: "model body frame prefix", ..Rule::NONE },
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
            ("springyield", "springs do not yield"),
        ],
        reported: &[(
            "actuatorgravcomp",
            "only where the joint's actuators are limited: the limit leaves gravity compensation out, as it is a force on the body \
             here",
        )],
        settings: LIMIT_SETTINGS,
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
               fitscale contype conaffinity condim priority friction margin gap surfacevel fluidshape fluidcoef rgba \
               material group",
        drawing: "user castshadow",
        settings: &[("solref solimp solmix", Setting::OfContact)],
        ignored: &[("adhesion", "contacts do not stick")],
        mapped: &[("gap", "contacts push from touch on, as if the gap were as large as the margin")],
        children: &[("drake:proximity_properties", "any")],
        ignored_children: &[("plugin", PLUGIN)],
        ..Rule::NONE
    },
    Rule {
        key: "site",
        read: "name class pos quat axisangle euler xyaxes zaxis fromto group material rgba size type",
        drawing: "user",
        ignored: &[("mesh", "the site's volume is a ball")],
        ..Rule::NONE
    },
    Rule { key: "contact", children: &[("exclude", "exclude"), ("pair", "pair")], ..Rule::NONE },
    Rule {
        key: "pair",
        read: "name class geom1 geom2 condim friction",
        mapped: &[NAME],
        settings: &[("solref solimp", Setting::OfContact), ("solreffriction", Setting::None)],
        ignored: &[
            (
                "margin gap",
                "contacts are kept from the margins of the two geoms on, and push when they touch",
            ),
            ("adhesion", "contacts do not stick"),
        ],
        ..Rule::NONE
    },
    Rule { key: "exclude", read: "name body1 body2", mapped: &[NAME], ..Rule::NONE },
    Rule {
        key: "equality",
        children: &[
            ("joint", "equality.joint"),
            ("tendon", "equality.tendon"),
            ("connect", "equality.bodies"),
            ("weld", "equality.bodies"),
        ],
        ignored_children: &[
            (
                "distance",
                "couplings by the distance of two geoms are not read, as MuJoCo dropped them; use a tendon with a range",
            ),
            ("flex flexvert flexstrain", "deformable bodies are not simulated; this coupling is left out"),
        ],
        ..Rule::NONE
    },
    Rule { key: "equality.default", read: "active", settings: EQUALITY_SETTINGS, ..Rule::NONE },
    Rule {
        key: "equality.joint",
        read: "name class active joint1 joint2 polycoef",
        settings: EQUALITY_SETTINGS,
        ..Rule::NONE
    },
    Rule {
        key: "equality.tendon",
        read: "name class active tendon1 tendon2 polycoef",
        settings: EQUALITY_SETTINGS,
        ..Rule::NONE
    },
    Rule {
        key: "equality.bodies",
        read: "name class active body1 body2 site1 site2 anchor relpose",
        settings: EQUALITY_SETTINGS,
        ignored: &[("torquescale", "the weld holds the rotation as firmly as the position")],
        ..Rule::NONE
    },
    Rule { key: "actuators", children: ACTUATORS, ..Rule::NONE },
    Rule {
        key: "actuator",
        read: "name class joint jointinparent tendon site refsite body slidersite cranksite gear ctrllimited ctrlrange \
               forcelimited forcerange gaintype biastype gainprm biasprm dyntype dynprm kp kv dampratio timeconst \
               inheritrange area diameter bias cranklength actearly actlimited actrange lengthrange armature damping range \
               scale force lmin lmax vmax fpmax fvmax tausmooth gain",
        drawing: "group user plugin instance",
        ignored: &[
            ("delay nsample interp", DELAY),
            ("actdim", "an actuator has one activation"),
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
    Rule {
        key: "tendon",
        children: &[("spatial", "tendon.spatial"), ("fixed", "tendon.fixed")],
        ..Rule::NONE
    },
    Rule {
        key: "tendon.default",
        read: TENDON_DEFAULT,
        drawing: "user group",
        ignored: TENDON_IGNORED,
        settings: LIMIT_SETTINGS,
        ..Rule::NONE
    },
    Rule {
        key: "tendon.spatial",
        read: TENDON,
        drawing: "user group",
        ignored: TENDON_IGNORED,
        settings: LIMIT_SETTINGS,
        children: &[("site", "tendon.site"), ("geom", "tendon.geom"), ("pulley", "tendon.pulley")],
        ..Rule::NONE
    },
    Rule {
        key: "tendon.fixed",
        read: TENDON,
        drawing: "user group",
        ignored: TENDON_IGNORED,
        settings: LIMIT_SETTINGS,
        children: &[("joint", "tendon.joint")],
        ..Rule::NONE
    },
    Rule { key: "tendon.site", read: "site", ..Rule::NONE },
    Rule { key: "tendon.geom", read: "geom sidesite", ..Rule::NONE },
    Rule { key: "tendon.pulley", read: "divisor", ..Rule::NONE },
    Rule { key: "tendon.joint", read: "joint coef", ..Rule::NONE },
    Rule {
        key: "sensor",
        children: SENSORS,
        mapped: &[("user", "room for its numbers, which read zero, as in MuJoCo without a callback")],
        ignored_children: &[
            (
                "tactile",
                "pressures on the vertices of a mesh are not read; use a contact sensor, or a tactile grid of the simulation. \
                 This sensor is left out",
            ),
            ("plugin", PLUGIN),
        ],
        ..Rule::NONE
    },
    Rule {
        key: "sensor.site",
        read: "name site cutoff",
        drawing: "noise user",
        ignored: &[SENSOR_TIMING, ("camera data", "rangefinders give the distance from a site")],
        ..Rule::NONE
    },
    Rule {
        key: "sensor.joint",
        read: "name joint cutoff",
        drawing: "noise user",
        ignored: &[SENSOR_TIMING],
        ..Rule::NONE
    },
    Rule {
        key: "sensor.tendon",
        read: "name tendon cutoff",
        drawing: "noise user",
        ignored: &[SENSOR_TIMING],
        ..Rule::NONE
    },
    Rule {
        key: "sensor.actuator",
        read: "name actuator cutoff",
        drawing: "noise user",
        ignored: &[SENSOR_TIMING],
        ..Rule::NONE
    },
    Rule {
        key: "sensor.frame",
        read: "name objtype objname reftype refname site cutoff",
        drawing: "noise user",
        ignored: &[SENSOR_TIMING],
        ..Rule::NONE
    },
    Rule {
        key: "sensor.body",
        read: "name body cutoff",
        drawing: "noise user",
        ignored: &[SENSOR_TIMING],
        ..Rule::NONE
    },
    Rule {
        key: "sensor.distance",
        read: "name geom1 geom2 body1 body2 cutoff",
        drawing: "noise user",
        ignored: &[SENSOR_TIMING],
        ..Rule::NONE
    },
    Rule {
        key: "sensor.contact",
        read: "name geom1 geom2 body1 body2 subtree1 subtree2 site num data reduce cutoff",
        drawing: "noise user",
        ignored: &[SENSOR_TIMING],
        ..Rule::NONE
    },
    Rule {
        key: "sensor.projection",
        read: "name site camera cutoff",
        drawing: "noise user",
        ignored: &[SENSOR_TIMING],
        ..Rule::NONE
    },
    Rule {
        key: "sensor.user",
        read: "name dim",
        drawing: "noise user objtype objname datatype needstage cutoff",
        ignored: &[SENSOR_TIMING],
        ..Rule::NONE
    },
    Rule {
        key: "sensor.world",
        read: "name cutoff",
        drawing: "noise user",
        ignored: &[SENSOR_TIMING],
        ..Rule::NONE
    },
    Rule { key: "keyframe", children: &[("key", "key")], ..Rule::NONE },
    Rule {
        key: "key",
        read: "name time qpos qvel ctrl act mpos mquat",
        ignored: &[("plastic", "springs do not yield")],
        ..Rule::NONE
    },
];

//! Actuators: all of MuJoCo's shortcuts reduce to gains, biases and dynamics on a transmission.

use super::defaults::{Attrs, MAIN};
use super::reader::{Reader, unique};
use crate::error::Read;
use crate::names::Names;
use crate::xml::Node;
use stiction_model::{Actuator, Dynamics, Muscle, Transmission};

const KINDS: [&str; 13] = [
    "general",
    "motor",
    "position",
    "velocity",
    "intvelocity",
    "damper",
    "cylinder",
    "muscle",
    "adhesion",
    "orientation",
    "pid",
    "dcmotor",
    "plugin",
];

/// How force follows from input, length and rate, in the terms of MuJoCo's `general`.
#[derive(Clone, Debug)]
struct Law {
    gain: [f64; 10],
    /// As in MuJoCo a positive third number is the damping ratio of a position servo.
    bias: [f64; 10],
    dynamics_numbers: [f64; 10],
    dynamics: String,
    gain_type: String,
    bias_type: String,
}

impl Law {
    fn new() -> Self {
        let one = std::array::from_fn(|k| if k == 0 { 1.0 } else { 0.0 });
        Self {
            gain: one,
            bias: [0.0; 10],
            dynamics_numbers: one,
            dynamics: "none".into(),
            gain_type: "fixed".into(),
            bias_type: "none".into(),
        }
    }

    /// The law that an element of another kind begins with: only numbers with the same meaning there.
    fn for_kind(&self, kind: &str) -> Self {
        let fresh = Self::new();
        if kind == "general" {
            return self.clone();
        }
        let (gain, dynamics) = match kind {
            "damper" => ("affine", "none"),
            "muscle" => ("muscle", "muscle"),
            "position" => ("fixed", "filterexact"),
            "cylinder" => ("fixed", "filter"),
            _ => ("fixed", "none"),
        };
        if self.gain_type != gain {
            return fresh;
        }
        let mut law = self.clone();
        if law.dynamics != dynamics {
            law.dynamics_numbers = fresh.dynamics_numbers;
            law.dynamics = fresh.dynamics;
        }
        law
    }
}

/// The values given by defaults and the element so far.
#[derive(Clone, Debug)]
struct Spec {
    law: Law,
    gear: [f64; 6],
    control: [f64; 2],
    control_limited: Option<bool>,
    force: [f64; 2],
    force_limited: Option<bool>,
    activation: [f64; 2],
    activation_limited: Option<bool>,
    early: bool,
    length_range: [f64; 2],
    crank_length: f64,
    inherit_range: f64,
    damping: f64,
    armature: f64,
}

impl Spec {
    fn new() -> Self {
        Self {
            law: Law::new(),
            gear: [1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
            control: [0.0; 2],
            control_limited: None,
            force: [0.0; 2],
            force_limited: None,
            activation: [0.0; 2],
            activation_limited: None,
            early: false,
            length_range: [0.0; 2],
            crank_length: 0.0,
            inherit_range: 0.0,
            damping: 0.0,
            armature: 0.0,
        }
    }

    /// Lets an element (or default) have its say, after its law was set to what it begins from.
    fn read(&mut self, node: &Node) -> Read<()> {
        let attrs = Attrs::plain(node);
        attrs.overlay("gear", &mut self.gear)?;
        // The last of a range of its own and one taken over from the joint counts.
        if let Some(x) = node.number("inheritrange")? {
            let own = if node.name == "intvelocity" { "actrange" } else { "ctrlrange" };
            if x > 0.0 && node.attr(own).is_some() {
                return Err(node.error(format!("give {own} or inheritrange, not both")));
            }
            self.inherit_range = x;
            if node.name != "intvelocity" {
                self.control = [0.0; 2];
            }
        }
        if attrs.overlay("ctrlrange", &mut self.control)? > 0 && node.name != "intvelocity" {
            self.inherit_range = 0.0;
        }
        attrs.overlay("forcerange", &mut self.force)?;
        attrs.overlay("actrange", &mut self.activation)?;
        attrs.overlay("lengthrange", &mut self.length_range)?;
        for (name, into) in [
            ("ctrllimited", &mut self.control_limited),
            ("forcelimited", &mut self.force_limited),
            ("actlimited", &mut self.activation_limited),
        ] {
            if node.attr(name).is_some() {
                *into = attrs.tristate(name)?;
            }
        }
        self.early = node.flag("actearly")?.unwrap_or(self.early);
        for (name, into) in [("cranklength", &mut self.crank_length), ("armature", &mut self.armature)] {
            *into = node.number(name)?.unwrap_or(*into);
        }
        let mut damping = [self.damping, 0.0, 0.0];
        attrs.overlay("damping", &mut damping)?;
        self.damping = damping[0];
        self.law.read(node)?;
        if ["damper", "adhesion"].contains(&node.name.as_str()) {
            self.control_limited = Some(true);
        }
        Ok(())
    }
}

impl Law {
    /// Lets an element have its say on the law.
    fn read(&mut self, node: &Node) -> Read<()> {
        match node.name.as_str() {
            "general" => {
                let attrs = Attrs::plain(node);
                attrs.overlay("gainprm", &mut self.gain)?;
                attrs.overlay("biasprm", &mut self.bias)?;
                attrs.overlay("dynprm", &mut self.dynamics_numbers)?;
                for (name, into) in [
                    ("dyntype", &mut self.dynamics),
                    ("gaintype", &mut self.gain_type),
                    ("biastype", &mut self.bias_type),
                ] {
                    if let Some(word) = node.attr(name) {
                        *into = word.to_string();
                    }
                }
            }
            "motor" => *self = Self::new(),
            "position" | "intvelocity" => {
                let kp = node.number("kp")?.unwrap_or(self.gain[0]);
                let damping = self.servo_damping(node)?;
                self.set(&[kp], &[0.0, -kp, damping], "affine");
                if node.name == "intvelocity" {
                    self.dynamics = "integrator".into();
                } else if let Some(time) = node.number("timeconst")? {
                    self.dynamics_numbers[0] = time;
                    self.dynamics = if time > 0.0 { "filterexact" } else { "none" }.into();
                }
            }
            "velocity" => {
                let kv = node.number("kv")?.unwrap_or(self.gain[0]);
                self.set(&[kv], &[0.0, 0.0, -kv], "affine");
            }
            "damper" => {
                let kv = node.number("kv")?.unwrap_or(-self.gain[2]);
                if kv < 0.0 {
                    return Err(node.error("the damping kv must be zero or more"));
                }
                self.set(&[0.0, 0.0, -kv], &[], "none");
                self.gain_type = "affine".into();
            }
            "cylinder" => {
                let mut area = node.number("area")?.unwrap_or(self.gain[0]);
                if let Some(d) = node.number("diameter")? {
                    area = std::f64::consts::PI / 4.0 * d * d;
                }
                let mut bias = [self.bias[0], self.bias[1], self.bias[2]];
                node.overlay("bias", &mut bias)?;
                self.set(&[area], &bias, "affine");
                self.dynamics = "filter".into();
                self.dynamics_numbers[0] = node.number("timeconst")?.unwrap_or(self.dynamics_numbers[0]);
            }
            "muscle" => self.muscle(node)?,
            "adhesion" => {
                let gain = node.number("gain")?.unwrap_or(self.gain[0]);
                self.set(&[gain], &[], "none");
            }
            other => self.dynamics = other.to_string(),
        }
        Ok(())
    }

    fn set(&mut self, gain: &[f64], bias: &[f64], bias_type: &str) {
        (self.gain, self.bias) = ([0.0; 10], [0.0; 10]);
        self.gain[..gain.len()].copy_from_slice(gain);
        self.bias[..bias.len()].copy_from_slice(bias);
        self.gain_type = "fixed".into();
        self.bias_type = bias_type.into();
    }

    /// Numbers of a muscle: what is still as every actuator begins takes a muscle's defaults first.
    fn muscle(&mut self, node: &Node) -> Read<()> {
        let begin = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
        let usual = [0.75, 1.05, -1.0, 200.0, 0.5, 1.6, 1.5, 1.3, 1.2];
        for k in 0..9 {
            if self.gain[k] == begin[k] {
                self.gain[k] = usual[k];
            }
        }
        for (k, usual) in [0.01, 0.04].into_iter().enumerate() {
            if self.dynamics_numbers[k] == begin[k] {
                self.dynamics_numbers[k] = usual;
            }
        }
        node.overlay("timeconst", &mut self.dynamics_numbers[..2])?;
        node.overlay("range", &mut self.gain[..2])?;
        self.dynamics_numbers[2] = node.number("tausmooth")?.unwrap_or(self.dynamics_numbers[2]);
        for (k, name) in ["force", "scale", "lmin", "lmax", "vmax", "fpmax", "fvmax"].iter().enumerate() {
            self.gain[2 + k] = node.number(name)?.unwrap_or(self.gain[2 + k]);
        }
        self.bias = self.gain;
        for word in [&mut self.dynamics, &mut self.gain_type, &mut self.bias_type] {
            *word = "muscle".into();
        }
        Ok(())
    }

    /// The third bias of a servo: its damping with a minus sign, or its damping ratio.
    fn servo_damping(&self, node: &Node) -> Read<f64> {
        let (kv, ratio) = (node.number("kv")?, node.number("dampratio")?);
        if kv.is_some() && ratio.is_some() {
            return Err(node.error("give kv or dampratio, not both"));
        }
        if kv.or(ratio).is_some_and(|x| x < 0.0) {
            return Err(node.error("kv and dampratio must be zero or more"));
        }
        Ok(kv.map(|kv| -kv).or(ratio).unwrap_or(self.bias[2]))
    }

    /// How the activation follows the control; `None` for what is not simulated.
    fn dynamics(&self) -> Option<Dynamics> {
        let [a, b, c, ..] = self.dynamics_numbers;
        match self.dynamics.as_str() {
            "none" => Some(Dynamics::None),
            "integrator" => Some(Dynamics::Integrator),
            // MuJoCo's least time constant.
            "filter" => Some(Dynamics::Filter { time: a.max(1e-15) }),
            "filterexact" => Some(Dynamics::ExactFilter { time: a.max(1e-15) }),
            "muscle" => Some(Dynamics::Muscle { rise: a, fall: b, smoothing: c }),
            _ => None,
        }
    }

    /// The muscle's law, if it is one.
    fn muscle_law(&self, length_range: [f64; 2]) -> Option<Muscle> {
        let [a, b, force, scale, shortest, longest, fastest, passive, lengthening, _] = self.gain;
        (self.gain_type == "muscle").then_some(Muscle {
            range: [a, b],
            force,
            scale,
            shortest,
            longest,
            fastest,
            passive: if self.bias_type == "muscle" { passive } else { 0.0 },
            lengthening,
            length_range: (length_range[0] < length_range[1]).then_some(length_range),
        })
    }
}

impl<'a> Reader<'a> {
    /// Reads every actuator of the document.
    pub fn actuators(&mut self, root: &'a Node) -> Read<()> {
        let nodes: Vec<&Node> = root.children_named("actuator").flat_map(|s| &s.children).collect();
        let mut names = Names::new(nodes.iter().filter_map(|n| n.attr("name")));
        let nodes: Vec<&Node> = nodes.into_iter().filter(|n| KINDS.contains(&n.name.as_str())).collect();
        // Armature that actuators add to joints counts in the inertia from which others derive their damping.
        for &node in &nodes {
            let spec = self.spec(node)?;
            if let Some(transmission) = self.transmission(node, &spec)? {
                self.reflect(node, &spec, &transmission)?;
            }
        }
        for node in nodes {
            if let Some(mut actuator) = self.actuator(node)? {
                if actuator.name.is_empty() {
                    actuator.name = names.free(&format!("actuator_{}", self.world.actuators.len()));
                }
                self.world.actuators.push(actuator);
            }
        }
        unique(self.world.actuators.iter().map(|a| (&a.name, &a.source)), "actuators")
    }

    /// The values given by an element and its defaults.
    ///
    /// All kinds of actuators share one set of defaults in a class, but not its law: an element begins with the law of the
    /// innermost class that was last told of its own kind, or of `general`, or with none.
    fn spec(&self, node: &'a Node) -> Read<Spec> {
        let class = self.defaults.class_of(node, "class", MAIN)?;
        let mut spec = Spec::new();
        // For each class so far: the kind that spoke last in it, and the law then.
        let mut laws: Vec<(&str, Law)> = Vec::new();
        let begin = |laws: &[(&str, Law)], kind: &str| {
            let found = laws.iter().rev().find(|(last, _)| *last == kind || *last == "general");
            found.map_or_else(Law::new, |(_, law)| law.for_kind(kind))
        };
        for elements in self.defaults.classes(class) {
            let mut spoken = false;
            for layer in elements.iter().filter(|n| KINDS.contains(&n.name.as_str())) {
                if layer.name != "general" {
                    spec.law = begin(&laws, &layer.name);
                }
                spec.read(layer)?;
                if std::mem::replace(&mut spoken, true) {
                    laws.pop();
                }
                laws.push((&layer.name, spec.law.clone()));
            }
        }
        if node.name != "general" {
            spec.law = begin(&laws, &node.name);
        }
        spec.read(node)?;
        Ok(spec)
    }

    fn actuator(&mut self, node: &'a Node) -> Read<Option<Actuator>> {
        let spec = self.spec(node)?;
        let able = self.understood(node, &spec)?;
        let transmission = match self.transmission(node, &spec)? {
            Some(transmission) if able => transmission,
            found => {
                if able && found.is_none() {
                    return Err(node.error(
                        "it acts on nothing; give joint, jointinparent, tendon, site, body, or slidersite and cranksite",
                    ));
                }
                // Any joint serves to hold the place in the controls, as the gear is zero.
                let Some(body) = self.world.bodies.iter().position(|b| !b.joints.is_empty()) else {
                    return Ok(None);
                };
                Transmission::Joint { body, joint: 0, gear: [0.0; 6] }
            }
        };
        self.finish_actuator(node, spec, transmission, able).map(Some)
    }

    /// The part of the model that the element drives.
    fn transmission(&self, node: &'a Node, spec: &Spec) -> Read<Option<Transmission>> {
        let gear = spec.gear;
        if let Some((body, joint)) = self.joint_named(node, "joint")? {
            return Ok(Some(Transmission::Joint { body, joint, gear }));
        }
        if let Some((body, joint)) = self.joint_named(node, "jointinparent")? {
            return Ok(Some(Transmission::JointInParent { body, joint, gear }));
        }
        if let Some(tendon) = self.tendon_index(node, "tendon")? {
            return Ok(Some(Transmission::Tendon { tendon, gear: gear[0] }));
        }
        if let Some(site) = self.site_index(node, "site")? {
            let reference = self.site_index(node, "refsite")?;
            return Ok(Some(Transmission::Site { site, reference, gear }));
        }
        if let Some(body) = self.body_named(node, "body")? {
            return Ok(Some(Transmission::Body { body, gear: gear[0] }));
        }
        match (self.site_index(node, "slidersite")?, self.site_index(node, "cranksite")?) {
            (Some(slider), Some(crank)) => {
                let rod = spec.crank_length;
                if !(rod > 0.0 && rod.is_finite()) {
                    return Err(node.error("a slider-crank needs cranklength=\"…\", positive"));
                }
                Ok(Some(Transmission::SliderCrank { slider, crank, rod, gear: gear[0] }))
            }
            (None, None) => Ok(None),
            _ => Err(node.error("give both slidersite and cranksite")),
        }
    }

    /// Damping and armature of an actuator are those of what it drives, times the gear squared.
    fn reflect(&mut self, node: &Node, spec: &Spec, transmission: &Transmission) -> Read<()> {
        if spec.damping == 0.0 && spec.armature == 0.0 {
            return Ok(());
        }
        match *transmission {
            Transmission::Joint { body, joint, gear } | Transmission::JointInParent { body, joint, gear } => {
                for dof in &mut self.world.bodies[body].joints[joint].dofs {
                    dof.damping += gear[0] * gear[0] * spec.damping;
                    dof.armature += gear[0] * gear[0] * spec.armature;
                }
                Ok(())
            }
            Transmission::Tendon { tendon, gear } if spec.armature == 0.0 => {
                self.world.tendons[tendon].damping += gear * gear * spec.damping;
                Ok(())
            }
            _ => self.report.warn(
                node,
                "actuator@armature",
                "damping and armature of an actuator are added to joints, and damping to tendons; here they have no effect",
            ),
        }
    }

    /// Whether the force law and dynamics are among those simulated; reports if not.
    fn understood(&mut self, node: &Node, spec: &Spec) -> Read<bool> {
        let gain_fine = ["fixed", "affine", "muscle"].contains(&spec.law.gain_type.as_str());
        let bias_fine = match spec.law.gain_type.as_str() {
            "muscle" => ["none", "muscle"].contains(&spec.law.bias_type.as_str()),
            _ => ["none", "affine"].contains(&spec.law.bias_type.as_str()),
        };
        if gain_fine && bias_fine && spec.law.dynamics().is_some() {
            return Ok(true);
        }
        let what = if gain_fine && bias_fine {
            &spec.law.dynamics
        } else if gain_fine {
            &spec.law.bias_type
        } else {
            &spec.law.gain_type
        };
        let message = format!(
            "actuators of kind {what} are not simulated; this one keeps its place in the controls but makes no force"
        );
        self.report.warn(node, &format!("actuator {what}"), message)?;
        Ok(false)
    }

    fn finish_actuator(
        &mut self,
        node: &Node,
        spec: Spec,
        transmission: Transmission,
        acts: bool,
    ) -> Read<Actuator> {
        let limited = |said, range, name| -> Read<Option<[f64; 2]>> {
            Ok(self.compiler.limited(node, said, range, name)?.then_some(range))
        };
        let mut control_range = limited(spec.control_limited, spec.control, "ctrllimited")?;
        let force_range = limited(spec.force_limited, spec.force, "forcelimited")?;
        let mut activation_range = limited(spec.activation_limited, spec.activation, "actlimited")?;
        // Only a position servo's control is a position.
        let servo = spec.law.bias_type == "affine"
            && spec.law.gain[0] != 0.0
            && spec.law.bias[1] == -spec.law.gain[0];
        if spec.inherit_range > 0.0 && acts && servo {
            let [lower, upper] = match transmission {
                Transmission::Joint { body, joint, .. } | Transmission::JointInParent { body, joint, .. } => {
                    let dof = self.world.bodies[body].joints[joint].dofs[0];
                    [dof.lower, dof.upper]
                }
                Transmission::Tendon { tendon, .. } => self.world.tendons[tendon].range,
                _ => [f64::NEG_INFINITY, f64::INFINITY],
            };
            if !(lower.is_finite() && upper.is_finite()) {
                return Err(node.error("inheritrange needs a joint or tendon with a range"));
            }
            let (middle, half) = ((lower + upper) / 2.0, (upper - lower) / 2.0 * spec.inherit_range);
            let range = Some([middle - half, middle + half]);
            if spec.law.dynamics == "integrator" {
                activation_range = range;
            } else {
                control_range = range;
            }
        }
        let three = |p: &[f64; 10], affine: bool| if affine { [p[0], p[1], p[2]] } else { [p[0], 0.0, 0.0] };
        let mut bias =
            if spec.law.bias_type == "affine" && acts { three(&spec.law.bias, true) } else { [0.0; 3] };
        // Of a servo, a positive number is no damping but its ratio to the critical one.
        let ratio = (bias[1] == -spec.law.gain[0] && bias[2] > 0.0).then_some(bias[2]);
        if ratio.is_some() {
            bias[2] = 0.0;
        }
        Ok(Actuator {
            name: node.attr("name").unwrap_or("").to_string(),
            transmission,
            gain: three(&spec.law.gain, spec.law.gain_type == "affine"),
            bias,
            damping_ratio: ratio,
            muscle: spec.law.muscle_law(spec.length_range).filter(|_| acts),
            // One that makes no force keeps its place among the activations too.
            dynamics: spec.law.dynamics().unwrap_or_default(),
            activation_range,
            early: spec.early,
            control_range,
            force_range,
            source: node.source(),
        })
    }
}

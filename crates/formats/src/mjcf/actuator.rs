//! Actuators: all of MuJoCo's shortcuts reduce to gains and biases on a joint.

use super::defaults::{Attrs, MAIN};
use super::reader::{Reader, unique};
use super::reference;
use crate::error::Read;
use crate::names::Names;
use crate::xml::Node;
use stiction_model::{Actuator, JointKind, Transmission};

/// What defaults and the element say so far.
#[derive(Clone, Debug)]
struct Spec {
    gain: [f64; 10],
    bias: [f64; 10],
    gear: [f64; 6],
    control: [f64; 2],
    control_limited: Option<bool>,
    force: [f64; 2],
    force_limited: Option<bool>,
    inherit_range: f64,
    /// Damping ratio of a position servo, in place of a damping gain.
    damping_ratio: Option<f64>,
    dynamics: String,
    gain_type: String,
    bias_type: String,
}

impl Spec {
    fn new() -> Self {
        let mut gain = [0.0; 10];
        gain[0] = 1.0;
        Self {
            gain,
            bias: [0.0; 10],
            gear: [1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
            control: [0.0; 2],
            control_limited: None,
            force: [0.0; 2],
            force_limited: None,
            inherit_range: 0.0,
            damping_ratio: None,
            dynamics: "none".into(),
            gain_type: "fixed".into(),
            bias_type: "none".into(),
        }
    }

    /// Lets an element (or default) have its say.
    fn read(&mut self, node: &Node) -> Read<()> {
        let attrs = Attrs::plain(node);
        attrs.overlay("gear", &mut self.gear)?;
        // The last of a range of its own and one taken over from the joint counts.
        if let Some(x) = node.number("inheritrange")? {
            if x > 0.0 && node.attr("ctrlrange").is_some() {
                return Err(node.error("give ctrlrange or inheritrange, not both"));
            }
            self.inherit_range = x;
            self.control = [0.0; 2];
        }
        if attrs.overlay("ctrlrange", &mut self.control)? > 0 {
            self.inherit_range = 0.0;
        }
        attrs.overlay("forcerange", &mut self.force)?;
        for (name, into) in
            [("ctrllimited", &mut self.control_limited), ("forcelimited", &mut self.force_limited)]
        {
            if node.attr(name).is_some() {
                *into = attrs.tristate(name)?;
            }
        }
        match node.name.as_str() {
            "general" => {
                attrs.overlay("gainprm", &mut self.gain)?;
                attrs.overlay("biasprm", &mut self.bias)?;
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
            "motor" => self.law(&[1.0], &[], "none"),
            "position" => {
                let kp = node.number("kp")?.unwrap_or(self.gain[0]);
                self.gain[0] = kp;
                self.bias[1] = -kp;
                self.servo_damping(node)?;
                self.bias_type = "affine".into();
                self.gain_type = "fixed".into();
                if let Some(time) = node.number("timeconst")? {
                    self.dynamics = if time > 0.0 { "filterexact" } else { "none" }.into();
                }
            }
            "velocity" => {
                let kv = node.number("kv")?.unwrap_or(self.gain[0]);
                self.law(&[kv], &[0.0, 0.0, -kv], "affine");
            }
            "damper" => {
                let kv = node.number("kv")?.unwrap_or(0.0);
                self.law(&[0.0, 0.0, -kv], &[], "none");
                self.gain_type = "affine".into();
            }
            "cylinder" => {
                let mut area = node.number("area")?.unwrap_or(self.gain[0]);
                if let Some(d) = node.number("diameter")? {
                    area = std::f64::consts::PI / 4.0 * d * d;
                }
                let mut bias = [self.bias[0], self.bias[1], self.bias[2]];
                node.overlay("bias", &mut bias)?;
                self.law(&[area], &bias, "affine");
                self.dynamics = "filter".into();
            }
            other => self.dynamics = other.to_string(),
        }
        Ok(())
    }

    fn law(&mut self, gain: &[f64], bias: &[f64], bias_type: &str) {
        (self.gain, self.bias) = ([0.0; 10], [0.0; 10]);
        self.gain[..gain.len()].copy_from_slice(gain);
        self.bias[..bias.len()].copy_from_slice(bias);
        self.gain_type = "fixed".into();
        self.bias_type = bias_type.into();
        self.dynamics = "none".into();
    }

    fn servo_damping(&mut self, node: &Node) -> Read<()> {
        let (kv, ratio) = (node.number("kv")?, node.number("dampratio")?);
        if kv.is_some() && ratio.is_some() {
            return Err(node.error("give kv or dampratio, not both"));
        }
        if kv.or(ratio).is_some_and(|x| x < 0.0) {
            return Err(node.error("kv and dampratio must be zero or more"));
        }
        if let Some(kv) = kv {
            self.bias[2] = -kv;
            self.damping_ratio = None;
        }
        if let Some(ratio) = ratio {
            self.bias[2] = 0.0;
            self.damping_ratio = Some(ratio);
        }
        Ok(())
    }
}

impl<'a> Reader<'a> {
    /// Reads every actuator of the document.
    pub fn actuators(&mut self, root: &'a Node) -> Read<()> {
        let nodes: Vec<&Node> = root.children_named("actuator").flat_map(|s| &s.children).collect();
        let mut names = Names::new(nodes.iter().filter_map(|n| n.attr("name")));
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

    fn actuator(&mut self, node: &'a Node) -> Read<Option<Actuator>> {
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
        if !KINDS.contains(&node.name.as_str()) {
            return Ok(None);
        }
        let class = self.defaults.class_of(node, "class", MAIN)?;
        let mut spec = Spec::new();
        for layer in self.defaults.chain(class).into_iter().filter(|n| KINDS.contains(&n.name.as_str())) {
            spec.read(layer)?;
        }
        spec.read(node)?;
        let target = match self.joint_named(node, "joint")? {
            None => self.joint_named(node, "jointinparent")?,
            some => some,
        };
        let able = self.understood(node, &spec)?;
        let (body, joint) = match target {
            Some(target) => target,
            None => {
                self.report.warn(
                    node,
                    "actuator transmission",
                    "only actuators on joints are simulated; this one keeps its place in the controls but makes no force",
                )?;
                // Any joint serves to hold the place, as the gear is zero.
                match self.world.bodies.iter().position(|b| !b.joints.is_empty()) {
                    Some(body) => (body, 0),
                    None => return Ok(None),
                }
            }
        };
        let acts = target.is_some() && able;
        let gear = if acts { spec.gear } else { [0.0; 6] };
        if node.attr("jointinparent").is_some()
            && !matches!(
                self.world.bodies[body].joints[joint].kind,
                JointKind::Hinge { .. } | JointKind::Slide { .. }
            )
        {
            self.report.warn(
                node,
                "actuator@jointinparent",
                "the gear is taken in the child frame, not the parent's",
            )?;
        }
        if let Some(ratio) = spec.damping_ratio.filter(|_| acts) {
            let single = self.world.bodies[body].joints[joint].kind.nv() == 1;
            match reference::felt_inertia(&self.world, body, joint).filter(|_| single) {
                Some(felt) => {
                    // Critical damping times the ratio, for the inertia seen at the actuator.
                    let seen = felt[0] / (gear[0] * gear[0]).max(1e-30);
                    spec.bias[2] = -2.0 * ratio * (spec.gain[0] * seen).max(0.0).sqrt();
                }
                None => self.report.warn(
                    node,
                    "actuator@dampratio",
                    "dampratio is derived only for hinge and slide joints; this servo has no damping, give kv",
                )?,
            }
        }
        self.finish_actuator(node, spec, Transmission::Joint { body, joint, gear }, acts).map(Some)
    }

    /// Whether the force law is affine in length and velocity; reports if not.
    fn understood(&mut self, node: &Node, spec: &Spec) -> Read<bool> {
        let gain_fine = ["fixed", "affine"].contains(&spec.gain_type.as_str());
        let bias_fine = ["none", "affine"].contains(&spec.bias_type.as_str());
        let dynamics = spec.dynamics.as_str();
        if !gain_fine || !bias_fine || !["none", "filter", "filterexact"].contains(&dynamics) {
            let what = if gain_fine && bias_fine { dynamics } else { &spec.gain_type };
            let message = format!(
                "actuators of kind {what} are not simulated; this one keeps its place in the controls but makes no force"
            );
            self.report.warn(node, &format!("actuator {what}"), message)?;
            return Ok(false);
        }
        if dynamics != "none" {
            let message = "activation filters are not simulated; the control acts at once";
            self.report.warn(node, "actuator filter", message)?;
        }
        Ok(true)
    }

    fn finish_actuator(
        &mut self,
        node: &Node,
        spec: Spec,
        transmission: Transmission,
        acts: bool,
    ) -> Read<Actuator> {
        let mut control_range = self
            .compiler
            .limited(node, spec.control_limited, spec.control, "ctrllimited")?
            .then_some(spec.control);
        let Transmission::Joint { body, joint, .. } = transmission else {
            return Err(node.error("only actuators on joints are read"));
        };
        // Only a position servo's control is a position.
        let servo = spec.bias_type == "affine" && spec.gain[0] != 0.0 && spec.bias[1] == -spec.gain[0];
        if spec.inherit_range > 0.0 && acts && servo {
            let dof = self.world.bodies[body].joints[joint].dofs[0];
            if !(dof.lower.is_finite() && dof.upper.is_finite()) {
                return Err(node.error("inheritrange needs a joint with a range"));
            }
            let (middle, half) = ((dof.lower + dof.upper) / 2.0, (dof.upper - dof.lower) / 2.0);
            let half = half * spec.inherit_range;
            control_range = Some([middle - half, middle + half]);
        }
        let force_range = self
            .compiler
            .limited(node, spec.force_limited, spec.force, "forcelimited")?
            .then_some(spec.force);
        let three = |p: &[f64; 10], affine: bool| if affine { [p[0], p[1], p[2]] } else { [p[0], 0.0, 0.0] };
        let bias = if spec.bias_type == "affine" { three(&spec.bias, true) } else { [0.0; 3] };
        Ok(Actuator {
            name: node.attr("name").unwrap_or("").to_string(),
            transmission,
            gain: three(&spec.gain, spec.gain_type == "affine"),
            bias: if acts { bias } else { [0.0; 3] },
            control_range,
            force_range,
            source: node.source(),
            ..Actuator::motor("", transmission)
        })
    }
}

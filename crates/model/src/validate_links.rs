//! Checks of what refers to bodies and joints: tendons, actuators, sensors, couplings, pairs, states.

use crate::sensor::{MAX_CONTACT_SLOTS, MAX_READINGS, MAX_USER_SIZE};
use crate::validate::{Check, all_finite, fail, finite_pose};
use crate::{
    Actuator, Bushing, ContactsOf, Dynamics, EqualityKind, JointKind, PathStage, Sensor, SensorKind, Shape,
    Source, Tendon, TendonPath, Transmission, World,
};
use std::collections::HashSet;

/// (body, place in its list of joints).
type JointAt = (usize, usize);

impl World {
    pub(crate) fn check_links(&self) -> Check {
        for site in &self.sites {
            if !self.has_all(site) || !finite_pose(&site.pose) {
                let what = "it needs a body that exists and a finite pose";
                return Err(fail(&site.source, format!("site \"{}\"", site.name), what));
            }
        }
        for camera in &self.visual.cameras {
            if !self.has_all(camera) {
                let what = "it is fixed to a body that does not exist";
                return Err(fail(&camera.source, format!("camera \"{}\"", camera.name), what));
            }
        }
        if let Some(k) = self.visual.lights.iter().position(|light| !self.has_all(light)) {
            let what = "it is fixed to a body that does not exist";
            return Err(fail(&Source::default(), format!("light {k}"), what));
        }
        let mut seen = HashSet::new();
        for tendon in &self.tendons {
            self.check_tendon(tendon)?;
            if !seen.insert(tendon.name.as_str()) {
                let what = format!("the name \"{}\" is used by two tendons; rename one", tendon.name);
                return Err(fail(&tendon.source, format!("tendon \"{}\"", tendon.name), what));
            }
        }
        for actuator in &self.actuators {
            self.check_actuator(actuator)?;
        }
        seen.clear();
        for sensor in &self.sensors {
            self.check_sensor(sensor)?;
            if !seen.insert(sensor.name.as_str()) {
                let what = format!("the name \"{}\" is used by two sensors; rename one", sensor.name);
                return Err(fail(&sensor.source, format!("sensor \"{}\"", sensor.name), what));
            }
        }
        let mut readings = 0_usize;
        for sensor in &self.sensors {
            readings = readings.saturating_add(sensor.kind.size());
            if readings > MAX_READINGS {
                let what = format!(
                    "with it the sensors read more than {MAX_READINGS} numbers; give fewer or smaller ones"
                );
                return Err(fail(&sensor.source, format!("sensor \"{}\"", sensor.name), what));
            }
        }
        self.check_equalities()?;
        self.check_bushings()?;
        for pair in &self.pairs {
            if !self.has_all(pair) || pair.geom_a == pair.geom_b {
                let what = "it needs two different geoms that exist";
                return Err(fail(&pair.source, "contact pair".into(), what));
            }
            let c = &pair.contact;
            let coefficients = [
                c.static_friction,
                c.dynamic_friction,
                c.second_friction,
                c.torsional_friction,
                c.rolling_friction,
                c.second_rolling_friction,
            ];
            if coefficients.iter().flatten().any(|x| !(*x >= 0.0 && x.is_finite())) {
                let what = "its friction coefficients must be zero or more and finite";
                return Err(fail(&pair.source, "contact pair".into(), what));
            }
            if c.restitution.is_some_and(|e| !(0.0..=1.0).contains(&e)) {
                return Err(fail(&pair.source, "contact pair".into(), "its restitution must be 0 to 1"));
            }
            if c.surface_radius.or(c.torsional_coefficient).is_some() {
                let what = "a pair has its torsional friction as a length; give the surface radius to a geom";
                return Err(fail(&pair.source, "contact pair".into(), what));
            }
        }
        self.check_keyframes()
    }

    fn joint_kind(&self, (body, joint): JointAt) -> Option<JointKind> {
        self.bodies.get(body)?.joints.get(joint).map(|j| j.kind)
    }

    fn single(&self, joint: JointAt) -> bool {
        self.joint_kind(joint).is_some_and(|kind| kind.nq() == 1)
    }

    fn check_tendon(&self, tendon: &Tendon) -> Check {
        let err = |what: &str| Err(fail(&tendon.source, format!("tendon \"{}\"", tendon.name), what));
        match &tendon.path {
            TendonPath::Fixed { terms } => {
                if terms.iter().any(|(joint, c)| !self.single(*joint) || !c.is_finite()) {
                    return err("it runs over a joint that does not exist or has several coordinates");
                }
            }
            TendonPath::Spatial { stages } => {
                // The first branch may begin with a pulley, too.
                let pulley = |s: &PathStage| matches!(s, PathStage::Pulley { .. });
                let skip = usize::from(stages.first().is_some_and(pulley));
                for branch in stages[skip..].split(pulley) {
                    let site = |s: Option<&PathStage>| matches!(s, Some(PathStage::Site { .. }));
                    let wraps = |s: &[PathStage]| s.iter().all(|s| matches!(s, PathStage::Wrap { .. }));
                    if branch.len() < 2 || !site(branch.first()) || !site(branch.last()) {
                        return err("every branch of its path must begin and end with a site");
                    }
                    if branch.windows(2).any(wraps) {
                        return err("two geoms to wrap around need a site between them");
                    }
                }
                for stage in stages {
                    match *stage {
                        PathStage::Site { site } if site >= self.sites.len() => {
                            return err("it goes through a site that does not exist");
                        }
                        PathStage::Wrap { geom, side } => {
                            let round = self.geoms.get(geom).is_some_and(|g| {
                                matches!(g.shape, Shape::Sphere { .. } | Shape::Cylinder { .. })
                            });
                            if !round || side.is_some_and(|s| s >= self.sites.len()) {
                                return err("it can wrap around spheres and cylinders that exist only");
                            }
                        }
                        PathStage::Pulley { divisor } if !(divisor > 0.0 && divisor.is_finite()) => {
                            return err("a pulley's divisor must be positive and finite");
                        }
                        _ => {}
                    }
                }
            }
        }
        let positive = |x: Option<f64>| x.is_none_or(|x| x.is_finite() && x >= 0.0);
        if !positive(tendon.limit_stiffness) || !positive(tendon.limit_relaxation_time) {
            return err("stiffness and relaxation time of its limits must be zero or more and finite");
        }
        let values = [tendon.stiffness, tendon.damping, tendon.friction, tendon.armature];
        if values.iter().any(|x| !(*x >= 0.0 && x.is_finite())) {
            return err("stiffness, damping, friction and armature must be zero or more and finite");
        }
        let wraps = matches!(&tendon.path, TendonPath::Spatial { stages }
            if stages.iter().any(|s| matches!(s, PathStage::Wrap { .. })));
        if wraps && tendon.armature > 0.0 {
            return err("a tendon that wraps around geoms cannot have armature; remove one of them");
        }
        let rest = tendon.rest.unwrap_or_default();
        if !all_finite(&rest) || rest[0] > rest[1] {
            return err("its spring's rest lengths must be finite, the smaller first");
        }
        for range in [Some(tendon.range), tendon.actuator_force_range].into_iter().flatten() {
            if range[0].is_nan() || range[1].is_nan() || range[0] > range[1] {
                return err("a range has its lower end above its upper end");
            }
        }
        Ok(())
    }

    fn check_actuator(&self, actuator: &Actuator) -> Check {
        let err = |what: &str| Err(fail(&actuator.source, format!("actuator \"{}\"", actuator.name), what));
        if !self.has_all(actuator) {
            return err("it drives something that does not exist");
        }
        let gear = match actuator.transmission {
            Transmission::Joint { gear, .. }
            | Transmission::JointInParent { gear, .. }
            | Transmission::Site { gear, .. } => gear,
            Transmission::Tendon { gear, .. } | Transmission::Body { gear, .. } => [gear; 6],
            Transmission::SliderCrank { rod, gear, .. } => {
                if !(rod > 0.0 && rod.is_finite()) {
                    return err("the rod's length must be positive and finite");
                }
                [gear; 6]
            }
        };
        if !all_finite(&gear) || !all_finite(&actuator.gain) || !all_finite(&actuator.bias) {
            return err("gear, gain and bias must be finite");
        }
        if actuator.damping_ratio.is_some_and(|ratio| !(ratio >= 0.0 && ratio.is_finite())) {
            return err("its damping ratio must be zero or more and finite");
        }
        let ranges = [actuator.control_range, actuator.force_range, actuator.activation_range];
        for range in ranges.into_iter().flatten() {
            if range[0].is_nan() || range[1].is_nan() || range[0] > range[1] {
                return err("a range has its lower end above its upper end");
            }
        }
        let times = match actuator.dynamics {
            Dynamics::None | Dynamics::Integrator => [1.0; 2],
            Dynamics::Filter { time } | Dynamics::ExactFilter { time } => [time; 2],
            Dynamics::Muscle { rise, fall, .. } => [rise, fall],
        };
        if times.iter().any(|t| !(*t > 0.0 && t.is_finite())) {
            return err("the time constants of its activation must be positive and finite");
        }
        if let Some(m) = &actuator.muscle {
            let numbers = [m.force, m.scale, m.shortest, m.longest, m.fastest, m.passive, m.lengthening];
            let fine = m.range[0] < m.range[1]
                && m.shortest < 1.0
                && m.longest > 1.0
                && m.fastest > 0.0
                && m.passive >= 0.0
                && m.lengthening >= 1.0
                && all_finite(&numbers)
                && all_finite(&m.range)
                && m.length_range.is_none_or(|r| all_finite(&r) && r[0] < r[1]);
            if !fine {
                return err(
                    "a muscle needs range, lengthrange with the smaller end first, lmin < 1 < lmax, vmax > 0, fpmax ≥ 0, \
                     fvmax ≥ 1, all finite",
                );
            }
        }
        Ok(())
    }

    fn check_sensor(&self, sensor: &Sensor) -> Check {
        let err = |what: &str| Err(fail(&sensor.source, format!("sensor \"{}\"", sensor.name), what));
        if sensor.cutoff.is_some_and(|c| c.is_nan() || c <= 0.0) {
            return err("its cutoff must be positive");
        }
        use SensorKind as K;
        let fits = match sensor.kind {
            K::JointPosition { joint }
            | K::JointVelocity { joint }
            | K::JointActuatorForce { joint }
            | K::JointLimitPosition { joint }
            | K::JointLimitVelocity { joint }
            | K::JointLimitForce { joint } => self.single(joint),
            K::BallOrientation { joint } | K::BallVelocity { joint } => {
                self.joint_kind(joint) == Some(JointKind::Ball)
            }
            K::FrameAxis { axis, .. } => axis < 3,
            K::Contact { contact } if contact.slots > MAX_CONTACT_SLOTS => {
                return err("it has too many slots; give num=\"…\" of at most 100000");
            }
            K::Contact { contact } => !matches!(contact.second, ContactsOf::Site(_)),
            K::User { size } if size > MAX_USER_SIZE => {
                return err("it is too large; give dim=\"…\" of at most 10000");
            }
            _ => true,
        };
        if fits && self.has_all(sensor) {
            return Ok(());
        }
        err("it reads something that does not exist or is of another kind")
    }

    fn check_equalities(&self) -> Check {
        for equality in &self.equalities {
            let err =
                |what: &str| Err(fail(&equality.source, format!("equality \"{}\"", equality.name), what));
            match equality.kind {
                EqualityKind::Joint { first, second, coefficients } => {
                    if !self.single(first) || second.is_some_and(|s| !self.single(s)) {
                        return err(
                            "it couples joints that do not exist or have several coordinates; use hinge or slide joints",
                        );
                    }
                    if second == Some(first) {
                        return err("it couples a joint to itself");
                    }
                    if !all_finite(&coefficients) {
                        return err("its coefficients must be finite");
                    }
                }
                EqualityKind::Tendon { first, second, coefficients } => {
                    if !self.has_all(equality) || second == Some(first) {
                        return err("it needs tendons that exist and are not the same");
                    }
                    if !all_finite(&coefficients) {
                        return err("its coefficients must be finite");
                    }
                }
                EqualityKind::Connect { body_a, body_b, .. }
                | EqualityKind::Weld { body_a, body_b, .. }
                | EqualityKind::Distance { body_a, body_b, .. } => {
                    if !self.has_all(equality) {
                        return err("it refers to a body that does not exist");
                    }
                    if body_a == body_b {
                        return err("it ties a body to itself");
                    }
                }
            }
        }
        Ok(())
    }

    fn check_bushings(&self) -> Check {
        for bushing in &self.bushings {
            let err = |what: &str| Err(fail(&bushing.source, format!("bushing \"{}\"", bushing.name), what));
            if !self.has_all(bushing) {
                return err("it refers to a body that does not exist");
            }
            if bushing.body_a == bushing.body_c {
                return err("both of its frames are on one body; put them on two");
            }
            if !finite_pose(&bushing.frame_a) || !finite_pose(&bushing.frame_c) {
                return err("its frames need finite poses");
            }
            let Bushing { torque_stiffness, torque_damping, force_stiffness, force_damping, .. } = bushing;
            for constants in [torque_stiffness, torque_damping, force_stiffness, force_damping] {
                if !constants.iter().all(|k| k.is_finite() && *k >= 0.0) {
                    return err("its stiffness and damping must be finite and zero or more");
                }
            }
        }
        Ok(())
    }

    fn check_keyframes(&self) -> Check {
        let mocap = self.bodies.iter().filter(|b| b.mocap).count();
        for key in &self.keyframes {
            let err = |what: String| Err(fail(&key.source, format!("keyframe \"{}\"", key.name), what));
            for (what, have, want) in [
                ("qpos", &key.qpos, self.nq()),
                ("qvel", &key.qvel, self.nv()),
                ("ctrl", &key.ctrl, self.nu()),
                ("act", &key.activation, self.na()),
            ] {
                if !have.is_empty() && have.len() != want {
                    return err(format!("{what} has {} numbers, the model needs {want}", have.len()));
                }
                if !all_finite(have) {
                    return err(format!("{what} must be finite"));
                }
            }
            if !key.mocap.is_empty() && key.mocap.len() != mocap {
                return err(format!("it places {} mocap bodies, the model has {mocap}", key.mocap.len()));
            }
        }
        Ok(())
    }
}

//! Options in the table of what each method supports. An option that a method does not use is an error, not ignored.

use super::support::{Feature, MethodKind, Support};
use crate::options::{Method, Options, Sticking, contact_model_name};
use stiction_model::{Compliance, ContactCalibration, GeomRole};

/// Options of convex steps: rigid motion takes none of them.
const CONVEX: Support = Support::EVERYWHERE.absent(MethodKind::Rigid);

/// An option of the convex problem alone, with remedies for continuous time and for learned contact.
const fn problem(continuous: &'static str, learned: &'static str) -> Support {
    CONVEX.without(MethodKind::Continuous, continuous).without(MethodKind::Learned, learned)
}

const LEAVE_OUT: &str = "leave it out";

/// Whether a calibrated contact differs from the plain law.
fn calibrates(law: Option<ContactCalibration>) -> bool {
    law.is_some_and(|law| law != ContactCalibration::default())
}

/// The name and value of a number that differs from the default.
fn changed(name: &str, value: fn(&Options) -> f64, options: &Options) -> Option<String> {
    let value = (value(options), value(&Options::default()));
    (value.0 != value.1).then(|| format!("{name} = {}", value.0))
}

/// Options, and features that depend on both the world and the options.
pub(super) const OPTIONS: [Feature; 21] = [
    Feature {
        name: "`method = continuous`",
        find: |_, options| (options.method != Method::Convex).then(|| "method = continuous".into()),
        support: CONVEX
            .absent(MethodKind::Fixed)
            .absent(MethodKind::ErrorControl)
            .without(MethodKind::Learned, "choose method = convex")
            .without(MethodKind::Derivatives, "choose method = convex, and give a step")
            .without(MethodKind::Gpu, "choose method = convex"),
    },
    Feature {
        name: "`accuracy`",
        find: |_, options| options.accuracy.map(|accuracy| format!("accuracy = {accuracy}")),
        support: CONVEX
            .absent(MethodKind::Fixed)
            .without(MethodKind::Learned, "give a step instead")
            .without(
                MethodKind::Derivatives,
                "give a step instead of an accuracy, since the length of such steps jumps with the state",
            )
            .without(MethodKind::Gpu, "give a step instead"),
    },
    Feature {
        name: "`max_step`",
        find: |_, options| changed("max_step", |o| o.max_step, options),
        support: CONVEX
            .without(MethodKind::Fixed, "give an accuracy, or leave it out")
            .without(MethodKind::Learned, LEAVE_OUT)
            .absent(MethodKind::Derivatives)
            .absent(MethodKind::Gpu),
    },
    Feature {
        name: "`stiction_tolerance`",
        find: |_, options| changed("stiction_tolerance", |o| o.stiction_tolerance, options),
        support: CONVEX.without(MethodKind::Learned, LEAVE_OUT),
    },
    Feature {
        name: "`contact = similar` and `sap`",
        find: |_, options| {
            let name = contact_model_name(options.contact);
            (options.contact != Options::default().contact).then(|| format!("contact = {name}"))
        },
        support: problem("leave it out; its friction is part of the method", LEAVE_OUT)
            .without(MethodKind::Gpu, "choose contact = lagged"),
    },
    Feature {
        name: "`contact_from = mujoco`",
        find: |_, options| {
            let name = options.contact_from.name();
            (options.contact_from != Default::default()).then(|| format!("contact_from = {name}"))
        },
        support: problem(
            "leave it out; pressure fields take its place",
            "leave it out; the law has its own normal forces",
        )
        .without(
            MethodKind::Derivatives,
            "choose contact_from = stiction, and give the geoms a stiffness in N/m",
        )
        .without(MethodKind::Gpu, "choose contact_from = stiction"),
    },
    Feature {
        name: "`normal_law`",
        find: |_, options| {
            let law = &options.normal_law;
            (*law != Options::default().normal_law).then(|| format!("normal_law = {}", law.name()))
        },
        support: problem(
            "leave it out; pressure fields take its place",
            "leave it out; the law has its own normal forces",
        )
        .without(MethodKind::Derivatives, "choose normal_law = linear, the only one with derivatives by pose")
        .without(MethodKind::Gpu, "choose normal_law = linear"),
    },
    Feature {
        name: "`tangential_springs`",
        find: |_, options| {
            matches!(options.tangential_springs, Sticking::Springs(_)).then(|| "tangential_springs".into())
        },
        support: problem(
            "choose friction = Springs of the method",
            "leave them out; the law has its own friction",
        )
        .note(MethodKind::Derivatives, "by default of the step without them"),
    },
    Feature {
        name: "`tangential_springs` on contact patches",
        find: |world, options| {
            let Sticking::Springs(_) = options.tangential_springs else { return None };
            let soft = |g: &&stiction_model::Geom| {
                g.role != GeomRole::Visual && g.contact.compliance == Compliance::Compliant
            };
            let geom = world.geoms.iter().find(soft)?;
            Some(format!("{}: tangential_springs on the compliant geom \"{}\"", geom.source, geom.name))
        },
        support: CONVEX
            .absent(MethodKind::Continuous)
            .absent(MethodKind::Learned)
            .without(MethodKind::Derivatives, "leave them out, or make the geom rigid")
            .without(MethodKind::Gpu, "make the geom rigid"),
    },
    Feature {
        name: "calibrated contact of the options",
        find: |_, options| calibrates(options.law).then(|| "a calibrated contact (Options::law)".into()),
        support: problem("leave it out", "leave it out; the law has its own friction")
            .without(MethodKind::Derivatives, "leave it out")
            .without(MethodKind::Gpu, "leave it out"),
    },
    Feature {
        name: "calibrated contact of the file",
        find: |world, options| {
            let active = options.law.is_none() && calibrates(world.options.contact_law);
            active.then(|| format!("{}: the model has a calibrated contact", world.name))
        },
        support: Support::EVERYWHERE
            .without(MethodKind::Continuous, WITHOUT_CALIBRATION)
            .note(MethodKind::Learned, "not used: the law has its own friction")
            .note(MethodKind::Rigid, "not used, but for materials")
            .without(MethodKind::Derivatives, WITHOUT_CALIBRATION)
            .without(MethodKind::Gpu, WITHOUT_CALIBRATION),
    },
    Feature {
        name: "`regularization`",
        find: |_, options| changed("regularization", |o| o.regularization, options),
        support: problem(LEAVE_OUT, LEAVE_OUT),
    },
    Feature {
        name: "`relative_tolerance`",
        find: |_, options| changed("relative_tolerance", |o| o.relative_tolerance, options),
        support: problem("give an accuracy", LEAVE_OUT),
    },
    Feature {
        name: "`max_iterations`",
        find: |_, options| changed("max_iterations", |o| o.max_iterations as f64, options),
        support: problem(LEAVE_OUT, LEAVE_OUT),
    },
    Feature {
        name: "`exact_hessian`",
        find: |_, options| options.exact_hessian.then(|| "exact_hessian = true".into()),
        support: problem(LEAVE_OUT, LEAVE_OUT).without(MethodKind::Gpu, LEAVE_OUT),
    },
    Feature {
        name: "`friction_passes`",
        find: |_, options| changed("friction_passes", |o| o.friction_passes as f64, options),
        support: problem(LEAVE_OUT, LEAVE_OUT).note(MethodKind::Derivatives, "of the step with 0 of them"),
    },
    Feature {
        name: "`margin`",
        find: |_, options| changed("margin", |o| o.margin, options),
        support: problem(LEAVE_OUT, LEAVE_OUT),
    },
    Feature {
        name: "`speculative = false`",
        find: |_, options| (!options.speculative).then(|| "speculative = false".into()),
        support: problem(LEAVE_OUT, LEAVE_OUT),
    },
    Feature {
        name: "`speculative = true`, the default",
        find: |_, options| options.speculative.then(|| "speculative = true".into()),
        support: Support::EVERYWHERE.without(MethodKind::Gpu, "choose speculative = false"),
    },
    Feature {
        name: "`limit_stiffness = false`",
        find: |_, options| (!options.limit_stiffness).then(|| "limit_stiffness = false".into()),
        support: problem(LEAVE_OUT, LEAVE_OUT),
    },
    Feature {
        name: "`tessellation`",
        find: |_, options| {
            let other = options.tessellation != Options::default().tessellation;
            other.then(|| format!("tessellation = {:?}", options.tessellation))
        },
        support: problem(
            "leave it out; polygons are integrated exactly",
            "leave it out; there are no patches",
        )
        .without(MethodKind::Gpu, "leave it out; there are no patches"),
    },
];

const WITHOUT_CALIBRATION: &str =
    "leave it out of the file, or set law = Some(Default::default()) of the Rust options";

#[cfg(test)]
mod tests {
    use super::super::support::{Cell, refusal};
    use super::*;
    use crate::options::ContactFrom;
    use stiction_convex::{FrictionModel, NormalLaw};
    use stiction_geometry::patch::Tessellation;
    use stiction_model::{Dissipation, World};

    /// Options that each differ from the defaults in one field.
    fn changes() -> Vec<(&'static str, Options)> {
        // A new option needs a row here and in the table.
        let Options {
            method: _,
            step: _, // all methods begin with it
            accuracy: _,
            max_step: _,
            contact: _,
            contact_from: _,
            law: _,
            normal_law: _,
            stiction_tolerance: _,
            regularization: _,
            relative_tolerance: _,
            margin: _,
            speculative: _,
            limit_stiffness: _,
            max_iterations: _,
            exact_hessian: _,
            friction_passes: _,
            tangential_springs: _,
            tessellation: _,
        } = Options::default();
        let plain = Options::default;
        let law = ContactCalibration { dissipation: Dissipation::Linear, ..Default::default() };
        vec![
            ("`method = continuous`", Options { method: Method::Continuous(Default::default()), ..plain() }),
            ("`accuracy`", Options { accuracy: Some(1e-3), ..plain() }),
            ("`max_step`", Options { max_step: 0.02, ..plain() }),
            ("`stiction_tolerance`", Options { stiction_tolerance: 1e-3, ..plain() }),
            ("`contact = similar` and `sap`", Options { contact: FrictionModel::Similar, ..plain() }),
            ("`contact_from = mujoco`", Options { contact_from: ContactFrom::Mujoco, ..plain() }),
            ("`normal_law`", Options { normal_law: NormalLaw::Hertz, ..plain() }),
            (
                "`tangential_springs`",
                Options { tangential_springs: Sticking::Springs(Default::default()), ..plain() },
            ),
            ("calibrated contact of the options", Options { law: Some(law), ..plain() }),
            ("`regularization`", Options { regularization: 0.0, ..plain() }),
            ("`relative_tolerance`", Options { relative_tolerance: 1e-8, ..plain() }),
            ("`max_iterations`", Options { max_iterations: 7, ..plain() }),
            ("`exact_hessian`", Options { exact_hessian: true, ..plain() }),
            ("`friction_passes`", Options { friction_passes: 0, ..plain() }),
            ("`margin`", Options { margin: 1e-3, ..plain() }),
            ("`speculative = false`", Options { speculative: false, ..plain() }),
            ("`limit_stiffness = false`", Options { limit_stiffness: false, ..plain() }),
            ("`tessellation`", Options { tessellation: Tessellation::Fans, ..plain() }),
        ]
    }

    /// Options without the one default that a method does not take.
    fn base(method: MethodKind, options: Options) -> Options {
        Options { speculative: options.speculative && method != MethodKind::Gpu, ..options }
    }

    #[test]
    fn every_option_is_refused_where_the_table_says_no_and_nowhere_else() {
        let world = World::new("");
        for (name, options) in changes() {
            let row = OPTIONS.iter().find(|row| row.name == name).expect("every option has a row");
            for method in MethodKind::ALL {
                let refused = refusal(&world, &base(method, options.clone()), method);
                let no = matches!(row.support.by(method), Cell::No(_));
                assert_eq!(refused.is_some(), no, "{name} by {}: {refused:?}", method.name());
            }
        }
        for method in MethodKind::ALL {
            let base = base(method, Options::default());
            assert_eq!(refusal(&world, &base, method), None);
        }
    }

    #[test]
    fn options_are_checked_against_the_method_that_they_choose() {
        for (name, options) in changes().into_iter().skip(1) {
            let row = OPTIONS.iter().find(|row| row.name == name).expect("every option has a row");
            for (method, kind) in [
                (
                    Method::Convex,
                    if options.accuracy.is_some() { MethodKind::ErrorControl } else { MethodKind::Fixed },
                ),
                (Method::Continuous(Default::default()), MethodKind::Continuous),
            ] {
                let checked = Options { method, ..options.clone() }.check();
                let no = matches!(row.support.by(kind), Cell::No(_));
                assert_eq!(checked.is_err(), no, "{name}, {}: {checked:?}", kind.name());
            }
        }
    }

    #[test]
    fn a_calibrated_contact_of_the_file_can_be_overridden() {
        let law = ContactCalibration { dissipation: Dissipation::Linear, ..Default::default() };
        let mut world = World::new("");
        world.options.contact_law = Some(law);
        let plain = Options { law: Some(ContactCalibration::default()), ..Options::default() };
        for method in [MethodKind::Continuous, MethodKind::Derivatives] {
            let remedy = refusal(&world, &Options::default(), method).expect("it has no such law");
            assert!(remedy.contains("law = Some(Default::default())"), "{remedy}");
            assert_eq!(refusal(&world, &plain, method), None, "{}", method.name());
        }
    }
}

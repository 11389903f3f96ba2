//! Features supported by each time-stepping method. Error messages, `stiction inspect --support methods` and the
//! documentation are generated from this table.
//!
//! A [`Feature`] is a kind of element in a world, or an option. Forces declare their features in their own files
//! (`forces/`). The features of contact and sensing are here, those of options in `option_support.rs`. No method ignores
//! an unsupported feature silently: a world or an option with such a feature is an error ([`refusal`]).

use super::option_support::OPTIONS;
use crate::forces;
use crate::options::Options;
use stiction_model::{Compliance, World};

/// A time-stepping method, or another computation on a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MethodKind {
    /// Convex steps of a fixed length.
    Fixed,
    /// Convex steps by accuracy.
    ErrorControl,
    /// Continuous time.
    Continuous,
    /// Steps with a learned contact law.
    Learned,
    /// Rigid motion from impact to impact.
    Rigid,
    /// Derivatives of a step.
    Derivatives,
    /// Fixed steps of many worlds on a GPU.
    Gpu,
}

impl MethodKind {
    /// All of them, in the order of the table's columns.
    pub const ALL: [Self; 7] = [
        Self::Fixed,
        Self::ErrorControl,
        Self::Continuous,
        Self::Learned,
        Self::Rigid,
        Self::Derivatives,
        Self::Gpu,
    ];

    /// Its name in the table and in messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fixed => "fixed steps",
            Self::ErrorControl => "error control",
            Self::Continuous => "continuous time",
            Self::Learned => "learned contact",
            Self::Rigid => "rigid motion",
            Self::Derivatives => "derivatives",
            Self::Gpu => "steps on a GPU",
        }
    }
}

/// Support of a method for a feature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cell {
    /// Supported.
    Yes,
    /// Supported, with a remark.
    Note(&'static str),
    /// Not supported, with a remedy.
    No(&'static str),
    /// Something that the method cannot meet, such as an option that it does not take.
    Absent,
}

/// Support of every method for a feature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Support([Cell; 7]);

impl Support {
    /// Supported by all methods.
    pub const EVERYWHERE: Self = Self([Cell::Yes; 7]);

    /// The same, but not supported by `method`, with a remedy.
    pub const fn without(mut self, method: MethodKind, remedy: &'static str) -> Self {
        self.0[method as usize] = Cell::No(remedy);
        self
    }

    /// The same, with a remark about `method`.
    pub const fn note(mut self, method: MethodKind, remark: &'static str) -> Self {
        self.0[method as usize] = Cell::Note(remark);
        self
    }

    /// The same, but absent from `method`.
    pub const fn absent(mut self, method: MethodKind) -> Self {
        self.0[method as usize] = Cell::Absent;
        self
    }

    /// Support by `method`.
    pub fn by(&self, method: MethodKind) -> Cell {
        self.0[method as usize]
    }
}

/// A kind of element in a world, or an option.
#[derive(Clone, Copy)]
pub struct Feature {
    /// Its name in the table.
    pub name: &'static str,
    /// Finds the first one and describes it: source location and kind, or option and value.
    pub find: fn(&World, &Options) -> Option<String>,
    /// Support by the methods.
    pub support: Support,
}

/// Features of contact and sensing.
const OTHERS: [Feature; 11] = [
    Feature {
        name: "contact between rigid geoms",
        find: |_, _| None, // only a step can tell whether they touch
        support: Support::EVERYWHERE
            .note(MethodKind::Continuous, "until they touch, which is an error: make one of them compliant"),
    },
    Feature {
        name: "compliant geoms (contact patches)",
        find: |world, _| {
            let geom = world.geoms.iter().find(|g| g.contact.compliance == Compliance::Compliant)?;
            Some(format!("{}: geom \"{}\" is compliant", geom.source, geom.name))
        },
        support: Support::EVERYWHERE
            .note(MethodKind::Learned, "as rigid")
            .note(MethodKind::Rigid, "as rigid")
            .without(MethodKind::Gpu, "make it rigid"),
    },
    Feature {
        name: "mocap bodies",
        find: |world, _| {
            let body = world.bodies.iter().find(|b| b.mocap)?;
            Some(format!("{}: body \"{}\" is moved from outside", body.source, body.name))
        },
        support: Support::EVERYWHERE
            .note(MethodKind::Learned, "while it touches nothing or stands still")
            .without(MethodKind::Gpu, "give it joints"),
    },
    Feature {
        name: "contact pairs with properties of their own",
        find: |world, _| {
            Some(format!("{}: a contact pair has properties of its own", world.pairs.first()?.source))
        },
        support: Support::EVERYWHERE
            .without(MethodKind::Continuous, "give the properties to its geoms")
            .note(MethodKind::Learned, "friction and compliance are the law's own"),
    },
    Feature {
        name: "torsional and rolling friction of points, friction by direction",
        find: |world, _| {
            let collides = |g: &&stiction_model::Geom| g.role != stiction_model::GeomRole::Visual;
            if let Some(geom) = world.geoms.iter().filter(collides).find(|g| g.contact.turns()) {
                return Some(format!("{}: geom \"{}\" resists turning", geom.source, geom.name));
            }
            let pair = world.pairs.iter().find(|p| p.contact.turns())?;
            Some(format!("{}: a contact pair has friction by direction or resists turning", pair.source))
        },
        support: Support::EVERYWHERE
            .note(MethodKind::Continuous, "not used: patches resist turning by their pressure")
            .note(MethodKind::Learned, "not used: the law has its own friction")
            .note(MethodKind::Rigid, "not used: impacts have sliding friction alone")
            .without(MethodKind::Derivatives, "let sliding friction act alone (condim 3)")
            .without(MethodKind::Gpu, "let sliding friction act alone (condim 3)"),
    },
    Feature {
        name: "restitution of points",
        find: |world, _| {
            let bounces = |c: &stiction_model::ContactProperties| c.restitution.is_some_and(|e| e > 0.0);
            if let Some(geom) = world.geoms.iter().find(|g| bounces(&g.contact)) {
                return Some(format!("{}: geom \"{}\" has a restitution", geom.source, geom.name));
            }
            let pair = world.pairs.iter().find(|p| bounces(&p.contact))?;
            Some(format!("{}: a contact pair has a restitution", pair.source))
        },
        support: Support::EVERYWHERE
            .without(MethodKind::Continuous, "let the dissipation decide the bounce")
            .without(MethodKind::Learned, "leave it out; the law has its own impacts")
            .without(MethodKind::Rigid, "give the restitution to the impact instead")
            .without(MethodKind::Derivatives, "let the dissipation decide the bounce")
            .without(MethodKind::Gpu, "let the dissipation decide the bounce"),
    },
    Feature {
        name: "moving surfaces (belts)",
        find: |world, _| {
            let geom = world.geoms.iter().find(|g| g.surface_velocity.is_some())?;
            Some(format!("{}: geom \"{}\" has a moving surface", geom.source, geom.name))
        },
        support: Support::EVERYWHERE
            .without(MethodKind::Learned, "remove the surface velocity")
            .without(MethodKind::Gpu, "remove the surface velocity"),
    },
    Feature {
        name: "sensors of accelerations and forces",
        find: |world, _| {
            let sensor = world.sensors.iter().find(|s| s.kind.reads_forces())?;
            Some(format!("{}: sensor \"{}\" reads accelerations or forces", sensor.source, sensor.name))
        },
        support: Support::EVERYWHERE
            .without(MethodKind::Continuous, "remove the sensor")
            .without(MethodKind::Learned, "remove the sensor")
            .note(MethodKind::Rigid, "not read")
            .note(MethodKind::Gpu, "not read"),
    },
    Feature {
        name: "geoms other than spheres, boxes, capsules and planes",
        find: |world, _| {
            use stiction_model::Shape::{Box, Capsule, HalfSpace, Sphere};
            let plain = |g: &&stiction_model::Geom| {
                matches!(g.shape, Sphere { .. } | Box { .. } | Capsule { .. } | HalfSpace { .. })
            };
            let collides = |g: &&stiction_model::Geom| g.role != stiction_model::GeomRole::Visual;
            let geom = world.geoms.iter().filter(collides).find(|g| !plain(g))?;
            Some(format!("{}: geom \"{}\" is of another shape", geom.source, geom.name))
        },
        support: Support::EVERYWHERE
            .without(MethodKind::Gpu, "let spheres, boxes and capsules stand for it, or only show it"),
    },
    Feature {
        name: "locked joints",
        find: |world, _| {
            let joint = world.bodies.iter().flat_map(|b| &b.joints).find(|j| j.locked)?;
            Some(format!("{}: joint \"{}\" is locked", joint.source, joint.name))
        },
        support: Support::EVERYWHERE.without(MethodKind::Gpu, "remove the joint"),
    },
    Feature {
        name: "springs of ball and free joints",
        find: |world, _| {
            use stiction_model::JointKind::{Ball, Free};
            let turns = |j: &&stiction_model::Joint| {
                matches!(j.kind, Ball | Free) && j.dofs.iter().any(|d| d.stiffness > 0.0)
            };
            let joint = world.bodies.iter().flat_map(|b| &b.joints).find(turns)?;
            Some(format!("{}: joint \"{}\" has a spring", joint.source, joint.name))
        },
        support: Support::EVERYWHERE.without(MethodKind::Gpu, "remove the spring"),
    },
];

/// The table: every feature, forces first, options last.
pub fn features() -> impl Iterator<Item = &'static Feature> {
    forces::all().into_iter().flat_map(|force| force.features()).chain(&OTHERS).chain(&OPTIONS)
}

/// The first unsupported feature of a world or of the options, with its remedy. `None` if the method supports all of them.
pub fn refusal(world: &World, options: &Options, method: MethodKind) -> Option<String> {
    refusals(world, options, method).next()
}

/// All unsupported features, with their remedies.
pub fn refusals<'a>(
    world: &'a World,
    options: &'a Options,
    method: MethodKind,
) -> impl Iterator<Item = String> + 'a {
    features().filter_map(move |feature| {
        let Cell::No(remedy) = feature.support.by(method) else { return None };
        let found = (feature.find)(world, options)?;
        let instead = match method {
            MethodKind::Fixed | MethodKind::ErrorControl | MethodKind::Derivatives => "",
            MethodKind::Continuous => ", or choose method = convex",
            MethodKind::Learned => ", or choose another contact",
            MethodKind::Rigid => ", or give the state at the impact",
            MethodKind::Gpu => ", or step it on the processor",
        };
        let does = match method {
            MethodKind::Fixed | MethodKind::Derivatives | MethodKind::Gpu => "do",
            _ => "does",
        };
        Some(format!("{found}, which {} {does} not support: {remedy}{instead}", method.name()))
    })
}

/// The table as a page of the documentation.
pub fn page() -> String {
    let mut out = String::from(
        "# What each method supports\n\n\
         Printed by `stiction inspect --support methods`; errors are made from the same table. `stiction inspect SCENE` says \
         which methods can step a model.\n\n\
         | method | chosen by |\n|---|---|\n\
         | fixed steps | `--step`, the default |\n\
         | error control | `--accuracy` |\n\
         | continuous time | `--method continuous` |\n\
         | learned contact | `--contact FILE`, a contact learned from data |\n\
         | rigid motion | `stiction impact`, `Flight` |\n\
         | derivatives | `sim.step_derivatives`, of fixed steps |\n\
         | steps on a GPU | `GpuBatch` |\n\n\
         The first rows are features of a model, the last rows options (by the names in Python and Rust). An option with \
         another value than its default is an error where the table says no; – means that the method does not take it. \
         What conflicts with another option is an error of its own.\n\n| feature |",
    );
    MethodKind::ALL.iter().for_each(|m| out += &format!(" {} |", m.name()));
    out += "\n|---|";
    MethodKind::ALL.iter().for_each(|_| out += "---|");
    out += "\n";
    for feature in features() {
        out += &format!("| {} |", feature.name);
        for method in MethodKind::ALL {
            out += &match feature.support.by(method) {
                Cell::Yes => " yes |".to_owned(),
                Cell::Note(remark) => format!(" yes: {remark} |"),
                Cell::No(remedy) => format!(" no: {remedy} |"),
                Cell::Absent => " – |".to_owned(),
            };
        }
        out += "\n";
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_in_the_documentation_is_the_table() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/methods.md");
        let written = std::fs::read_to_string(path).unwrap_or_default();
        let remedy = "write it anew with `stiction inspect --support methods > docs/methods.md`";
        assert!(written.trim() == page().trim(), "docs/methods.md differs from methods/support.rs: {remedy}");
    }

    /// Kernels know what they were written for: a feature that is new to the table is none of it until it is listed here.
    #[test]
    fn steps_on_a_gpu_support_only_what_their_kernels_have() {
        let supported: Vec<&str> = features()
            .filter(|feature| !matches!(feature.support.by(MethodKind::Gpu), Cell::No(_) | Cell::Absent))
            .map(|feature| feature.name)
            .collect();
        let known = [
            "applied forces",
            "joint springs and damping",
            "gravity and Coriolis forces",
            "limits of hinges and slides",
            "dry friction of joints",
            "actuators on joints",
            "contact between rigid geoms",
            "contact pairs with properties of their own",
            "sensors of accelerations and forces",
            "`stiction_tolerance`",
            "`tangential_springs`",
            "`regularization`",
            "`relative_tolerance`",
            "`max_iterations`",
            "`friction_passes`",
            "`margin`",
            "`speculative = false`",
            "`limit_stiffness = false`",
        ];
        assert_eq!(supported, known);
    }

    #[test]
    fn every_refusal_names_the_place_the_method_and_a_remedy() {
        for feature in features() {
            for method in MethodKind::ALL {
                let cell = feature.support.by(method);
                let plain = match cell {
                    Cell::Yes | Cell::Absent => true,
                    Cell::Note(text) | Cell::No(text) => !text.is_empty() && !text.ends_with('.'),
                };
                assert!(plain, "{}: {cell:?}", feature.name);
            }
        }
        // A closed loop.
        let model = crate::Model::from_scene("four_bar").unwrap();
        let world = model.world();
        for method in MethodKind::ALL {
            let refused = refusal(world, &Options::default(), method);
            use MethodKind::{Continuous, Gpu, Learned, Rigid};
            let supported = !matches!(method, Continuous | Learned | Rigid | Gpu);
            assert_eq!(refused.is_none(), supported, "{}", method.name());
            if let Some(text) = refused {
                assert!(
                    text.contains("equality") && text.contains(method.name()) && text.contains("inactive"),
                    "{text}"
                );
            }
        }
    }
}

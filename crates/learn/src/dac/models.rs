//! The trained laws that ship, with the command that made each in its provenance.

use stiction_learned::{Law, WeightsError};

/// Names and files.
const SHIPPED: &[(&str, &[u8])] = &[
    ("box", include_bytes!("../../models/box.safetensors")),
    ("prism", include_bytes!("../../models/prism.safetensors")),
    ("box-2d", include_bytes!("../../models/box-2d.safetensors")),
    ("anisotropic", include_bytes!("../../models/anisotropic.safetensors")),
    ("link", include_bytes!("../../models/link.safetensors")),
];

/// Names of the laws that ship.
pub fn names() -> impl Iterator<Item = &'static str> {
    SHIPPED.iter().map(|(name, _)| *name)
}

/// The law of that name, if one ships.
pub fn shipped(name: &str) -> Option<Result<Law, WeightsError>> {
    SHIPPED.iter().find(|(n, _)| *n == name).map(|(_, bytes)| Law::from_bytes(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dac::evaluate::{compare, truth};
    use crate::dac::{Case, instances::STEPS};

    #[test]
    fn shipped_laws_meet_their_targets_on_tosses_they_have_not_seen() {
        for (name, position) in [("box", 0.03), ("prism", 0.03), ("box-2d", 0.05)] {
            let case = Case::named(name).unwrap();
            let law = shipped(name).unwrap().unwrap();
            let ground = truth(&case, 100, STEPS, 999).unwrap();
            let (e, _) = compare(&case, &law, &ground, STEPS);
            assert!(e.position <= position && e.orientation <= 0.2 && e.first <= 0.01, "{name}: {e:?}");
            assert!(e.deepest < 1e-6 && e.failed == 0, "{name}: {e:?}");
        }
        for name in names() {
            let law = shipped(name).unwrap().unwrap();
            assert!(law.provenance["command"].as_str().is_some_and(|c| c.contains("learn train")), "{name}");
        }
    }

    #[test]
    fn an_edge_that_leaves_is_not_held_by_friction_it_cannot_have() {
        // Toss 93 was: its edge lifts off when the classifier says static.
        let case = Case::named("prism").unwrap();
        let law = shipped("prism").unwrap().unwrap();
        let ground = truth(&case, 100, STEPS, 1000).unwrap();
        let (_, each) = compare(&case, &law, &ground, STEPS);
        let worst = each.iter().flatten().map(|e| e.position).fold(0.0, f64::max);
        assert!(worst < 1.0, "{worst}");
    }
}

//! The trained laws that ship, with the command that made each in its provenance.

use stiction::{LearnedContact, LearnedLaw};
use stiction_dac::DacLaw;

/// Names of the laws that ship.
pub fn names() -> impl Iterator<Item = &'static str> {
    LearnedContact::names().filter(|name| shipped(name).is_some())
}

/// The law of that name, if one ships.
pub fn shipped(name: &str) -> Option<DacLaw> {
    match LearnedContact::built_in(name)?.law {
        LearnedLaw::Dac(law) => Some(DacLaw::clone(&law)),
        LearnedLaw::Calibrated(_) => None,
    }
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
            let law = shipped(name).unwrap();
            let ground = truth(&case, 100, STEPS, 999).unwrap();
            let (e, _) = compare(&case, &law, &ground, STEPS);
            assert!(e.position <= position && e.orientation <= 0.2 && e.first <= 0.01, "{name}: {e:?}");
            assert!(e.deepest < 1e-6 && e.failed == 0, "{name}: {e:?}");
        }
        for name in names() {
            let law = shipped(name).unwrap();
            assert!(law.provenance["command"].as_str().is_some_and(|c| c.contains("learn train")), "{name}");
        }
    }

    #[test]
    fn an_edge_that_leaves_is_not_held_by_friction_it_cannot_have() {
        // Toss 93 was: its edge lifts off when the classifier says static.
        let case = Case::named("prism").unwrap();
        let law = shipped("prism").unwrap();
        let ground = truth(&case, 100, STEPS, 1000).unwrap();
        let (_, each) = compare(&case, &law, &ground, STEPS);
        let worst = each.iter().flatten().map(|e| e.position).fold(0.0, f64::max);
        assert!(worst < 1.0, "{worst}");
    }
}

//! Checks that are no statement of a paper: what the project asks of itself.

use super::matches;

/// Reproduction and names of checks; `*` stands for anything.
const OWN: &[(&str, &[&str])] = &[
    ("*", &["*steps that did not converge*"]),
    ("work-precision", &["*"]),
    ("pick-and-place", &["*"]),
    ("falling-block", &["*"]),
    ("compass-gait", &["*"]),
    ("ball-stack", &["*"]),
    ("rimless-wheel", &["worst violation of the inclusion, relative"]),
    (
        "box-wall",
        &["worst violation of the inclusion, relative", "largest kinetic energy after, over that before"],
    ),
];

/// Whether a check is of our own.
pub fn is_own(reproduction: &str, metric: &str) -> bool {
    OWN.iter().any(|(of, metrics)| matches(of, reproduction) && metrics.iter().any(|m| matches(m, metric)))
}

//! The book's page of all reproductions.

use crate::ALL;

/// The page, from the ledger (see [`crate::ledger::markdown`]) and the sections of all reproductions (see
/// [`crate::Outcome::markdown`]).
pub fn page(ledger: &str, sections: &str) -> String {
    let contents: String =
        ALL.iter().map(|r| format!("| [`{0}`](#{0}) | {1} |\n", r.name, r.summary)).collect();
    format!(
        "<!-- Written by `stiction reproduce --all --docs docs`. -->\n\
         # The papers' tables and figures, reproduced\n\n\
         `stiction reproduce NAME` regenerates a figure or table of the papers that Stiction implements, \
         compares it with what the paper or theory says, and exits with 1 if a check fails for which no reason is known. Figures (SVG, PNG), \
         series (CSV), recordings (HTML) and a report go to `out/reproduce`, or where `--out` says; `--json` prints the checks; \
         `--all` runs everything, and without a name it lists what there is. This page was written by \
         `stiction reproduce --all --docs docs`. [The ledger](#the-ledger) says statement by statement what holds.\n\n\
         | name | what |\n|---|---|\n{contents}\n\
         Papers: VLP is *Velocity Level Approximation of Pressure Field Contact Patches* (Masterjohn, Guoy, \
         Shepherd, Castro), PFC is *Pressure Field Contact* (Elandt), ICF is *A Theory of Irrotational Contact \
         Fields* (Castro, Han, Masterjohn), MFI is *Modeling and Analysis of Non-unique Behaviors in Multiple \
         Frictional Impacts* (Halm, Posa), DAC is *Data-Augmented Contact Model for Rigid Body Simulation* (Jiang, \
         Sun, Liu).\n\n{}\n\n{}\n",
        ledger.trim_end(),
        sections.trim_end()
    )
}

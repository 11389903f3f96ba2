//! Means of runs of the pile against one parameter, as a table and as figures.

use super::pile::{DURATION, Run, VARIANTS, Variant};
use crate::failure::Failure;
use crate::report::Table;
use stiction_plot::{Axis, Corner, Figure, Look, Panel, Series};

/// Columns of a variant in a sweep's table.
const QUANTITIES: usize = 7;

/// Means of runs against one parameter.
pub struct Sweep {
    pub label: &'static str,
    /// The parameter; then, for each variant, iterations, condition number, penetration, its geometric mean, unconverged steps, objects that
    /// left the box, largest energy over that at the start.
    pub table: Table,
}

impl Sweep {
    pub fn new(name: &'static str, column: &str, label: &'static str) -> Self {
        let mut table = Table::new(name, &[column]);
        for short in ["lagged", "similar", "sap", "regularized"] {
            for quantity in [
                "iterations",
                "condition",
                "penetration_m",
                "typical_penetration_m",
                "unconverged",
                "left",
                "energy",
            ] {
                table.columns.push(format!("{short}_{quantity}"));
            }
        }
        Self { label, table }
    }

    /// Runs all variants at one value of the parameter.
    pub fn take(&mut self, x: f64, pile: impl Fn(&Variant) -> Result<Run, Failure>) -> Result<(), Failure> {
        let mut row = vec![x];
        for variant in &VARIANTS {
            let run = pile(variant)?;
            if let Some(error) = run.failure {
                return Err(Failure::work(format!("{} at {x:.0e}: {error}", variant.name)));
            }
            row.push(run.mean(0.0, DURATION, |s| s.iterations));
            row.push(run.condition(0.0, DURATION));
            row.push(run.penetration());
            row.push(run.typical_penetration());
            row.push(run.unconverged as f64);
            row.push(run.left as f64);
            row.push(run.energy);
        }
        self.table.rows.push(row);
        Ok(())
    }

    fn column(&self, variant: usize, quantity: usize) -> Vec<[f64; 2]> {
        self.table.rows.iter().map(|row| [row[0], row[1 + QUANTITIES * variant + quantity]]).collect()
    }

    pub fn iterations(&self, variant: usize) -> Vec<[f64; 2]> {
        self.column(variant, 0)
    }

    pub fn condition(&self, variant: usize) -> Vec<[f64; 2]> {
        self.column(variant, 1)
    }

    pub fn penetration(&self, variant: usize) -> Vec<[f64; 2]> {
        self.column(variant, 2)
    }

    pub fn typical_penetration(&self, variant: usize) -> Vec<[f64; 2]> {
        self.column(variant, 3)
    }

    /// Steps of all runs that did not converge.
    pub fn unconverged(&self, variant: usize) -> f64 {
        self.column(variant, 4).iter().map(|p| p[1]).sum()
    }

    /// Objects that left the box, over all runs.
    pub fn left(&self, variant: usize) -> f64 {
        self.column(variant, 5).iter().map(|p| p[1]).sum()
    }

    /// The largest energy of a run over that at its start.
    pub fn energy(&self, variant: usize) -> f64 {
        self.column(variant, 6).iter().map(|p| p[1]).fold(0.0, f64::max)
    }

    fn panel(&self, title: &str, y: Axis, quantity: usize, legend: Corner) -> Panel {
        let series = VARIANTS.iter().enumerate().map(|(k, variant)| {
            Series::new(variant.name, Look::Joined(variant.glyph), variant.color, self.column(k, quantity))
        });
        Panel { title: title.into(), x: Axis::log(self.label), y, series: series.collect(), legend }
    }

    pub fn figure(&self, name: &'static str, caption: &str) -> Figure {
        let most = VARIANTS.iter().enumerate().flat_map(|(k, _)| self.iterations(k)).map(|p| p[1]);
        let count =
            Axis { range: Some([0.0, 1.4 * most.fold(0.0, f64::max)]), ..Axis::linear("Newton iterations") };
        let panels = vec![
            self.panel("Mean iterations", count, 0, Corner::TopLeft),
            self.panel("Mean condition number", Axis::log("condition number"), 1, Corner::TopLeft),
        ];
        Figure { name, caption: caption.into(), panels }
    }

    pub fn penetration_figure(&self) -> Figure {
        let y = Axis::log("mean penetration (m)");
        Figure {
            name: "clutter-penetration",
            caption: "ICF Fig. 17: mean penetration in the last 1.25 s against stiffness, δt = 5 ms. Left the arithmetic mean over \
                      contacts and steps, as in the paper; right the geometric one, which a single rolling sphere does not \
                      move. Similar has a limit of stiffness, about 2e11 N/m here, SAP its near-rigid one, about 1e6 N/m."
                .into(),
            panels: vec![
                self.panel("Arithmetic mean", y, 2, Corner::BottomLeft),
                self.panel("Geometric mean", Axis::log("typical penetration (m)"), 3, Corner::BottomLeft),
            ],
        }
    }
}

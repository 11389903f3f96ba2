//! The set of outcomes as a figure, and as a table.

use super::report::{Found, coordinate, unit};
use crate::failure::Failure;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use stiction::Model;
use stiction_base::whole_file;
use stiction_impact::hull::{convex_hull, outline};
use stiction_impact::{ContactMode, Origin};
use stiction_plot::{Axis, Corner, Figure, Look, Panel, Series, Shape, color, to_svg, write_png};

/// Writes `DIR/<name>.png`, `.svg` and `-outcomes.csv`; returns where they are.
pub fn write(
    folder: &Path,
    name: &str,
    model: &Model,
    found: &Found,
    axes: Option<[usize; 2]>,
) -> Result<Vec<PathBuf>, Failure> {
    let failed = |path: &Path, e: &dyn std::fmt::Display| {
        Failure::work(format!("cannot write {}: {e}; choose another --out", path.display()))
    };
    let [png, svg, csv] = ["png", "svg", "csv"].map(|end| folder.join(format!("{name}-outcomes.{end}")));
    whole_file::write(&csv, table(found).as_bytes()).map_err(|e| failed(&csv, &e))?;
    let mut files = vec![csv];
    if let Some(figure) = figure(model, found, axes) {
        write_png(&figure, &png).map_err(|e| failed(&png, &e))?;
        whole_file::write(&svg, to_svg(&figure).as_bytes()).map_err(|e| failed(&svg, &e))?;
        files.splice(0..0, [png, svg]);
    }
    Ok(files)
}

/// Outcomes over the two velocity coordinates that differ most, or those asked for; none with one coordinate.
fn figure(model: &Model, found: &Found, axes: Option<[usize; 2]>) -> Option<Figure> {
    let set = &found.set;
    let [x, y] = axes.or_else(|| {
        let width = |i: &usize| {
            let [low, high] = found.range(*i);
            high - low
        };
        let mut order: Vec<usize> = (0..set.nv).collect();
        order.sort_by(|a, b| width(b).total_cmp(&width(a)).then(a.cmp(b)));
        (order.len() > 1).then(|| [order[0].min(order[1]), order[0].max(order[1])])
    })?;
    let at = |i: usize| [set.velocity(i)[x], set.velocity(i)[y]];
    let of = |wanted: &dyn Fn(&Origin) -> bool| -> Vec<[f64; 2]> {
        (0..set.len()).filter(|&i| wanted(&set.origins[i])).map(at).collect()
    };
    let samples = of(&|o| matches!(o, Origin::Sample(_)));
    let sequences = of(&|o| matches!(o, Origin::Sequence(_)));
    let sequence_mark = if sequences.len() > 100 { Shape::Dot } else { Shape::Triangle };
    let mut series = Vec::new();
    // The bound from outside: its convex pieces, or its box.
    if let Some((outer, bounds)) = &found.outer {
        let flat = |v: &Vec<f64>| [v[x], v[y]];
        let mut pieces: Vec<Vec<[f64; 2]>> =
            outer.pieces.iter().map(|p| p.iter().map(flat).collect()).collect();
        // A box much wider than the set would hide it; the report has its numbers.
        let fits = |i: usize| {
            let [low, high] = found.range(i);
            bounds[i][1] - bounds[i][0] < 3.0 * (high - low)
        };
        if pieces.is_empty() && fits(x) && fits(y) {
            let ([a, b], [c, d]) = (bounds[x], bounds[y]);
            pieces.push(vec![[a, c], [b, c], [b, d], [a, d]]);
        }
        for (k, piece) in pieces.iter().enumerate() {
            let mut line: Vec<[f64; 2]> = convex_hull(piece).into_iter().map(|i| piece[i]).collect();
            line.extend(line.first().copied());
            series.push(Series::new(
                if k == 0 { "outer bound" } else { "" },
                Look::Dashed,
                color::GREY,
                line,
            ));
        }
    }
    let all: Vec<[f64; 2]> = (0..set.len()).map(at).collect();
    for line in outline(&all) {
        series.push(Series::new("", Look::Line, color::SKY, line));
    }
    series.extend([
        Series::new("sampled outcomes", Look::Marks(Shape::Dot), color::BLUE, samples),
        Series::new("one contact after another", Look::Marks(sequence_mark), color::VERMILLION, sequences),
        Series::new("all at once", Look::Marks(Shape::Square), color::BLACK, of(&|o| *o == Origin::OneShot)),
    ]);
    let axis = |i: usize| Axis::linear(&format!("{} ({})", coordinate(model, i), unit(model, i)));
    // Room for the legend above the points.
    let [low, high] = found.range(y);
    let height = high - low;
    let roomy = (height > 0.0).then_some([low - 0.08 * height, high + 0.65 * height]);
    let panel = Panel {
        title: format!("after the impact at t = {:.4} s", found.state.time),
        x: axis(x),
        y: Axis { range: roomy, ..axis(y) },
        series,
        legend: Corner::TopRight,
    };
    Some(Figure { name: "outcomes", caption: "Velocities after the impact.".into(), panels: vec![panel] })
}

/// One row an outcome.
fn table(found: &Found) -> String {
    let set = &found.set;
    let mut heads = vec!["origin".to_string()];
    heads.extend((0..set.nv).map(|i| format!("v{i}")));
    for c in 0..set.contacts {
        heads.extend(["t1", "t2", "n"].map(|k| format!("impulse{c}_{k}")));
    }
    heads.extend((0..set.contacts).map(|c| format!("mode{c}")));
    let mut text = heads.join(",") + "\n";
    for i in 0..set.len() {
        match &set.origins[i] {
            Origin::OneShot => text += "at once",
            Origin::Sample(k) => {
                let _ = write!(text, "sample {k}");
            }
            Origin::Sequence(order) => {
                let names: Vec<String> = order.iter().map(ToString::to_string).collect();
                let _ = write!(text, "sequence {}", names.join(" "));
            }
        }
        for x in set.velocity(i).iter().chain(set.impulse(i)) {
            let _ = write!(text, ",{x:?}");
        }
        for mode in set.modes_of(i) {
            text += match mode {
                ContactMode::Stick => ",stick",
                ContactMode::Slide => ",slide",
                ContactMode::Separate => ",separate",
            };
        }
        text.push('\n');
    }
    text
}

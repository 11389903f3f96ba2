//! `stiction bench mesh`: a dozen shapes made by code, meshed with the defaults: time, memory, quality.

use super::Measured;
use crate::failure::Failure;
use serde_json::json;
use std::fmt::Write;
use std::time::Instant;
use stiction_geometry::solid::{FillOptions, fill};
use stiction_geometry::surface::shapes;
use stiction_plot::{Axis, Corner, Figure, Look, Panel, Series, Shape, color};

/// Meshes every shape and gives the table.
pub fn mesh() -> Result<Measured, Failure> {
    let (mut rows, mut points) = (Vec::new(), Vec::new());
    let mut text = format!(
        "{:<8} {:>9} {:>8} {:>6} {:>10} {:>6} {:>13} {:>8} {:>9} {:>6}\n",
        "shape",
        "triangles",
        "CPU s",
        "MB",
        "tetrahedra",
        "mm",
        "dihedral deg",
        "volume",
        "off by mm",
        "pieces"
    );
    for name in shapes::NAMES {
        let Some((vertices, triangles)) = shapes::named(name) else { continue };
        forget_peak();
        let begin = (Instant::now(), cpu_seconds());
        let (_, report) = fill(&vertices, &triangles, &FillOptions::default(), &mut |_| {})
            .map_err(|e| Failure::work(format!("{name}: {e}")))?;
        let wall = begin.0.elapsed().as_secs_f64();
        let seconds = cpu_seconds().zip(begin.1).map_or(wall, |(after, before)| after - before);
        let memory = peak_megabytes();
        let m = &report.mesh;
        let angles = format!("{:.1} - {:.1}", m.quality.dihedral_min, m.quality.dihedral_max);
        let volume = m.volume_error.map_or("-".into(), |e| format!("{:+.2} %", 100.0 * e));
        let _ = writeln!(
            text,
            "{name:<8} {:>9} {seconds:>8.2} {:>6} {:>10} {:>6.2} {angles:>13} {volume:>8} {:>9.2} {:>6}",
            triangles.len(),
            memory.map_or("-".into(), |m| format!("{m:.0}")),
            m.tets,
            1e3 * m.resolution,
            1e3 * m.deviation,
            m.components
        );
        points.push([m.tets as f64, seconds]);
        rows.push(json!({
            "shape": name, "triangles": triangles.len(), "cpu_seconds": seconds, "wall_seconds": wall,
            "peak_megabytes": memory,
            "tetrahedra": m.tets, "resolution": m.resolution, "dihedral_min": m.quality.dihedral_min,
            "dihedral_max": m.quality.dihedral_max, "volume_error": m.volume_error, "deviation": m.deviation,
            "components": m.components,
        }));
    }
    text += "MB: largest resident memory of the whole program; volume: error against the surface's own (- where shells overlap); mm: edge length asked for at the surface\n";
    points.sort_unstable_by(|a, b| a[0].total_cmp(&b[0]));
    let figure = Figure {
        name: "bench_mesh",
        caption: "Processor time to mesh a dozen surfaces and make their fields, over the tetrahedra that came out.".into(),
        panels: vec![Panel {
            title: "Mesher".into(),
            x: Axis::log("tetrahedra"),
            y: Axis::log("processor time (s)"),
            series: vec![Series::new("", Look::Marks(Shape::Circle), color::BLUE, points)],
            legend: Corner::TopLeft,
        }],
    };
    Ok(Measured { rows: json!(rows), text, figure: Some(figure) })
}

/// Processor time of this process, s (Linux; elsewhere the clock on the wall is used).
fn cpu_seconds() -> Option<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    let mut fields = stat.rsplit_once(')')?.1.split_ascii_whitespace().skip(11);
    let ticks = || fields.next()?.parse::<f64>().ok();
    let mut ticks = ticks;
    Some((ticks()? + ticks()?) / 100.0)
}

/// Resets the system's count of peak memory (Linux only).
fn forget_peak() {
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}

/// Largest resident memory since then, MB.
fn peak_megabytes() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|l| l.starts_with("VmHWM:"))?;
    Some(line.split_ascii_whitespace().nth(1)?.parse::<f64>().ok()? / 1024.0)
}

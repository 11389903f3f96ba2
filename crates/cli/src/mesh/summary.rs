//! What `stiction mesh` reports, as text and as JSON.

use super::arguments::MeshArguments;
use serde_json::{Value, json};
use std::fmt::Write;
use stiction_geometry::solid::FillReport;

/// What is reported of a mesh.
pub struct Summary<'a> {
    pub arguments: &'a MeshArguments,
    pub report: &'a FillReport,
    /// Seconds that meshing took.
    pub seconds: f64,
    /// Hydroelastic modulus, Pa, if one was given.
    pub modulus: Option<f64>,
    /// Pressure at the core divided by the modulus.
    pub scale: f64,
}

impl Summary<'_> {
    pub fn text(&self) -> String {
        let Self { arguments, report, seconds, modulus, scale } = *self;
        let (m, f) = (&report.mesh, &report.field);
        let mut text = String::new();
        let _ = writeln!(
            text,
            "{}: {} tetrahedra, {} outer triangles in {seconds:.2} s, resolution {:.4} m",
            arguments.surface, f.tets, m.triangles, m.resolution
        );
        let volume =
            m.volume_error.map_or("shells overlap, no reference".into(), |e| format!("{:+.2} %", 100.0 * e));
        let _ = writeln!(
            text,
            "  quality     dihedral angles {:.1} to {:.1} degrees, 1 % below {:.1}; {} piece{}",
            m.quality.dihedral_min,
            m.quality.dihedral_max,
            m.quality.dihedral_percentile,
            m.components,
            if m.components == 1 { "" } else { "s" }
        );
        let _ = writeln!(
            text,
            "  shape       volume {:.4e} m³ ({volume}), surface within {:.2e} m, {} vertices on sharp edges",
            m.volume, m.deviation, m.snapped
        );
        if m.thinnest_wall.is_finite() {
            let _ = writeln!(text, "  walls       {:.2e} m at the thinnest", m.thinnest_wall);
        }
        let _ = writeln!(
            text,
            "  field       up to {:.2e} m deep, characteristic length {:.2e} m{}{}",
            f.depth,
            f.characteristic_length,
            if f.core_vertices > 0 {
                format!(", {} vertices in the core", f.core_vertices)
            } else {
                String::new()
            },
            if f.layers > 0 { format!(", {} layers", f.layers) } else { String::new() },
        );
        if let Some(modulus) = modulus {
            let _ = writeln!(text, "  modulus     {modulus:.4e} Pa, {:.4e} Pa at the core", modulus * scale);
        }
        if let Some(path) = &arguments.output {
            let _ = writeln!(text, "  written     {}", path.display());
        }
        if let Some(path) = &arguments.picture {
            let _ = writeln!(text, "  picture     {}", path.display());
        }
        text
    }

    pub fn json(&self) -> Value {
        let Self { arguments, report, seconds, modulus, scale } = *self;
        let (m, f) = (&report.mesh, &report.field);
        let wall = m.thinnest_wall.is_finite().then_some(m.thinnest_wall);
        json!({
            "surface": arguments.surface,
            "output": arguments.output.as_ref().map(|p| p.display().to_string()),
            "seconds": seconds,
            "resolution": m.resolution,
            "vertices": m.vertices,
            "tetrahedra": f.tets,
            "triangles": m.triangles,
            "components": m.components,
            "dihedral_min": m.quality.dihedral_min,
            "dihedral_max": m.quality.dihedral_max,
            "dihedral_percentile": m.quality.dihedral_percentile,
            "volume": m.volume,
            "volume_error": m.volume_error,
            "deviation": m.deviation,
            "lost_area": m.lost_area,
            "thinnest_wall": wall,
            "snapped": m.snapped,
            "depth": f.depth,
            "characteristic_length": f.characteristic_length,
            "core_vertices": f.core_vertices,
            "layers": f.layers,
            "modulus": modulus,
            "core_pressure": modulus.map(|m| m * scale),
            "notes": report.notes(),
        })
    }
}

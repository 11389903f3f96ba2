//! `stiction mesh`: tetrahedra and a pressure field from any closed surface.
//!
//! | file | |
//! |---|---|
//! | `arguments.rs` | the arguments and the options that they make |
//! | `summary.rs` | the report as text and as JSON |

mod arguments;
mod summary;

pub use arguments::MeshArguments;

use crate::failure::{Failure, print, print_json};
use crate::hint::hint;
use crate::{outlet, progress};
use arguments::{Plane, field_modulus, options};
use std::path::Path;
use std::time::Instant;
use stiction::model::{Mesh, Tetrahedra, Vec3};
use stiction_base::bounded_file;
use stiction_formats::mesh::{read, write_stl, write_vtk};
use stiction_geometry::field::cut;
use stiction_geometry::mesher::Stage;
use stiction_geometry::solid::{Filled, fill};
use stiction_geometry::surface::shapes;
use stiction_plot::{Shaded, write_cut};
use summary::Summary;

/// Meshes a surface, writes the files and prints a summary.
pub fn mesh(arguments: &MeshArguments) -> Result<(), Failure> {
    if arguments.surface == "shape:list" {
        return print(&(shapes::NAMES.join("\n") + "\n"));
    }
    arguments.check()?;
    let surface = read_surface(&arguments.surface, arguments.scale)?;
    if arguments.output.is_none() && arguments.stl.is_none() && arguments.picture.is_none() {
        return Err(Failure::input("nothing to write: give -o BODY.vtk"));
    }
    for (path, option) in
        [(&arguments.output, "--output"), (&arguments.stl, "--stl"), (&arguments.picture, "--picture")]
    {
        if let Some(path) = path {
            outlet::not_an_input(path, option, &[Path::new(&arguments.surface)])?;
            outlet::file(path, option)?;
        }
    }
    let options = options(arguments)?;
    if let Some(path) = &arguments.stl {
        outlet::write(path, &write_stl(&surface), "--stl")?;
        if arguments.output.is_none() && arguments.picture.is_none() {
            return Ok(());
        }
    }
    let bar = progress::bar(6, "{bar:20} {msg}  {elapsed}", arguments.json);
    let begin = Instant::now();
    let result = fill(&surface.vertices, &surface.triangles, &options, &mut |stage| {
        bar.set_message(match stage {
            Stage::Repair => "checking the surface",
            Stage::Lattice => "building the lattice",
            Stage::Cut => "cutting at the surface",
            Stage::Improve => "keeping edges, improving tetrahedra",
            Stage::Check => "measuring quality",
            Stage::Field => "computing the field",
        });
        bar.inc(1);
    });
    bar.finish_and_clear();
    let (filled, report) = result.map_err(|e| Failure::work(format!("{}: {e}", arguments.surface)))?;
    let seconds = begin.elapsed().as_secs_f64();
    let modulus = field_modulus(arguments, &report)?;
    if let Some(path) = &arguments.picture {
        picture(path, arguments.cut, &filled, &arguments.surface)?;
    }
    let scale = filled.scale;
    if let Some(path) = &arguments.output {
        let name = path.file_stem().map_or_else(String::new, |s| s.to_string_lossy().into_owned());
        let tetrahedra = Tetrahedra {
            cells: filled.tets,
            extents: Some(filled.extents),
            modulus: modulus.map(|m| m * scale),
        };
        let solid = Mesh { name, vertices: filled.vertices, tetrahedra: Some(tetrahedra), ..Mesh::default() };
        outlet::write(path, write_vtk(&solid).map_err(Failure::work)?.as_bytes(), "--output")?;
    }
    let summary = Summary { arguments, report: &report, seconds, modulus, scale };
    if arguments.json {
        return print_json(&summary.json());
    }
    for note in report.notes() {
        eprintln!("note: {note}");
    }
    print(&summary.text())
}

/// A surface from a file, or a built-in one.
pub(crate) fn read_surface(name: &str, scale: f64) -> Result<Mesh, Failure> {
    let mut mesh = if let Some(shape) = name.strip_prefix("shape:") {
        let (vertices, triangles) = shapes::named(shape).ok_or_else(|| {
            let (hint, names) = (hint(shape, shapes::NAMES.into_iter()), shapes::NAMES.join(", "));
            Failure::input(format!("no shape is called \"{shape}\"{hint}; there are {names}"))
        })?;
        Mesh { vertices, triangles, ..Mesh::default() }
    } else {
        let bytes = bounded_file::read(Path::new(name)).map_err(|e| {
            let remedy = "check the path, or give shape:NAME for a built-in surface (shape:list lists them)";
            Failure::input(format!("cannot read {name}: {e}; {remedy}"))
        })?;
        read(name, &bytes).map_err(|e| Failure::input(format!("{name}: {e}")))?
    };
    mesh.vertices.iter_mut().for_each(|v| *v *= scale);
    Ok(mesh)
}

/// Draws a cut through the field.
fn picture(path: &Path, plane: Plane, filled: &Filled, name: &str) -> Result<(), Failure> {
    let axis = plane.axis;
    let (low, high) = filled
        .vertices
        .iter()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v[axis]), high.max(v[axis])));
    let place = plane.place.unwrap_or(0.5 * (low + high));
    let mut normal = Vec3::zeros();
    normal[axis] = 1.0;
    // Horizontal and vertical axes of the picture.
    let (u, v) = [(1, 2), (0, 2), (0, 1)][axis];
    let polygons: Vec<Shaded> =
        cut(&filled.vertices, &filled.tets, &filled.extents, &(normal * place), &normal)
            .into_iter()
            .map(|p| Shaded { points: p.points.iter().map(|x| [x[u], x[v]]).collect(), values: p.values })
            .collect();
    let letter = ["x", "y", "z"][axis];
    let title =
        format!("{name}: extent on the plane {letter} = {place:.4} m, {} tetrahedra", filled.tets.len());
    write_cut(path, &title, ["0", "1"], &polygons)
        .map_err(|e| Failure::work(format!("{}: {e}", path.display())))
}

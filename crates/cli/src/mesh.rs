//! `stiction mesh`: tetrahedra and a pressure field from any closed surface.

use crate::failure::{Failure, print};
use crate::hint::hint;
use crate::outlet;
use clap::{Args, ValueEnum};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;
use stiction::model::{Mesh, Tetrahedra, Vec3};
use stiction_formats::mesh::{read, write_stl, write_vtk};
use stiction_geometry::field::{
    Boundary, Core, FieldKind, FieldOptions, Normalization, Region, Stiffening, cut, modulus,
};
use stiction_geometry::mesher::{Floor, MesherOptions, Stage};
use stiction_geometry::solid::{FillOptions, FillReport, Filled, fill};
use stiction_geometry::surface::{ClosedSurface, shapes};
use stiction_plot::{Shaded, write_cut};

/// Arguments of `stiction mesh`.
#[derive(Args)]
pub struct MeshArguments {
    /// A closed surface (.stl, .obj, .gltf, .glb, .dae, .msh), or shape:NAME for one made by code (shape:list names them)
    surface: String,
    /// Where the tetrahedra and their field go (legacy VTK)
    #[arg(short, long, value_name = "BODY.vtk")]
    output: Option<PathBuf>,
    /// Multiply coordinates by this: 0.001 for a file in millimetres
    #[arg(long, default_value_t = 1.0, allow_hyphen_values = true)]
    scale: f64,
    /// Edge length at the surface, m; thin walls are resolved finer [default: found automatically]
    #[arg(long, value_name = "M", allow_hyphen_values = true)]
    resolution: Option<f64>,
    /// Largest edge length inside, m [default: 8 times the resolution]
    #[arg(long, value_name = "M", allow_hyphen_values = true)]
    interior: Option<f64>,
    /// The field: depth over the half thickness, or a solution of Laplace's or Poisson's equation
    #[arg(long, value_enum, default_value_t = Field::Distance)]
    field: Field,
    /// A rigid core: everything below this depth in m, or inside this surface (a file)
    #[arg(long, value_name = "DEPTH|FILE", allow_hyphen_values = true)]
    core: Option<String>,
    /// What a field without core is divided by: the half thickness around, or the largest of all
    #[arg(long, value_enum, default_value_t = Normalize::Local)]
    normalize: Normalize,
    /// Part of the surface that is glued to something rigid; may be repeated. A direction (+x, -x, … : faces that look
    /// that way within 45 degrees) or a box x0,y0,z0,x1,y1,z1
    #[arg(long, value_name = "REGION", allow_hyphen_values = true)]
    rigid: Vec<String>,
    /// Part of the surface without flux (sides); as --rigid, or `sides` for all that is not along z
    #[arg(long, value_name = "REGION", allow_hyphen_values = true)]
    insulated: Vec<String>,
    /// Stiffening k of M = M0 / (1 - k e), 0 to below 1
    #[arg(long, value_name = "K", allow_hyphen_values = true, conflicts_with = "curve")]
    stiffening: Option<f64>,
    /// Pressure over M0 at extents, as e:p,e:p,… from 0:0 to 1:p
    #[arg(long, value_name = "POINTS", allow_hyphen_values = true)]
    curve: Option<String>,
    /// Hydroelastic modulus, Pa: then the file holds pressures, otherwise extents
    #[arg(long, value_name = "PA", allow_hyphen_values = true, conflicts_with = "young")]
    modulus: Option<f64>,
    /// Young's modulus, Pa: the modulus of a thin layer of it is used, or see --contact-radius
    #[arg(long, value_name = "PA", allow_hyphen_values = true)]
    young: Option<f64>,
    /// Poisson's ratio, with --young: above -1 and below 0.5
    #[arg(long, value_name = "NU", default_value_t = 0.3, allow_hyphen_values = true, requires = "young")]
    poisson: f64,
    /// With --young: radius of the contacts to expect, m; narrow ones see a half-space, not a layer
    #[arg(long, value_name = "M", allow_hyphen_values = true, requires = "young")]
    contact_radius: Option<f64>,
    /// Picture (PNG) of a cut through the field
    #[arg(long, value_name = "PNG")]
    picture: Option<PathBuf>,
    /// Plane of the cut: x, y or z through the middle, or x=0.01
    #[arg(long, value_name = "PLANE", default_value = "y", requires = "picture", value_parser = Plane::parse)]
    cut: Plane,
    /// Also write the surface, scaled (binary STL)
    #[arg(long, value_name = "FILE")]
    stl: Option<PathBuf>,
    /// Most cells of the octree
    #[arg(long, default_value_t = 1_000_000, allow_hyphen_values = true)]
    max_cells: usize,
    /// Accept a mesh below the floor of quality
    #[arg(long)]
    accept_poor: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// A plane at right angles to an axis, for the picture.
#[derive(Clone, Copy)]
struct Plane {
    axis: usize,
    /// Along the axis, m; `None` for the middle of the body.
    place: Option<f64>,
}

impl Plane {
    fn parse(text: &str) -> Result<Self, &'static str> {
        let (letter, place) = text.split_once('=').map_or((text, None), |(l, p)| (l, Some(p)));
        let axis = ["x", "y", "z"].iter().position(|a| *a == letter);
        let place = place.map(|p| p.parse().ok().filter(|p: &f64| p.is_finite()));
        match (axis, place) {
            (None, _) | (_, Some(None)) => Err("give x, y or z, or a place as x=0.01"),
            (Some(axis), place) => Ok(Self { axis, place: place.flatten() }),
        }
    }
}

#[derive(Clone, Copy, ValueEnum)]
enum Field {
    Distance,
    Laplace,
    Poisson,
}

#[derive(Clone, Copy, ValueEnum)]
enum Normalize {
    Local,
    Global,
}

/// Meshes and says what came out.
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
        path.iter().try_for_each(|path| outlet::file(path, option))?;
    }
    let options = options(arguments)?;
    if let Some(path) = &arguments.stl {
        outlet::write(path, &write_stl(&surface), "--stl")?;
        if arguments.output.is_none() && arguments.picture.is_none() {
            return Ok(());
        }
    }
    let bar = progress(arguments.json);
    let begin = Instant::now();
    let result = fill(&surface.vertices, &surface.triangles, &options, &mut |stage| {
        bar.set_message(match stage {
            Stage::Repair => "checking the surface",
            Stage::Lattice => "building the lattice",
            Stage::Cut => "cutting at the surface",
            Stage::Improve => "keeping edges, improving tetrahedra",
            Stage::Check => "measuring",
            Stage::Field => "making the field",
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
    if arguments.json {
        let value = summary_json(arguments, &report, seconds, modulus, scale);
        return print(&(serde_json::to_string_pretty(&value).map_err(Failure::work)? + "\n"));
    }
    for note in report.notes() {
        eprintln!("note: {note}");
    }
    print(&summary(arguments, &report, seconds, modulus, scale))
}

impl MeshArguments {
    /// Refuses numbers that no material and no mesh has, before any work is done for them.
    fn check(&self) -> Result<(), Failure> {
        for (option, value) in [
            ("--scale", Some(self.scale)),
            ("--resolution", self.resolution),
            ("--interior", self.interior),
            ("--modulus", self.modulus),
            ("--young", self.young),
            ("--contact-radius", self.contact_radius),
            ("--core", self.core.as_ref().and_then(|core| core.parse().ok())),
        ] {
            within(option, value, |x| x > 0.0 && x.is_finite(), "a positive number")?;
        }
        within(
            "--poisson",
            Some(self.poisson),
            |nu| nu > -1.0 && nu < 0.5,
            "a number above -1 and below 0.5",
        )?;
        within(
            "--stiffening",
            self.stiffening,
            |k| (0.0..1.0).contains(&k),
            "a number from 0 up to, but not, 1",
        )
    }
}

/// Checks the value of an option, if it was given.
fn within(option: &str, value: Option<f64>, fine: fn(f64) -> bool, allowed: &str) -> Result<(), Failure> {
    match value {
        Some(value) if !fine(value) => {
            Err(Failure::input(format!("{option} {value} is not allowed: give {allowed}")))
        }
        _ => Ok(()),
    }
}

/// A surface from a file, or one made by code.
pub(crate) fn read_surface(name: &str, scale: f64) -> Result<Mesh, Failure> {
    let mut mesh = if let Some(shape) = name.strip_prefix("shape:") {
        let (vertices, triangles) = shapes::named(shape).ok_or_else(|| {
            let (hint, names) = (hint(shape, shapes::NAMES.into_iter()), shapes::NAMES.join(", "));
            Failure::input(format!("no shape is called \"{shape}\"{hint}; there are {names}"))
        })?;
        Mesh { vertices, triangles, ..Mesh::default() }
    } else {
        let bytes = std::fs::read(name).map_err(|e| {
            let remedy =
                "check the path, or give shape:NAME for a surface made by code (shape:list names them)";
            Failure::input(format!("cannot read {name}: {e}; {remedy}"))
        })?;
        read(name, &bytes).map_err(|e| Failure::input(format!("{name}: {e}")))?
    };
    mesh.vertices.iter_mut().for_each(|v| *v *= scale);
    Ok(mesh)
}

fn progress(hidden: bool) -> ProgressBar {
    let bar = if hidden { ProgressBar::hidden() } else { ProgressBar::new(6) };
    let style = ProgressStyle::with_template("{bar:20} {msg}  {elapsed}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar
}

fn options(arguments: &MeshArguments) -> Result<FillOptions, Failure> {
    let core = match &arguments.core {
        None => Core::None,
        Some(text) => match text.parse::<f64>() {
            Ok(depth) => Core::Depth(depth),
            Err(_) => {
                let mesh = read_surface(text, arguments.scale)?;
                let (core, _) = ClosedSurface::new(&mesh.vertices, &mesh.triangles)
                    .map_err(|e| Failure::input(format!("--core {text}: {e}")))?;
                Core::Surface(Box::new(core))
            }
        },
    };
    let mut regions = Vec::new();
    for (list, boundary) in [(&arguments.insulated, Boundary::Insulated), (&arguments.rigid, Boundary::Rigid)]
    {
        for text in list {
            let named = Region::named(text).map_err(Failure::input)?;
            regions.extend(named.into_iter().map(|r| (r, boundary)));
        }
    }
    let stiffening = match (arguments.stiffening, &arguments.curve) {
        (Some(k), _) => Stiffening::Hyperbolic { k },
        (None, Some(text)) => Stiffening::Curve(points(text)?),
        (None, None) => Stiffening::Linear,
    };
    let floor = if arguments.accept_poor {
        Floor { dihedral: 0.0, volume_error: f64::INFINITY, lost_area: f64::INFINITY }
    } else {
        Floor::default()
    };
    Ok(FillOptions {
        mesher: MesherOptions {
            resolution: arguments.resolution,
            interior: arguments.interior,
            most_cells: arguments.max_cells,
            floor,
            ..MesherOptions::default()
        },
        field: FieldOptions {
            kind: match arguments.field {
                Field::Distance => FieldKind::Distance,
                Field::Laplace => FieldKind::Laplace,
                Field::Poisson => FieldKind::Poisson,
            },
            core,
            normalization: match arguments.normalize {
                Normalize::Local => Normalization::Local,
                Normalize::Global => Normalization::Global,
            },
            regions,
            stiffening,
            ..FieldOptions::default()
        },
    })
}

fn points(text: &str) -> Result<Vec<(f64, f64)>, Failure> {
    let point = |word: &str| {
        let (e, p) = word.split_once(':')?;
        Some((e.trim().parse().ok()?, p.trim().parse().ok()?))
    };
    let points: Vec<(f64, f64)> = text
        .split(',')
        .map(|word| {
            point(word).ok_or_else(|| Failure::input(format!("--curve: \"{word}\" is not e:p, as 0.5:0.8")))
        })
        .collect::<Result<_, Failure>>()?;
    let rises = points.windows(2).all(|w| w[0].0 < w[1].0 && w[0].1 < w[1].1);
    let ends = points.first() == Some(&(0.0, 0.0)) && points.last().is_some_and(|p| p.0 == 1.0);
    if rises && ends && points.iter().all(|p| p.1.is_finite()) {
        Ok(points)
    } else {
        let remedy = "give points that rise all the way from 0:0 to 1:p, as 0:0,0.5:0.3,1:1";
        Err(Failure::input(format!("--curve {text} is not allowed: {remedy}")))
    }
}

/// The modulus asked for, Pa: given, or of the material.
fn field_modulus(arguments: &MeshArguments, report: &FillReport) -> Result<Option<f64>, Failure> {
    let from_young = arguments.young.map(|young| match arguments.contact_radius {
        Some(radius) => {
            modulus::contact(young, arguments.poisson, report.field.characteristic_length, radius)
        }
        None => modulus::layer(young, arguments.poisson),
    });
    // Each number is sound by itself; together they may still be beyond all numbers.
    if from_young.is_some_and(|modulus| !modulus.is_finite()) {
        let remedy = "give a smaller --young, or a --poisson further from 0.5, or a larger --contact-radius";
        return Err(Failure::input(format!("the modulus of --young comes out infinite: {remedy}")));
    }
    Ok(arguments.modulus.or(from_young))
}

fn picture(path: &Path, plane: Plane, filled: &Filled, name: &str) -> Result<(), Failure> {
    let axis = plane.axis;
    let (low, high) = filled
        .vertices
        .iter()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v[axis]), high.max(v[axis])));
    let place = plane.place.unwrap_or(0.5 * (low + high));
    let mut normal = Vec3::zeros();
    normal[axis] = 1.0;
    // Horizontal and vertical on the page.
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

fn summary(
    arguments: &MeshArguments,
    report: &FillReport,
    seconds: f64,
    modulus: Option<f64>,
    scale: f64,
) -> String {
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

fn summary_json(
    arguments: &MeshArguments,
    report: &FillReport,
    seconds: f64,
    modulus: Option<f64>,
    scale: f64,
) -> Value {
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

//! The arguments of `stiction mesh`, and the options that they make.

use super::read_surface;
use crate::failure::Failure;
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use stiction_geometry::field::{
    Boundary, Core, FieldKind, FieldOptions, Normalization, Region, Stiffening, modulus,
};
use stiction_geometry::mesher::{Floor, MesherOptions};
use stiction_geometry::solid::{FillOptions, FillReport};
use stiction_geometry::surface::ClosedSurface;

/// Arguments of `stiction mesh`.
#[derive(Args)]
pub struct MeshArguments {
    /// A closed surface (.stl, .obj, .gltf, .glb, .dae, .msh), or shape:NAME for a built-in one (shape:list lists them)
    pub surface: String,
    /// Write the tetrahedra and their field to this file (legacy VTK)
    #[arg(short, long, value_name = "BODY.vtk")]
    pub output: Option<PathBuf>,
    /// Multiply coordinates by this: 0.001 for a file in millimetres
    #[arg(long, default_value_t = 1.0, allow_hyphen_values = true)]
    pub scale: f64,
    /// Edge length at the surface, m; thin walls are resolved finer [default: found automatically]
    #[arg(long, value_name = "M", allow_hyphen_values = true)]
    resolution: Option<f64>,
    /// Largest edge length inside, m [default: 8 times the resolution]
    #[arg(long, value_name = "M", allow_hyphen_values = true)]
    interior: Option<f64>,
    /// The field: depth divided by the half thickness, or a solution of Laplace's or Poisson's equation
    #[arg(long, value_enum, default_value_t = Field::Distance)]
    field: Field,
    /// A rigid core: everything below this depth in m, or inside this surface (a file)
    #[arg(long, value_name = "DEPTH|FILE", allow_hyphen_values = true)]
    core: Option<String>,
    /// Normalise a field without a core by the local half thickness, or by the largest one
    #[arg(long, value_enum, default_value_t = Normalize::Local)]
    normalize: Normalize,
    /// Part of the surface that is attached to something rigid; may be repeated. A direction (+x, -x, …: faces whose normal
    /// is within 45 degrees of it) or a box x0,y0,z0,x1,y1,z1
    #[arg(long, value_name = "REGION", allow_hyphen_values = true)]
    rigid: Vec<String>,
    /// Part of the surface without flux; as --rigid, or `sides` for all faces that do not face along z
    #[arg(long, value_name = "REGION", allow_hyphen_values = true)]
    insulated: Vec<String>,
    /// Stiffening k of M = M0 / (1 - k e), from 0 to below 1
    #[arg(long, value_name = "K", allow_hyphen_values = true, conflicts_with = "curve")]
    stiffening: Option<f64>,
    /// Pressure over M0 at extents, as e:p,e:p,… from 0:0 to 1:p
    #[arg(long, value_name = "POINTS", allow_hyphen_values = true)]
    curve: Option<String>,
    /// Hydroelastic modulus, Pa: the file then holds pressures instead of extents
    #[arg(long, value_name = "PA", allow_hyphen_values = true, conflicts_with = "young")]
    modulus: Option<f64>,
    /// Young's modulus, Pa: gives the modulus of a thin layer; see also --contact-radius
    #[arg(long, value_name = "PA", allow_hyphen_values = true)]
    young: Option<f64>,
    /// Poisson's ratio, with --young: above -1 and below 0.5
    #[arg(long, value_name = "NU", default_value_t = 0.3, allow_hyphen_values = true, requires = "young")]
    poisson: f64,
    /// With --young: expected radius of the contacts, m; a narrow contact sees a half-space, not a layer
    #[arg(long, value_name = "M", allow_hyphen_values = true, requires = "young")]
    contact_radius: Option<f64>,
    /// Write a picture (PNG) of a cut through the field
    #[arg(long, value_name = "PNG")]
    pub picture: Option<PathBuf>,
    /// Plane of the cut: x, y or z through the middle, or x=0.01
    #[arg(long, value_name = "PLANE", default_value = "y", requires = "picture", value_parser = Plane::parse)]
    pub cut: Plane,
    /// Also write the surface, scaled (binary STL)
    #[arg(long, value_name = "FILE")]
    pub stl: Option<PathBuf>,
    /// Maximum number of octree cells
    #[arg(long, default_value_t = 1_000_000, allow_hyphen_values = true)]
    max_cells: usize,
    /// Accept a mesh below the minimum quality
    #[arg(long)]
    accept_poor: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// A plane perpendicular to an axis, for the picture.
#[derive(Clone, Copy)]
pub struct Plane {
    /// 0, 1 or 2 for x, y or z.
    pub axis: usize,
    /// Coordinate along the axis, m; `None` for the middle of the body.
    pub place: Option<f64>,
}

impl Plane {
    fn parse(text: &str) -> Result<Self, &'static str> {
        let (letter, place) = text.split_once('=').map_or((text, None), |(l, p)| (l, Some(p)));
        let axis = ["x", "y", "z"].iter().position(|a| *a == letter);
        let place = place.map(|p| p.parse().ok().filter(|p: &f64| p.is_finite()));
        match (axis, place) {
            (None, _) | (_, Some(None)) => Err("give x, y or z, or a position such as x=0.01"),
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

impl MeshArguments {
    /// Checks the numbers before any work is done.
    pub fn check(&self) -> Result<(), Failure> {
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
        within("--stiffening", self.stiffening, |k| (0.0..1.0).contains(&k), "a number from 0 to below 1")
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

/// Options of the mesher and of the field.
pub fn options(arguments: &MeshArguments) -> Result<FillOptions, Failure> {
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

/// Points of `--curve`.
fn points(text: &str) -> Result<Vec<(f64, f64)>, Failure> {
    let point = |word: &str| {
        let (e, p) = word.split_once(':')?;
        Some((e.trim().parse().ok()?, p.trim().parse().ok()?))
    };
    let points: Vec<(f64, f64)> = text
        .split(',')
        .map(|word| {
            point(word)
                .ok_or_else(|| Failure::input(format!("--curve: \"{word}\" is not e:p, such as 0.5:0.8")))
        })
        .collect::<Result<_, Failure>>()?;
    let rises = points.windows(2).all(|w| w[0].0 < w[1].0 && w[0].1 < w[1].1);
    let ends = points.first() == Some(&(0.0, 0.0)) && points.last().is_some_and(|p| p.0 == 1.0);
    if rises && ends && points.iter().all(|p| p.1.is_finite()) {
        Ok(points)
    } else {
        let remedy = "give points that rise from 0:0 to 1:p, such as 0:0,0.5:0.3,1:1";
        Err(Failure::input(format!("--curve {text} is not allowed: {remedy}")))
    }
}

/// The hydroelastic modulus, Pa: as given, or from the material.
pub fn field_modulus(arguments: &MeshArguments, report: &FillReport) -> Result<Option<f64>, Failure> {
    let from_young = arguments.young.map(|young| match arguments.contact_radius {
        Some(radius) => {
            modulus::contact(young, arguments.poisson, report.field.characteristic_length, radius)
        }
        None => modulus::layer(young, arguments.poisson),
    });
    // Each number is in its range, but their combination may overflow.
    if from_young.is_some_and(|modulus| !modulus.is_finite()) {
        let remedy = "give a smaller --young, or a --poisson further from 0.5, or a larger --contact-radius";
        return Err(Failure::input(format!("the modulus computed from --young is infinite: {remedy}")));
    }
    Ok(arguments.modulus.or(from_young))
}

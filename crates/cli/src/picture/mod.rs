//! `stiction picture`: a scene as a PNG file, without a screen. `arguments.rs` has the size and the camera, also of films.

mod arguments;

pub use arguments::{CameraArguments, Size};

use crate::failure::{Failure, print};
use crate::outlet;
use crate::scene::ReadArguments;
use clap::{Args, ValueEnum};
use std::path::{Path, PathBuf};
use std::time::Instant;
use stiction::{Options, Simulation};
use stiction_picture::{Look, Marks, Renderer, Shapes};

/// Arguments of `stiction picture`.
#[derive(Args)]
pub struct PictureArguments {
    #[command(flatten)]
    read: ReadArguments,
    /// The file to write [default: SCENE.png]
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Simulated time before the picture is taken, s
    #[arg(long, default_value_t = 0.0, allow_hyphen_values = true)]
    time: f64,
    /// Start from this keyframe, by name or number
    #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
    keyframe: Option<String>,
    /// Width and height, pixels
    #[arg(long, value_name = "WIDTHxHEIGHT", default_value = "1280x720")]
    size: Size,
    #[command(flatten)]
    camera: CameraArguments,
    /// What a pixel tells
    #[arg(long, value_enum, default_value_t)]
    kind: Kind,
    /// Draw the shapes that collide instead of the visual ones
    #[arg(long)]
    collision: bool,
    /// Draw the forces of contacts as arrows
    #[arg(long)]
    forces: bool,
    /// Do not draw contact patches
    #[arg(long)]
    no_patches: bool,
}

/// What a pixel tells.
#[derive(Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// Colour
    #[default]
    Color,
    /// Distance along the camera's axis, in mm, as 16-bit grey: 65535 is 65.535 m, more, or nothing
    Depth,
    /// Index of the geom plus one, as 16-bit grey: 0 is nothing
    Segmentation,
}

/// Takes the picture.
pub fn picture(arguments: &PictureArguments) -> Result<(), Failure> {
    if !(arguments.time >= 0.0 && arguments.time.is_finite()) {
        let message = format!("--time {} is not allowed: give zero or more seconds", arguments.time);
        return Err(Failure::input(message));
    }
    let marks = Marks { patches: !arguments.no_patches, forces: arguments.forces };
    if arguments.kind != Kind::Color && (arguments.forces || arguments.no_patches) {
        return Err(Failure::input("--forces and --no-patches are for --kind color: leave them out"));
    }
    let path = arguments.out.clone().unwrap_or_else(|| format!("{}.png", arguments.read.name()).into());
    outlet::not_an_input(&path, "--out", &[Path::new(&arguments.read.scene)])?;
    outlet::file(&path, "--out")?;
    let model = arguments.read.load()?;
    let step = model.world().options.step.unwrap_or(1e-3);
    let mut simulation =
        Simulation::new(&model, Options { step, ..Options::default() }).map_err(Failure::input)?;
    if let Some(keyframe) = &arguments.keyframe {
        simulation.reset_to_keyframe(keyframe).map_err(Failure::input)?;
    }
    let end = simulation.state().time + arguments.time;
    while simulation.step_towards(end).map_err(Failure::work)? {}
    let shapes = if arguments.collision { Shapes::Collision } else { Shapes::Visual };
    let mut renderer = Renderer::new(&model, Look { shapes, marks, ..Look::default() });
    let viewpoint = arguments.camera.viewpoint(&renderer, &simulation)?;
    let Size { width, height } = arguments.size;
    let clock = Instant::now();
    let bytes = match arguments.kind {
        Kind::Color => {
            renderer.picture(&simulation, &viewpoint, width, height).map_err(Failure::input)?.png()
        }
        kind => {
            let sight = renderer.sight(&simulation, &viewpoint, width, height).map_err(Failure::input)?;
            match kind {
                Kind::Depth => sight.depth_png(),
                _ => sight.segmentation_png(),
            }
        }
    };
    let drawing = clock.elapsed().as_secs_f64();
    outlet::write(&path, &bytes, "--out")?;
    let time = simulation.state().time;
    let path = path.display();
    print(&format!("{path}: {width} × {height} pixels at t = {time:.3} s, drawn in {drawing:.2} s\n"))
}

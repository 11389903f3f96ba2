//! `stiction inspect`: print what was read from a model.

use crate::failure::{Failure, print, print_json};
use crate::outlet;
use crate::scene::ReadOptions;
use clap::Args;
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use stiction::methods::support::{self as methods, MethodKind};
use stiction::model::{Body, Geom, JointKind};
use stiction::{Format, Model, Options, export, support};

/// Arguments of `stiction inspect`.
#[derive(Args)]
pub struct InspectArguments {
    /// A model file (.xml MJCF, .urdf, .sdf, .dmd.yaml) or the name of a built-in scene (see `stiction scenes`)
    #[arg(required_unless_present = "support")]
    scene: Option<String>,
    #[command(flatten)]
    read: ReadOptions,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Print how every element and attribute of a format is supported, or what each method of stepping supports, instead of a
    /// model
    #[arg(long, value_name = "TABLE", conflicts_with = "scene")]
    support: Option<SupportTable>,
    /// Write the model, flattened, in another format, and print what the format cannot express
    #[arg(long, value_name = "FORMAT", conflicts_with = "json")]
    export: Option<ExportName>,
    /// File that --export writes (default: the model's name in the current folder)
    #[arg(short, long, value_name = "FILE", requires = "export")]
    output: Option<PathBuf>,
}

/// A format that models are written in.
#[derive(Clone, Copy, clap::ValueEnum)]
enum ExportName {
    Mjcf,
    Urdf,
}

/// A table of what is supported: of a format's elements, or of the methods of stepping.
#[derive(Clone, Copy, clap::ValueEnum)]
enum SupportTable {
    Mjcf,
    Urdf,
    Sdf,
    Methods,
}

/// Prints what was read.
pub fn inspect(arguments: &InspectArguments) -> Result<(), Failure> {
    if let Some(table) = arguments.support {
        return print(&match table {
            SupportTable::Mjcf => support(Format::Mjcf),
            SupportTable::Urdf => support(Format::Urdf),
            SupportTable::Sdf => support(Format::Sdf),
            SupportTable::Methods => methods::page(),
        });
    }
    let model = arguments.read.load(arguments.scene.as_deref().unwrap_or_default())?;
    if let Some(format) = arguments.export {
        let input = Path::new(arguments.scene.as_deref().unwrap_or_default());
        return write(&model, format, arguments.output.as_deref(), input);
    }
    if arguments.json {
        return print_json(&report(&model));
    }
    print(&table(&model))
}

/// Writes the model and its mesh files, and prints what was lost.
fn write(model: &Model, format: ExportName, output: Option<&Path>, input: &Path) -> Result<(), Failure> {
    let (format, extension) = match format {
        ExportName::Mjcf => (Format::Mjcf, "xml"),
        ExportName::Urdf => (Format::Urdf, "urdf"),
    };
    let exported = export(model.world(), format).map_err(Failure::input)?;
    let path = match output {
        Some(path) => path.to_path_buf(),
        None => {
            let plain = |c: char| if c.is_alphanumeric() || c == '_' || c == '-' { c } else { '_' };
            let stem: String = model.world().name.chars().map(plain).collect();
            PathBuf::from(format!("{stem}_flat.{extension}"))
        }
    };
    outlet::not_an_input(&path, "--output", &[input])?;
    let folder = path.parent().unwrap_or(Path::new(""));
    for (name, bytes) in &exported.files {
        // Beside the model that was read, a mesh of that name may be one of its own.
        let beside = input.parent().unwrap_or(Path::new("")).join(name);
        if std::fs::read(folder.join(name)).is_ok_and(|there| there != *bytes) {
            outlet::not_an_input(&folder.join(name), "--output", &[&beside])?;
        }
    }
    outlet::write(&path, exported.text.as_bytes(), "--output")?;
    for (name, bytes) in &exported.files {
        outlet::write(&folder.join(name), bytes, "--output")?;
    }
    let mut text = format!("wrote {}", path.display());
    if !exported.files.is_empty() {
        let _ = write!(text, " and {} mesh files beside it", exported.files.len());
    }
    text.push('\n');
    for loss in &exported.losses {
        let _ = writeln!(text, "  lost: {loss}");
    }
    print(&text)
}

/// How a body is attached to its parent, in words.
fn attachment(body: &Body, model: &Model) -> String {
    let parent = body.parent.map_or("", |p| model.world().bodies[p].name.as_str());
    if body.mocap {
        return "mocap".into();
    }
    match body.joints.first().map(|j| j.kind) {
        None => format!("welded to {parent}"),
        Some(JointKind::Free) => "free".into(),
        Some(_) => {
            let kinds: Vec<&str> = body.joints.iter().map(|j| j.kind.word()).collect();
            format!("{} on {parent}", kinds.join("+"))
        }
    }
}

fn geom_name(geom: &Geom, index: usize) -> String {
    if geom.name.is_empty() { format!("#{index}") } else { geom.name.clone() }
}

fn report(model: &Model) -> Value {
    let world = model.world();
    let bodies: Vec<Value> = world
        .bodies
        .iter()
        .map(|b| {
            json!({
                "name": b.name,
                "mass": b.inertia.mass,
                "com": b.inertia.com.as_slice(),
                "parent": b.parent.map(|p| world.bodies[p].name.clone()),
                "attachment": attachment(b, model),
            })
        })
        .collect();
    let limit = |x: f64| if x.is_finite() { json!(x) } else { Value::Null };
    let joints: Vec<Value> = world
        .joints()
        .map(|(b, j)| {
            json!({
                "name": j.name,
                "type": j.kind.word(),
                "body": world.bodies[b].name,
                "nq": j.kind.nq(),
                "nv": j.kind.nv(),
                "limits": j.dofs.iter().map(|d| json!([limit(d.lower), limit(d.upper)])).collect::<Vec<_>>(),
                "damping": j.dofs.iter().map(|d| d.damping).collect::<Vec<_>>(),
                "armature": j.dofs.iter().map(|d| d.armature).collect::<Vec<_>>(),
            })
        })
        .collect();
    let geoms: Vec<Value> = world
        .geoms
        .iter()
        .enumerate()
        .map(|(i, g)| {
            json!({
                "name": geom_name(g, i),
                "body": world.bodies[g.body].name,
                "shape": world.shape_word(&g.shape),
                "role": format!("{:?}", g.role).to_lowercase(),
                "static_friction": g.contact.static_friction,
                "dynamic_friction": g.contact.dynamic_friction,
                "stiffness": g.contact.stiffness,
            })
        })
        .collect();
    let warnings: Vec<Value> = model
        .warnings()
        .iter()
        .map(|w| {
            json!({
                "file": w.source.file, "element": w.source.element, "line": w.source.line, "message": w.message,
            })
        })
        .collect();
    json!({
        "name": world.name,
        "nq": model.nq(),
        "nv": model.nv(),
        "nu": model.nu(),
        "na": model.na(),
        "total_mass": model.total_mass(),
        "gravity": world.options.gravity.as_slice(),
        "bodies": bodies,
        "joints": joints,
        "geoms": geoms,
        "actuators": world.actuators.iter().map(|a| a.name.clone()).collect::<Vec<_>>(),
        "tendons": world.tendons.iter().map(|t| t.name.clone()).collect::<Vec<_>>(),
        "bushings": world.bushings.iter().map(|b| b.name.clone()).collect::<Vec<_>>(),
        "sensors": world.sensors.iter().map(|s| s.name.clone()).collect::<Vec<_>>(),
        "keyframes": world.keyframes.iter().map(|k| k.name.clone()).collect::<Vec<_>>(),
        "warnings": warnings,
    })
}

fn table(model: &Model) -> String {
    let world = model.world();
    let mut text = String::new();
    let mut line = |s: String| {
        text.push_str(&s);
        text.push('\n');
    };
    line(format!(
        "{}: {} bodies, {} joints, {} geoms, {} actuators, {} tendons, {} sensors",
        world.name,
        world.bodies.len() - 1,
        world.joints().count(),
        world.geoms.len(),
        model.nu(),
        world.tendons.len(),
        world.sensors.len()
    ));
    line(format!(
        "nq {}, nv {}, nu {}, total mass {:.6} kg\n",
        model.nq(),
        model.nv(),
        model.nu(),
        model.total_mass()
    ));
    let of = |method: &MethodKind| methods::refusal(world, &Options::default(), *method).is_none();
    let able: Vec<&str> = MethodKind::ALL.iter().filter(|m| of(m)).map(|m| m.name()).collect();
    line(format!("supported by: {}\n", able.join(", ")));
    // One width for all names, so that the columns of the tables align.
    let bodies =
        world.bodies.iter().map(|b| b.name.clone()).chain(world.joints().map(|(_, j)| j.name.clone()));
    let names = bodies.chain(world.geoms.iter().enumerate().map(|(i, g)| geom_name(g, i)));
    let width = names.map(|name| name.chars().count()).max().unwrap_or(5).clamp(5, 32);
    line(format!("{:<width$}  {:>12}  attachment", "body", "mass [kg]"));
    for body in &world.bodies[1..] {
        line(format!("{:<width$}  {:>12.6}  {}", body.name, body.inertia.mass, attachment(body, model)));
    }
    let mut q = 0;
    let joints: Vec<String> = world
        .joints()
        .map(|(b, j)| {
            let mut row = format!(
                "{:<width$}  {:<11}  q[{q}..{}]  on {}",
                j.name,
                j.kind.word(),
                q + j.kind.nq(),
                world.bodies[b].name
            );
            q += j.kind.nq();
            if let [d] = j.dofs.as_slice()
                && (d.lower.is_finite() || d.upper.is_finite())
            {
                let _ = write!(row, "  in [{:.4}, {:.4}]", d.lower, d.upper);
            }
            if j.locked {
                row.push_str("  locked");
            }
            row
        })
        .collect();
    if !joints.is_empty() {
        line(format!("\n{:<width$}  {:<11}  position", "joint", "type"));
        joints.into_iter().for_each(&mut line);
    }
    if !world.geoms.is_empty() {
        line(format!("\n{:<width$}  {:<12}  body", "geom", "shape"));
        for (i, geom) in world.geoms.iter().enumerate() {
            line(format!(
                "{:<width$}  {:<12}  {}",
                geom_name(geom, i),
                world.shape_word(&geom.shape),
                world.bodies[geom.body].name
            ));
        }
    }
    if !model.warnings().is_empty() {
        line(format!("\n{} warnings", model.warnings().len()));
        for warning in model.warnings() {
            line(format!("  {warning}"));
        }
    }
    text
}

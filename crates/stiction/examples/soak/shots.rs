//! Shots: bullets of about 1 cm at 300 m/s against plates of 1 mm, at steps of 1 ms. None may pass.
//!
//! Every kind of bullet meets every kind of plate. A shot depends on its number and the seed alone: mass, direction (up to 60° from
//! the plate's normal), orientation, spin (up to 10,000 rad/s), where within a step it meets the plate, contact model, fixed steps or
//! accuracy, a fixed plate or one of 50 g to 5 kg that floats and turns.
//!
//! **Passed** means: the bullet's centre went through the plate's middle plane within the plate's rim, seen from the plate, along the
//! line between two ends of steps (of a wire or a bead: through its inside). Of a soft half-space the plate is its outermost millimetre,
//! and the middle plane is half a millimetre below the surface. That does not ask what the simulator believes.

use nalgebra::{Point3, UnitQuaternion, Vector3};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use stiction::{ContactModel, Format, LoadOptions, Model, Options, Simulation};
use stiction_base::random::Random;
use stiction_geometry::ShapeKind;
use stiction_geometry::point::is_supported;
use stiction_model::{Compliance, Shape};

/// Speed of all bullets, m/s.
pub const SPEED: f64 = 300.0;

/// How long a shot is followed, s.
const END: f64 = 0.0245;

/// Part of its energy that a shot may gain, by the rounding of positions.
pub const GAIN: f64 = 1e-6;

/// Bullets: name and geom. `surface` makes a mesh a surface instead of its hull, `soft` a solid with a pressure field.
const BULLETS: [(&str, &str); 17] = [
    ("sphere", "type='sphere' size='0.005'"),
    ("box", "type='box' size='0.005 0.005 0.005'"),
    ("thin box", "type='box' size='0.005 0.004 0.0005'"),
    ("capsule", "type='capsule' size='0.003 0.002'"),
    ("cylinder", "type='cylinder' size='0.004 0.005'"),
    ("ellipsoid", "type='ellipsoid' size='0.003 0.004 0.005'"),
    ("tetrahedral hull", "type='mesh' mesh='tetrahedron'"),
    ("hull", "type='mesh' mesh='stone'"),
    ("mesh", "surface type='mesh' mesh='stone'"),
    ("tetrahedral mesh", "surface type='mesh' mesh='tetrahedron'"),
    ("soft sphere", "soft type='sphere' size='0.005'"),
    ("soft box", "soft type='box' size='0.005 0.005 0.005'"),
    ("soft capsule", "soft type='capsule' size='0.003 0.002'"),
    ("soft cylinder", "soft type='cylinder' size='0.004 0.005'"),
    ("soft ellipsoid", "soft type='ellipsoid' size='0.003 0.004 0.005'"),
    ("soft hull", "soft type='mesh' mesh='stone'"),
    ("soft mesh", "soft surface type='mesh' mesh='stone'"),
];

/// Plates of 1 mm, 60 cm wide, in the plane z = 0; and a wire along x and a bead of 1 mm, the primitives that are no plate.
const PLATES: [(&str, &str); 15] = [
    ("box", "type='box' size='0.3 0.3 0.0005'"),
    ("cylinder", "type='cylinder' size='0.3 0.0005'"),
    ("ellipsoid", "type='ellipsoid' size='0.3 0.3 0.0005'"),
    ("hull", "type='mesh' mesh='plate'"),
    ("mesh", "surface type='mesh' mesh='plate'"),
    ("height field", "type='hfield' hfield='field'"),
    ("half-space", "type='plane' size='1 1 1'"),
    ("soft box", "soft type='box' size='0.3 0.3 0.0005'"),
    ("tiles", "tiles"),
    ("capsule", "type='capsule' size='0.0005' fromto='-.3 0 0 .3 0 0'"),
    ("sphere", "type='sphere' size='0.0005'"),
    ("soft cylinder", "soft type='cylinder' size='0.3 0.0005'"),
    ("soft ellipsoid", "soft type='ellipsoid' size='0.3 0.3 0.0005'"),
    ("soft hull", "soft type='mesh' mesh='plate'"),
    ("soft half-space", "soft type='plane' size='1 1 1'"),
];

const ASSETS: &str = "<asset>
 <mesh name='plate' vertex='-.3 -.3 -.0005  .3 -.3 -.0005  .3 .3 -.0005  -.3 .3 -.0005
   -.3 -.3 .0005  .3 -.3 .0005  .3 .3 .0005  -.3 .3 .0005'
  face='0 2 1 0 3 2 4 5 6 4 6 7 0 1 5 0 5 4 1 2 6 1 6 5 2 3 7 2 7 6 3 0 4 3 4 7'/>
 <mesh name='tetrahedron' vertex='.005 .005 .005  .005 -.005 -.005  -.005 .005 -.005  -.005 -.005 .005'
  face='0 1 2 0 3 1 0 2 3 1 3 2'/>
 <mesh name='stone' vertex='.006 0 0  -.005 0 0  0 .004 .001  .001 -.005 0  0 .001 .005  .001 0 -.004'
  face='0 2 4 2 1 4 1 3 4 3 0 4 2 0 5 1 2 5 3 1 5 0 3 5'/>
 <hfield name='field' nrow='3' ncol='3' size='.3 .3 .0005 .001' elevation='0 1 0 1 0 1 0 1 0'/></asset>";

/// How far from the middle a plate is aimed at, along x and y, and whether a centre that comes through there has gone through
/// the plate, m.
fn target(plate: &str) -> ([f64; 2], fn(f64, f64) -> bool) {
    match plate {
        "capsule" => ([0.1, 3e-4], |x, y| x.abs() < 0.28 && y.abs() < 5e-4),
        "sphere" => ([2e-4, 2e-4], |x, y| x.hypot(y) < 5e-4),
        // The ellipsoid is as thin as it likes at its rim.
        _ => ([0.1, 0.1], |x, y| x.hypot(y) < 0.28),
    }
}

/// A kind of bullet and a kind of plate.
pub struct Pair {
    pub bullet: &'static str,
    pub plate: &'static str,
    fixed: Model,
    /// With a plate that floats, if it can.
    floating: Option<Model>,
}

/// All pairs for which there is contact.
pub fn pairs() -> Vec<Pair> {
    let all = BULLETS.iter().flat_map(|b| PLATES.iter().map(move |p| (b, p)));
    let supported = all.filter(|((_, b), (_, p))| {
        let of = |geom: &str| match () {
            () if geom.contains("hfield") => ShapeKind::HeightField,
            () if geom.contains("surface") => ShapeKind::Mesh,
            () => ShapeKind::Sphere, // or another convex one
        };
        let soft = [b, p].iter().any(|geom| geom.starts_with("soft"));
        soft || is_supported(of(b), of(p))
    });
    let make = |(&(bullet, b), &(plate, p)): (&(&'static str, &str), &(&'static str, &str))| {
        // A wire or a bead that is hit spins, and what goes through it cannot be told from what it turns past.
        let floats = ["hfield", "plane", "capsule", "sphere"].iter().all(|fixed| !p.contains(fixed));
        Pair { bullet, plate, fixed: model(b, p, false), floating: floats.then(|| model(b, p, true)) }
    };
    supported.map(make).collect()
}

fn model(bullet: &str, plate: &str, floats: bool) -> Model {
    let plain = |geom: &str| geom.replace("surface ", "").replace("soft ", "");
    let plate_geoms = match plate {
        "tiles" => (0..36)
            .map(|k| {
                let [x, y] = [k % 6, k / 6].map(|i| 0.1 * f64::from(i) - 0.25);
                format!(
                    "<geom name='plate{k}' type='box' size='0.05 0.05 0.0005' pos='{x} {y} 0' mass='.03'/>"
                )
            })
            .collect(),
        _ => format!("<geom name='plate' {} mass='1'/>", plain(plate)),
    };
    let plate_body = match floats {
        true => format!("<body><freejoint/>{plate_geoms}</body>"),
        false => plate_geoms,
    };
    let text = format!(
        "<mujoco><option gravity='0 0 0'/>{ASSETS}<worldbody><body pos='0 0 1'><freejoint/>\
         <geom name='bullet' {} mass='0.004'/></body>{plate_body}</worldbody></mujoco>",
        plain(bullet)
    );
    let model =
        Model::from_string(&text, Format::Mjcf, &LoadOptions::default()).expect("a model of this file");
    let mut world = model.world().clone();
    for geom in &mut world.geoms {
        let kind = if geom.name == "bullet" { bullet } else { plate };
        if let Shape::Mesh { convex, .. } = &mut geom.shape {
            *convex = !kind.contains("surface");
        }
        if kind.starts_with("soft") {
            geom.contact.compliance = Compliance::Compliant;
            geom.contact.hydroelastic_modulus = Some(1e8);
            // Of a half-space the outermost millimetre is soft.
            geom.contact.slab_thickness = kind.contains("half-space").then_some(1e-3);
        }
    }
    Model::new(world).expect("a model of this file")
}

/// What became of a shot.
#[derive(Clone, Copy, Default)]
pub struct Outcome {
    pub passed: bool,
    /// A speculative contact acted, or bodies were held back.
    pub acted: bool,
    /// Steps in which bodies were held back.
    pub held_back: u64,
    /// Pairs that the simulator reports as passed.
    pub reported: u64,
    pub unconverged: u64,
    /// Kinetic energy gained, as a part of that at the beginning.
    pub gained: f64,
    pub error: bool,
}

/// Fires a bullet, with speculative contact or without. `tell` is given a line about each step.
pub fn fire(pair: &Pair, number: u64, seed: u64, speculative: bool, mut tell: impl FnMut(String)) -> Outcome {
    let mut random = Random::new(seed.wrapping_mul(0x9e37_79b9).wrapping_add(number));
    random.bits();
    let floating = pair.floating.as_ref().filter(|_| random.unit() < 0.5);
    let model = floating.unwrap_or(&pair.fixed);
    let contact = [ContactModel::Lagged, ContactModel::Similar, ContactModel::Sap][random.below(3)];
    let accuracy = [None, None, None, Some(1e-2), Some(1e-3)][random.below(5)];
    let options = Options { contact, accuracy, speculative, ..Options::default() };
    let mut sim = Simulation::new(model, options).expect("options that are allowed");
    let mut state = model.default_state();
    let mut direction = || Vector3::new(random.normal(), random.normal(), random.normal()).normalize();
    let (sideways, axis, spin, plate_spin) = (direction(), direction(), direction(), direction());
    let slant = random.range(0.0, 60.0_f64).to_radians();
    let across = Vector3::new(sideways.x, sideways.y, 0.0).normalize();
    let d = slant.sin() * across - slant.cos() * Vector3::z();
    let (within, hit) = target(pair.plate);
    let middle = if pair.plate == "soft half-space" { -5e-4 } else { 0.0 };
    let aim = Vector3::new(random.range(-within[0], within[0]), random.range(-within[1], within[1]), 0.0);
    // Far enough to be in front of the plate with every corner.
    let from = aim - random.range(0.03, 0.6) * d;
    let turn = UnitQuaternion::from_scaled_axis(random.range(0.0, 3.1) * axis);
    let spin = 10_f64.powf(random.range(-1.0, 4.0)) * spin;
    state.q[..7].copy_from_slice(&[from.x, from.y, from.z, turn.w, turn.i, turn.j, turn.k]);
    state.v[..3].copy_from_slice((SPEED * d).as_slice());
    state.v[3..6].copy_from_slice(spin.as_slice());
    if floating.is_some() {
        let spin = 10_f64.powf(random.range(-2.0, 1.0)) * plate_spin;
        state.v[9..12].copy_from_slice(spin.as_slice());
    }
    sim.reset_to(&state).expect("a state of this model");
    let energy = sim.energy().kinetic;
    let mut outcome = Outcome::default();
    let seen = |sim: &mut Simulation| {
        let poses = sim.poses();
        let plate = if floating.is_some() { poses[2] } else { poses[0] };
        plate.inverse_transform_point(&Point3::from(poses[1].translation.vector))
    };
    let mut before = seen(&mut sim);
    while sim.state().time < END {
        if sim.step(1).is_err() {
            outcome.error = true;
            break;
        }
        let now = seen(&mut sim);
        if before.z > middle && now.z <= middle {
            let s = (before.z - middle) / (before.z - now.z);
            let at = before + s * (now - before);
            outcome.passed |= hit(at.x, at.y);
        }
        before = now;
        let now_has = sim.energy().kinetic / energy;
        tell(format!(
            "{contact:?} {accuracy:?} t = {:.6} s: bullet seen from the plate at {now:.7?}, energy {now_has:.4e} of its beginning, \
             speculative {}, held back {}, deepest {:.2e} m",
            sim.state().time,
            sim.stats().speculative,
            sim.stats().held_back,
            sim.contacts().iter().map(|c| c.penetration).fold(0.0, f64::max),
        ));
        outcome.gained = outcome.gained.max(now_has - 1.0);
    }
    let stats = sim.stats();
    outcome.acted = stats.speculative + stats.held_back > 0;
    (outcome.held_back, outcome.reported, outcome.unconverged) =
        (stats.held_back, stats.passed, stats.unconverged);
    outcome
}

/// Fires the shots of these numbers at all pairs in turn on several threads; the outcomes in the order of the numbers.
pub fn volley(
    pairs: &[Pair],
    numbers: std::ops::Range<u64>,
    seed: u64,
    threads: usize,
    speculative: bool,
) -> Vec<Outcome> {
    let (next, count) = (AtomicUsize::new(0), (numbers.end - numbers.start) as usize);
    let results: Vec<Vec<(usize, Outcome)>> = std::thread::scope(|scope| {
        let run = || {
            let mut mine = Vec::new();
            loop {
                let k = next.fetch_add(1, Relaxed);
                if k >= count {
                    return mine;
                }
                let number = numbers.start + k as u64;
                mine.push((k, fire(&pairs[number as usize % pairs.len()], number, seed, speculative, drop)));
            }
        };
        let handles: Vec<_> = (0..threads.max(1)).map(|_| scope.spawn(run)).collect();
        handles.into_iter().map(|h| h.join().expect("a thread of shots")).collect()
    });
    let mut outcomes = vec![Outcome::default(); count];
    results.into_iter().flatten().for_each(|(k, outcome)| outcomes[k] = outcome);
    outcomes
}

/// A table of the outcomes by pair; whether all is well.
pub fn report(pairs: &[Pair], first: u64, outcomes: &[Outcome]) -> (String, bool) {
    let mut text = String::from(
        "| bullet | plate | shots | passed | acted | held back | reported passed | energy gained | unconverged | errors |\n\
         |---|---|---|---|---|---|---|---|---|---|\n",
    );
    let row = |name: [&str; 2], of: &[&Outcome]| {
        let count = |f: &dyn Fn(&Outcome) -> bool| of.iter().filter(|o| f(o)).count();
        format!(
            "| {} | {} | {} | {} | {} | {} | {} | {:.1e} | {} | {} |\n",
            name[0],
            name[1],
            of.len(),
            count(&|o| o.passed),
            count(&|o| o.acted),
            count(&|o| o.held_back > 0),
            count(&|o| o.reported > 0),
            of.iter().map(|o| o.gained).fold(0.0, f64::max),
            count(&|o| o.unconverged > 0),
            count(&|o| o.error),
        )
    };
    for (k, pair) in pairs.iter().enumerate() {
        let mine = |n: usize| (first as usize + n) % pairs.len() == k;
        let of: Vec<&Outcome> =
            outcomes.iter().enumerate().filter(|(n, _)| mine(*n)).map(|(_, o)| o).collect();
        if of.is_empty() {
            continue;
        }
        text += &row([pair.bullet, pair.plate], &of);
    }
    let all: Vec<&Outcome> = outcomes.iter().collect();
    text += &row(["**all**", ""], &all);
    let bad = |o: &Outcome| o.passed || o.reported > 0 || o.error || o.gained > GAIN;
    let found: Vec<String> =
        (0..outcomes.len()).filter(|&n| bad(&outcomes[n])).map(|n| (first + n as u64).to_string()).collect();
    if !found.is_empty() {
        text += &format!("\nFindings: {}\n", found.join(" "));
    }
    (text, found.is_empty())
}

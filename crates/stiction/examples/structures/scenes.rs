//! Structures that stand by friction and balance, and a row of dominoes, as MJCF.

use stiction::Simulation;

/// Time in which a structure settles, s.
pub const SETTLING: f64 = 5.0;

/// Largest distance between the places of a free body in two positions, m.
pub fn distance(p: &[f64], q: &[f64]) -> f64 {
    let apart = |(p, q): (&[f64], &[f64])| (0..3).map(|k| (p[k] - q[k]).powi(2)).sum::<f64>().sqrt();
    p.chunks(7).zip(q.chunks(7)).map(apart).fold(0.0, f64::max)
}

/// A structure.
#[derive(Clone)]
pub struct Structure {
    pub name: &'static str,
    pub mjcf: String,
}

impl Structure {
    fn new(name: &'static str, asset: &str, worldbody: &str) -> Self {
        Self { name, mjcf: format!("<mujoco>{asset}<worldbody>{worldbody}</worldbody></mujoco>") }
    }
}

fn geom(size: [f64; 3], mass: f64, friction: f64) -> String {
    let [x, y, z] = size;
    format!("<geom type=\"box\" size=\"{x} {y} {z}\" mass=\"{mass}\" friction=\"{friction} 0 0\"/>")
}

fn floor(friction: f64) -> String {
    format!("<geom type=\"plane\" size=\"9 9 1\" friction=\"{friction} 0 0\"/>")
}

/// A body at `p` whose axis y is turned by `angle` (rad), with one box.
fn block(p: [f64; 3], angle: f64, geom: &str) -> String {
    let [x, y, z] = p;
    let (s, c) = (0.5 * angle).sin_cos();
    format!("<body pos=\"{x} {y} {z}\" quat=\"{c} 0 {s} 0\"><freejoint/>{geom}</body>")
}

/// Thirty boxes of 100 g and 10 cm on each other, each out of line by up to `out` (m).
///
/// A tower of blocks on springs can buckle. Each joint of stiffness k between corners a apart turns by M/(¼ k a²), as a beam of
/// EI = ¼ k a² × 0.1 m. Greenhill's column under its own weight q a metre stands up to q L³ = 7.84 EI; here q L³ = 2.1 EI. Boxes of
/// 1 kg would fall. If it is out of line it sways, as an elastic column does, for minutes.
pub fn tower(out: f64) -> Structure {
    let cube = geom([0.05; 3], 0.1, 0.5);
    let shift = |k: f64| out * k.sin();
    let boxes: String = (0..30)
        .map(f64::from)
        .map(|k| block([shift(5.0 * k), shift(3.0 * k), 0.05 + 0.1 * k], 0.0, &cube))
        .collect();
    let name = if out == 0.0 { "tower of 30 boxes" } else { "uneven tower of 30 boxes" };
    Structure::new(name, "", &(floor(0.5) + &boxes))
}

/// Cards of 2 g, 90 × 60 × 1 mm, leant against each other in three storeys: three, two and one pairs, with cards flat
/// between the storeys.
pub fn card_house() -> Structure {
    let (length, width, thickness, lean) = (0.09, 0.06, 1e-3, 0.35_f64);
    let card = geom([0.5 * thickness, 0.5 * width, 0.5 * length], 2e-3, 0.7);
    let flat = geom([0.5 * length, 0.5 * width, 0.5 * thickness], 2e-3, 0.7);
    let (s, c) = lean.sin_cos();
    // Half the extents of a leaning card, along x and z.
    let (half_x, half_z) = (0.5 * (length * s + thickness * c), 0.5 * (length * c + thickness * s));
    // The upper corners that face each other touch.
    let apart = half_x;
    let pitch = 4.0 * half_x + 0.002;
    let mut worldbody = floor(0.7);
    let mut base = 0.0;
    for storey in 0..3 {
        let pairs = 3 - storey;
        let at = |k: usize| (k as f64 - 0.5 * (pairs - 1) as f64) * pitch;
        for k in 0..pairs {
            worldbody += &block([at(k) - apart, 0.0, base + half_z], lean, &card);
            worldbody += &block([at(k) + apart, 0.0, base + half_z], -lean, &card);
        }
        base += 2.0 * half_z;
        for k in 0..pairs.saturating_sub(1) {
            worldbody += &block([0.5 * (at(k) + at(k + 1)), 0.0, base + 0.5 * thickness], 0.0, &flat);
        }
        base += thickness;
    }
    Structure::new("card house of 3 storeys", "", &worldbody)
}

/// A half circle of nine blocks of stone (1e8 N/m) of mean radius 0.5 m, `share` times as thick as an arch must be to contain a line of
/// thrust.
pub fn arch(share: f64) -> Structure {
    let (radius, depth, count) = (0.5, 0.2, 9);
    let thickness = share * least_thickness(count) * radius;
    let step = std::f64::consts::PI / count as f64;
    let mass = 2000.0 * depth * radius * step * thickness;
    let (inner, outer) = (radius - 0.5 * thickness, radius + 0.5 * thickness);
    let (inner_x, outer_x) = (inner * (0.5 * step).tan(), outer * (0.5 * step).tan());
    let mut vertices = String::new();
    for (x, z) in [(inner_x, inner), (outer_x, outer)] {
        for (sx, y) in [(-1.0, -1.0), (-1.0, 1.0), (1.0, -1.0), (1.0, 1.0)] {
            vertices += &format!("{} {} {} ", sx * x, 0.5 * depth * y, z - radius);
        }
    }
    let mut worldbody = floor(0.7).replace(
        "/>",
        "><drake:proximity_properties><drake:point_contact_stiffness value=\"1e8\"/></drake:proximity_properties></geom>",
    );
    for k in 0..count {
        let angle = (k as f64 + 0.5) * step - std::f64::consts::FRAC_PI_2;
        let (s, c) = angle.sin_cos();
        let geom = format!(
            "<geom type=\"mesh\" mesh=\"voussoir\" mass=\"{mass}\" friction=\"0.7 0 0\">\
             <drake:proximity_properties><drake:point_contact_stiffness value=\"1e8\"/></drake:proximity_properties></geom>"
        );
        worldbody += &block([radius * s, 0.0, radius * c], angle, &geom);
    }
    let asset = format!("<asset><mesh name=\"voussoir\" vertex=\"{vertices}\"/></asset>");
    Structure::new("arch of 9 blocks", &asset, &worldbody)
}

/// Least thickness over mean radius of a half circle of `count` (odd) blocks that contains a line of thrust (Heyman's safe
/// theorem; Milankovitch's 0.1075 for infinitely many).
///
/// From the crown to the joint at the angle θ from it, the blocks weigh W(θ) at the lever arm x(θ). With the thrust H at the
/// height h over the centre, the moment about a point of that joint at radius ρ is H (h − ρ cos θ) + W (x − ρ sin θ)
/// outwards; it is at most 0 about the outer edge and at least 0 about the inner edge.
pub fn least_thickness(count: usize) -> f64 {
    let step = std::f64::consts::PI / count as f64;
    let fits = |t: f64| {
        // The line is found over the thrust H by bisection on whether the lower or the upper bounds of M = H h ask for more.
        let interval = |thrust: f64| {
            let (mut low, mut high) = (f64::NEG_INFINITY, f64::INFINITY);
            let (inner, outer) = (1.0 - 0.5 * t, 1.0 + 0.5 * t);
            // Mid-circle centroid of a block between two radial joints: of a trapezium.
            let (a, b) = (inner, outer);
            let (ta, tb) = (a * (0.5 * step).tan() * 2.0, b * (0.5 * step).tan() * 2.0);
            let centroid = a + (b - a) * (ta + 2.0 * tb) / (3.0 * (ta + tb));
            // Half of the key block, and its centroid.
            let (mut weight, mut moment) = (0.5, 0.5 * (ta * ta + ta * tb + tb * tb) / (6.0 * (ta + tb)));
            for k in 0..count.div_ceil(2) {
                let angle = (k as f64 + 0.5) * step;
                if k > 0 {
                    weight += 1.0;
                    moment += centroid * (k as f64 * step).sin();
                }
                let (s, c) = angle.sin_cos();
                // M + Σ W x − ρ (H cos θ + W sin θ)
                let at = |rho: f64| rho * (thrust * c + weight * s) - moment;
                low = low.max(at(inner));
                high = high.min(at(outer));
            }
            high - low
        };
        // Concave in the thrust.
        let (mut a, mut b) = (0.0, count as f64);
        for _ in 0..200 {
            let (p, q) = (a + (b - a) / 3.0, b - (b - a) / 3.0);
            if interval(p) < interval(q) { a = p } else { b = q }
        }
        interval(0.5 * (a + b)) >= 0.0
    };
    let (mut thin, mut thick) = (0.01, 0.5);
    for _ in 0..60 {
        let t = 0.5 * (thin + thick);
        if fits(t) { thick = t } else { thin = t }
    }
    thick
}

/// Number of dominoes, and the distance between them, m.
pub const DOMINOES: usize = 25;
pub const PITCH: f64 = 0.025;

/// Pushes the first domino, and returns the number of those that fell within 3 s and the mean speed of the wave from the
/// fifth to the twentieth, m/s (not a number if it does not arrive).
pub fn wave(sim: &mut Simulation) -> (usize, f64) {
    // The first turns about its lower edge.
    let spin = 4.0;
    sim.state_mut().v[..5].copy_from_slice(&[0.024 * spin, 0.0, 0.00375 * spin, 0.0, spin]);
    // A domino falls when it leans by a tenth of a radian; the time is taken between steps.
    let lean = |sim: &Simulation, k: usize| {
        let q = &sim.state().q[7 * k..7 * k + 7];
        2.0 * q[5].atan2(q[3])
    };
    let mut times = [None; DOMINOES];
    let mut before = [0.0; DOMINOES];
    let step = sim.options().step;
    while sim.state().time < 3.0 && times[DOMINOES - 1].is_none() {
        sim.step(1).expect("finite numbers");
        for k in 0..DOMINOES {
            let now = lean(sim, k);
            if times[k].is_none() && now > 0.1 {
                times[k] = Some(sim.state().time - step * (now - 0.1) / (now - before[k]));
            }
            before[k] = now;
        }
    }
    let speed = match (times[4], times[19]) {
        (Some(a), Some(b)) => 15.0 * PITCH / (b - a),
        _ => f64::NAN,
    };
    (times.iter().flatten().count(), speed)
}

/// Dominoes of 10 g, 48 × 24 × 7.5 mm, in a row.
pub fn dominoes(count: usize) -> Structure {
    let piece = geom([0.00375, 0.012, 0.024], 0.01, 0.3);
    let row: String = (0..count).map(|k| block([PITCH * k as f64, 0.0, 0.024], 0.0, &piece)).collect();
    Structure::new("dominoes", "", &(floor(0.3) + &row))
}

//! Random mechanisms with loops: redundant, contradicting and unreachable constraints gain no energy.

mod common;
use common::{model, simulation};
use stiction::{Model, Options, Simulation};
use stiction_base::random::Random;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Exact,
    Conflict,
    Far,
}

fn vector(r: &mut Random, size: f64) -> [f64; 3] {
    [size * r.sym(), size * r.sym(), size * r.sym()]
}

fn text(v: &[f64]) -> String {
    v.iter().map(|x| x.to_string()).collect::<Vec<_>>().join(" ")
}

/// Up to three chains of hinges, slides and balls, closed by connections and welds, without collisions. Their joints have
/// damping, without which the explicit Coriolis forces of chains that swing gain energy by themselves. `Far` and `Conflict`
/// move without gravity.
fn mechanism(r: &mut Random, kind: Kind, length: f64, mass: f64) -> Model {
    let inertia = mass * length * length;
    let resist = format!("armature=\"{}\" damping=\"{}\"", 0.01 * inertia, 0.05 * inertia);
    let (mut bodies, mut names) = (String::new(), Vec::new());
    for chain in 0..1 + r.below(3) {
        let links = 1 + r.below(4);
        let mut open = 0;
        for link in 0..links {
            let name = format!("b{chain}_{link}");
            let pos = if link == 0 { vector(r, 0.3 * length) } else { vector(r, 0.2 * length) };
            let axis = match r.below(3) {
                0 => [0.0, 1.0, 0.0],
                _ => vector(r, 1.0),
            };
            let joint = match r.below(8) {
                0 => format!("<joint type=\"ball\" {resist}/>"),
                1 => format!("<joint type=\"slide\" axis=\"{}\"/>", text(&axis)),
                _ => format!("<joint axis=\"{}\" {resist}/>", text(&axis)),
            };
            let turn = match r.below(3) {
                0 => "euler=\"0 0 90\"".to_string(),
                1 => format!("euler=\"{}\"", text(&vector(r, 180.0))),
                _ => String::new(),
            };
            let to = vector(r, 0.2 * length);
            bodies += &format!(
                "<body name=\"{name}\" pos=\"{}\" {turn}>{joint}<geom type=\"capsule\" fromto=\"0 0 0 {}\" size=\"{}\" mass=\"{}\" \
                 contype=\"0\" conaffinity=\"0\"/>",
                text(&pos),
                text(&to),
                0.02 * length,
                mass * 10f64.powf(r.range(-1.0, 1.0))
            );
            names.push(name);
            open += 1;
        }
        bodies += &"</body>".repeat(open);
    }
    let mut equalities = String::new();
    for _ in 0..1 + r.below(2) {
        let one = names[r.below(names.len())].clone();
        let other = match r.below(3) {
            0 => String::new(),
            _ => names[r.below(names.len())].clone(),
        };
        if one == other {
            continue;
        }
        let second = if other.is_empty() { String::new() } else { format!("body2=\"{other}\"") };
        let anchor = text(&vector(r, 0.1 * length));
        let copies = 1 + r.below(2);
        let e = match (kind, r.below(2)) {
            (Kind::Exact, 0) => format!("<connect body1=\"{one}\" {second} anchor=\"{anchor}\"/>"),
            (Kind::Exact, _) => format!("<weld body1=\"{one}\" {second}/>"),
            (k, _) => {
                let far = if k == Kind::Conflict { 0.01 } else { 1.0 };
                let p = vector(r, far * length);
                let q = vector(r, far);
                format!(
                    "<weld body1=\"{one}\" {second} anchor=\"{anchor}\" relpose=\"{} 1 {}\"/>",
                    text(&p),
                    text(&q)
                )
            }
        };
        equalities += &e.repeat(copies);
        if kind == Kind::Conflict {
            equalities += &format!("<weld body1=\"{one}\" {second}/>");
        }
    }
    let g = vector(r, if kind == Kind::Exact { 2.0 * length } else { 0.0 });
    model(&bodies, &format!("<option gravity=\"{}\"/><equality>{equalities}</equality>", text(&g)))
}

fn total(sim: &mut Simulation) -> f64 {
    let energy = sim.energy();
    energy.kinetic + energy.potential
}

/// Sum of all masses; an armature of 0.01 (in these units) counts as a mass of 1 at 0.1, half the size of a link.
fn mass_of(model: &Model, unit: f64) -> f64 {
    let bodies = &model.world().bodies;
    bodies.iter().map(|body| body.inertia.mass + unit * body.joints.len() as f64).sum()
}

/// With 1 : 100 in mass, copies of constraints, frames turned by 90° (whose Jacobians are rounding errors), and in units of
/// mm and g. Mechanisms like these gained 400 J and more from an error of 1 cm, some without bound.
#[test]
fn mechanisms_with_loops_gain_no_energy() {
    for kind in [Kind::Exact, Kind::Conflict, Kind::Far] {
        for (length, mass) in [(1.0, 1.0), (1000.0, 1e-3)] {
            for step in [1e-3, 2e-3, 5e-3, 1e-2] {
                let mut r = Random::new(7);
                for case in 0..12 {
                    let model = mechanism(&mut r, kind, length, mass);
                    let mut sim = simulation(&model, Options { step, ..Options::default() });
                    let begin = total(&mut sim);
                    let mut most = 0.0f64;
                    for _ in 0..(1.0 / step) as usize {
                        sim.step(1).unwrap();
                        most = most.max(total(&mut sim) - begin);
                    }
                    // A closed loop takes its energy from gravity alone. An open one closes at a δt + 1 m/s.
                    let closing = match kind {
                        Kind::Exact => 1e-9 * mass * length * length,
                        _ => mass_of(&model, mass) * (1.0 + 300.0 * step).powi(2),
                    };
                    if std::env::var("ALL").is_ok() && most > 0.1 * closing {
                        eprintln!("{kind:?} {length} {step} {case} {}", most / closing);
                    }
                    assert!(
                        most <= closing,
                        "{kind:?} {length} {step} case {case}: gains {most} J, {closing} J allowed"
                    );
                    assert_eq!(sim.stats().unconverged, 0, "{kind:?} {length} {step} case {case}");
                }
            }
        }
    }
}

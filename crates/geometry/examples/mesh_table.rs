//! probe
use stiction_geometry::solid::*;
use stiction_geometry::field::*;
use stiction_geometry::surface::*;
fn main() {
    let arg = std::env::args().nth(1);
    let kind = std::env::args().nth(2);
    for name in shapes::NAMES {
        if arg.as_ref().is_some_and(|a| a != name && a != "all") { continue; }
        let (v, f) = shapes::named(name).unwrap();
        let begin = std::time::Instant::now();
        let mut stages = Vec::new();
        let mut options = FillOptions::default();
        match kind.as_deref() {
            Some("laplace") => { options.field.kind = FieldKind::Laplace; options.field.core = Core::Depth(0.004); }
            Some("poisson") => { options.field.kind = FieldKind::Poisson; }
            Some("stiff") => { options.field.stiffening = Stiffening::Hyperbolic { k: 0.8 }; }
            _ => {}
        }
        let res = fill(&v, &f, &options, &mut |st| stages.push((st, begin.elapsed().as_secs_f64())));
        let t = begin.elapsed().as_secs_f64();
        match res {
            Ok((_, r)) => { let m = &r.mesh; println!("{name:8} faces {:6} total {t:.2} s tets {:7} tri {:6} comp {} ang {:.1}..{:.1} p1 {:.1} shape {:.3}/{:.2} vol {:?} dev {:.2e}/{:.2e} lost {:.4} thin {:.2e} snapped {}\n   {:?} {:?}\n  {:?}",
                f.len(), m.tets, m.triangles, m.components, m.quality.dihedral_min, m.quality.dihedral_max, m.quality.dihedral_percentile, m.quality.shape_min, m.quality.shape_mean, m.volume_error, m.deviation, m.resolution, m.lost_area, m.thinnest_wall, m.snapped, r.notes(), stages, r.field) }
            Err(e) => println!("{name}: {e}"),
        }
    }
}

//! Solids from surfaces: what the mesher and the fields promise.

mod patch_support;

use patch_support::*;
use proptest::prelude::*;
use std::f64::consts::PI;
use std::sync::Arc;
use stiction_geometry::field::{
    Boundary, Core, FieldKind, FieldOptions, Normalization, Region, Stiffening, characteristic_length,
    halfspace, make_field, modulus,
};
use stiction_geometry::mesher::{MesherOptions, MeshingError, TetMesh, tetrahedralize};
use stiction_geometry::patch::{ContactSolid, PatchOptions};
use stiction_geometry::solid::{FillOptions, FillReport, Filled, RigidMesh, Solid, fill};
use stiction_geometry::surface::shapes::{self, Triangles};
use stiction_geometry::surface::{ClosedSurface, SurfaceError};

fn filled((v, f): &Triangles, options: &FillOptions) -> (Filled, FillReport) {
    fill(v, f, options, &mut |_| {}).unwrap()
}

fn at_resolution(resolution: f64) -> FillOptions {
    FillOptions {
        mesher: MesherOptions { resolution: Some(resolution), ..Default::default() },
        field: FieldOptions::default(),
    }
}

fn meshed((v, f): &Triangles, resolution: f64) -> TetMesh {
    let (surface, report) = ClosedSurface::new(v, f).unwrap();
    let options = MesherOptions { resolution: Some(resolution), ..Default::default() };
    tetrahedralize(&surface, None, report, &options, &mut |_| {}).unwrap().0
}

fn six(v: [V3; 4]) -> f64 {
    (v[1] - v[0]).dot(&(v[2] - v[0]).cross(&(v[3] - v[0])))
}

/// Every edge of the surface lies between faces that run along it in opposite directions.
fn watertight(surface: &[[u32; 3]]) -> bool {
    let mut edges: Vec<(u32, u32)> =
        surface.iter().flat_map(|t| (0..3).map(move |k| (t[k], t[(k + 1) % 3]))).collect();
    edges.sort_unstable();
    edges.iter().all(|&(a, b)| {
        let count = |e: (u32, u32)| edges.partition_point(|x| *x <= e) - edges.partition_point(|x| *x < e);
        count((a, b)) == count((b, a))
    })
}

fn ball(radius: f64, rings: usize) -> Triangles {
    shapes::star_shaped(rings, |_| radius)
}

fn brick(x: f64, y: f64, z: f64) -> Triangles {
    shapes::extrude(&[(0.0, 0.0), (x, 0.0), (x, y), (0.0, y)], z)
}

fn turned((mut v, f): Triangles, r: [f64; 3]) -> Triangles {
    let x = pose([0.01, -0.02, 0.03], r);
    v.iter_mut().for_each(|v| *v = x.transform_point(&(*v).into()).coords);
    (v, f)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]
    #[test]
    fn random_closed_surfaces_make_sound_solids(
        seed in 0u64..10_000, cells in 5.0f64..14.0, r in prop::array::uniform3(-2.0f64..2.0), kind in 0..4
    ) {
        let shape = turned(shapes::blob(seed, 0.05, 24), r);
        let mut options = at_resolution(0.1 / cells);
        match kind {
            1 => (options.field.kind, options.field.core) = (FieldKind::Laplace, Core::Depth(0.012)),
            2 => options.field.kind = FieldKind::Poisson,
            3 => options.field.stiffening = Stiffening::Hyperbolic { k: 0.7 },
            _ => {}
        }
        let (solid, report) = filled(&shape, &options);
        // Positive volumes that add up.
        for t in &solid.tets {
            prop_assert!(six(t.map(|i| solid.vertices[i as usize])) > 0.0);
        }
        prop_assert!(report.mesh.volume_error.unwrap().abs() < 0.06, "{:?}", report.mesh.volume_error);
        prop_assert!(report.mesh.components == 1 && report.mesh.quality.dihedral_min > 5.0);
        // Field: bounds, nothing on the surface, a push in every tetrahedron that is not all core.
        prop_assert!(solid.extents.iter().all(|e| (0.0..=1.0).contains(e)));
        prop_assert!(solid.tets.iter().all(|t| t.iter().any(|&i| solid.extents[i as usize] > 0.0)));
        let extents = solid.extents.clone();
        let solid = solid.solid(1e5).unwrap();
        prop_assert!(watertight(solid.surface()));
        prop_assert!(solid.surface().iter().flatten().all(|&i| extents[i as usize] == 0.0));
        // No dips: every vertex has a neighbour that is not higher, down to the surface.
        let mut lowest = vec![f64::INFINITY; extents.len()];
        for t in solid.tets() {
            for &i in t {
                for &j in t.iter().filter(|&&j| j != i) {
                    lowest[i as usize] = lowest[i as usize].min(extents[j as usize]);
                }
            }
        }
        prop_assert!((0..extents.len()).all(|v| extents[v] == 0.0 || lowest[v] <= extents[v]));
    }

    #[test]
    fn forces_on_a_meshed_body_move_with_its_pose_without_jumps(
        seed in 0u64..10_000, r in prop::array::uniform3(-2.0f64..2.0), depth in 0.0f64..0.02
    ) {
        let (solid, _) = filled(&shapes::blob(seed, 0.05, 20), &at_resolution(0.012));
        let body = ContactSolid::Compliant(Arc::new(solid.solid(1e5).unwrap()));
        let x = |z: f64| pose([0.0, 0.0, z], r);
        let force = |z: f64| {
            patch(&ContactSolid::RigidHalfSpace, &Iso::identity(), &body, &x(z), &PatchOptions::default()).0.force
        };
        // p rises by no more than E / L per metre over no more than the whole cross-section, and sides of the patch move
        // with little pressure.
        let bound = |step: f64| 1e5 / 0.01 * (0.2f64 * 0.2) * step;
        let mut last = force(0.05 - depth);
        for k in 1..40 {
            let next = force(0.05 - depth - 1e-5 * f64::from(k));
            prop_assert!((next - last).norm() < bound(1e-5), "{} {}", last, next);
            last = next;
        }
    }
}

#[test]
fn a_meshed_ball_pushes_like_the_closed_form() {
    let (r, d, e) = (0.05, 0.008, 1e6);
    let exact = PI / 3.0 * e * d * d * (3.0 - 2.0 * d / r);
    let mut errors = Vec::new();
    for resolution in [0.01, 0.005] {
        let (solid, _) = filled(&ball(r, 64), &at_resolution(resolution));
        let body = ContactSolid::Compliant(Arc::new(solid.solid(e).unwrap()));
        let mut worst = 0.0f64;
        for k in 0..10 {
            let x = pose([0.0, 0.0, r - d], [0.5 * f64::from(k), 0.3, 0.0]);
            let (p, _) = patch(&ContactSolid::RigidHalfSpace, &Iso::identity(), &body, &x, &ALL);
            worst = worst.max((p.force.z / exact - 1.0).abs());
        }
        errors.push(worst);
    }
    println!("{errors:?}");
    assert!(errors[1] < 0.03 && errors[1] < errors[0], "{errors:?}");
}

#[test]
fn a_box_keeps_its_edges_and_corners() {
    let (solid, report) = filled(&turned(brick(0.1, 0.06, 0.04), [0.3, 0.5, -0.4]), &at_resolution(0.008));
    assert!(report.mesh.volume_error.unwrap().abs() < 6e-3, "{:?}", report.mesh.volume_error);
    assert!(report.mesh.deviation < 0.5 * 0.008, "{}", report.mesh.deviation);
    let x = pose([0.01, -0.02, 0.03], [0.3, 0.5, -0.4]);
    for k in 0..8 {
        let pick = |bit: i32, size: f64| if k >> bit & 1 == 1 { size } else { 0.0 };
        let corner = x.transform_point(&V3::new(pick(0, 0.1), pick(1, 0.06), pick(2, 0.04)).into()).coords;
        let nearest = solid.vertices.iter().map(|v| (v - corner).norm()).fold(f64::INFINITY, f64::min);
        assert!(nearest < 0.6 * 0.008, "corner {k}: {nearest}");
    }
}

#[test]
fn meshing_twice_gives_the_same_bits() {
    let options = at_resolution(0.01);
    assert_eq!(filled(&shapes::blob(3, 0.05, 20), &options), filled(&shapes::blob(3, 0.05, 20), &options));
}

#[test]
fn faults_of_surfaces_are_repaired_and_said() {
    let (v, f) = ball(0.05, 16);
    let volume = |vertices: &[V3], faces: &[[u32; 3]]| {
        let (s, r) = ClosedSurface::new(vertices, faces).unwrap();
        (s.volume().unwrap(), r)
    };
    let (whole, clean) = volume(&v, &f);
    assert!(clean.is_clean() && clean.notes().is_empty());
    // A soup of triangles, as STL has it, with jitter below a micrometre.
    let soup: Vec<V3> = f
        .iter()
        .flatten()
        .enumerate()
        .map(|(k, &i)| v[i as usize] + V3::new(1e-9, -1e-9, 1e-9) * (k % 3) as f64)
        .collect();
    let faces: Vec<[u32; 3]> = (0..f.len() as u32).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect();
    let (vol, r) = volume(&soup, &faces);
    assert!((vol / whole - 1.0).abs() < 1e-6 && r.welded_vertices == soup.len() - v.len(), "{r:?}");
    // Every third face turned.
    let mut turned = f.clone();
    turned.iter_mut().step_by(3).for_each(|t| t.swap(0, 1));
    let (vol, r) = volume(&v, &turned);
    assert!((vol / whole - 1.0).abs() < 1e-12 && r.flipped_faces == f.len().div_ceil(3));
    // All turned.
    let inverted: Vec<[u32; 3]> = f.iter().map(|t| [t[0], t[2], t[1]]).collect();
    let (vol, r) = volume(&v, &inverted);
    assert!((vol / whole - 1.0).abs() < 1e-12 && r.inverted_shells == 1);
    // A face twice, one back to back with itself elsewhere, one with a corner twice.
    let mut odd = f.clone();
    odd.extend([f[5], [0, 0, 1]]);
    let (vol, r) = volume(&v, &odd);
    assert!((vol / whole - 1.0).abs() < 1e-12 && r.duplicate_faces == 1 && r.collapsed_faces == 1, "{r:?}");
    // A missing face.
    let (vol, r) = volume(&v, &f[1..]);
    assert!((vol / whole - 1.0).abs() < 1e-3 && r.filled_holes == 1);
    assert!(r.notes()[0].contains("hole"));
    // A hollow.
    let (iv, mut inner) = ball(0.03, 12);
    inner.iter_mut().for_each(|t| t.swap(0, 1));
    let (hv, hf) = shapes::join([(v.clone(), f.clone()), (iv, inner)]);
    let (vol, r) = volume(&hv, &hf);
    assert!(r.cavities == 1 && r.shells == 2 && r.filled_shells == 0 && vol < 0.85 * whole, "{r:?}");
    let (solid, _) = filled(&(hv, hf), &at_resolution(0.008));
    let hollow = solid.vertices.iter().map(|v| v.norm()).fold(f64::INFINITY, f64::min);
    assert!(hollow > 0.025, "{hollow}");
    // Two that overlap: the union, and it is said.
    let moved: Vec<V3> = v.iter().map(|p| p + V3::new(0.04, 0.003, 0.001)).collect();
    let (s, r) = ClosedSurface::new(
        &shapes::join([(v.clone(), f.clone()), (moved.clone(), f.clone())]).0,
        &shapes::join([(v.clone(), f.clone()), (moved, f.clone())]).1,
    )
    .unwrap();
    assert!(r.self_intersections > 10 && r.filled_shells == 0 && s.volume().is_none());
    assert!(s.contains(&V3::new(0.02, 0.0, 0.0)) && s.contains(&V3::new(0.07, 0.0, 0.0)));
}

#[test]
fn surfaces_that_bound_nothing_are_refused_with_the_place() {
    let (v, f) = ball(0.05, 16);
    let open = ClosedSurface::new(&v, &f[f.len() / 3..]).unwrap_err();
    assert!(
        matches!(open, SurfaceError::Open { holes: 1, .. }) && open.to_string().contains("close"),
        "{open}"
    );
    // A Moebius strip, closed along its rim by nothing.
    let n = 24;
    let mut mv = Vec::new();
    for k in 0..n {
        let a = 2.0 * PI * f64::from(k) / f64::from(n);
        for s in [-0.3, 0.3] {
            let w = V3::new(a.cos(), a.sin(), 0.0) * (a / 2.0).cos() + V3::z() * (a / 2.0).sin();
            mv.push(V3::new(a.cos(), a.sin(), 0.0) + w * s);
        }
    }
    let mut mf = Vec::new();
    for k in 0..n as u32 {
        let (a, b) = (2 * k, 2 * k + 1);
        let (c, d) = if k + 1 == n as u32 { (1, 0) } else { (2 * k + 2, 2 * k + 3) };
        mf.extend([[a, b, d], [a, d, c]]);
    }
    assert!(matches!(ClosedSurface::new(&mv, &mf), Err(SurfaceError::NotOrientable { .. })));
    assert!(matches!(ClosedSurface::new(&v, &[]), Err(SurfaceError::Empty { .. })));
    assert!(matches!(ClosedSurface::new(&v, &[[0, 1, 99_999]]), Err(SurfaceError::BadIndex { .. })));
    let flat = [V3::zeros(), V3::x(), V3::y()];
    assert!(ClosedSurface::new(&flat, &[[0, 1, 2], [0, 2, 1]]).is_err());
    assert!(ClosedSurface::new(&[V3::repeat(f64::NAN)], &[[0, 0, 0]]).is_err());
}

#[test]
fn a_thin_wall_is_resolved_or_refused_with_its_thickness() {
    // A ball with a fin of 2 mm.
    let mut fin = brick(0.1, 0.06, 0.002);
    fin.0.iter_mut().for_each(|v| *v += V3::new(0.0, -0.03, 0.001));
    let shape = shapes::join([ball(0.05, 24), fin]);
    let (_, report) = filled(&shape, &at_resolution(0.01));
    assert!(report.mesh.components == 1 && report.mesh.lost_area < 0.01);
    assert!((report.mesh.thinnest_wall - 0.002).abs() < 2e-4, "{}", report.mesh.thinnest_wall);
    let mut coarse = at_resolution(0.01);
    coarse.mesher.refinements = 0;
    let error = fill(&shape.0, &shape.1, &coarse, &mut |_| {}).unwrap_err();
    let MeshingError::LostWalls { thickness, .. } = error else { panic!("{error}") };
    assert!((thickness - 0.002).abs() < 1e-4, "{thickness}");
}

#[test]
fn too_fine_a_resolution_is_refused() {
    let (v, f) = ball(0.05, 12);
    let error = fill(&v, &f, &at_resolution(1e-5), &mut |_| {}).unwrap_err();
    assert!(matches!(error, MeshingError::TooFine { .. }), "{error}");
    assert!(fill(&v, &f, &at_resolution(-1.0), &mut |_| {}).is_err());
    let mut options = at_resolution(0.01);
    options.field.kind = FieldKind::Laplace;
    assert!(fill(&v, &f, &options, &mut |_| {}).unwrap_err().to_string().contains("core"));
}

/// Slope of a solid's field in the tetrahedra that touch its surface near a point.
fn slope_near(solid: &Solid, p: &V3, within: f64) -> f64 {
    let (mut sum, mut count) = (0.0, 0);
    for (k, t) in solid.tets().iter().enumerate() {
        let middle = t.map(|i| solid.vertices()[i as usize]).iter().sum::<V3>() / 4.0;
        let touches = t.iter().filter(|&&i| solid.extents()[i as usize] == 0.0).count() == 3;
        if touches && (middle - p).norm() < within {
            sum += solid.field(k).0.norm();
            count += 1;
        }
    }
    assert!(count > 0);
    sum / f64::from(count)
}

#[test]
fn a_thin_leg_is_not_soft_because_the_seat_is_thick() {
    let seat = shapes::revolve(&[(0.0, 0.09), (0.07, 0.09), (0.07, 0.13), (0.0, 0.13)], 64, false);
    let leg = shapes::revolve(&[(0.0, 0.0), (0.008, 0.0), (0.008, 0.1), (0.0, 0.1)], 32, false);
    let shape = shapes::join([seat, leg]);
    let (local, report) = filled(&shape, &at_resolution(0.006));
    assert!(report.mesh.components == 1);
    let mut options = at_resolution(0.006);
    options.field.normalization = Normalization::Global;
    let (global, _) = filled(&shape, &options);
    let (local, global) = (local.solid(1.0).unwrap(), global.solid(1.0).unwrap());
    // Half way down the leg of radius 8 mm: p rises by the modulus over 8 mm.
    let side = V3::new(0.008, 0.0, 0.04);
    let (soft, right) = (slope_near(&global, &side, 0.015), slope_near(&local, &side, 0.015));
    println!("{} {}", soft * 0.008, right * 0.008);
    assert!((right * 0.008 - 1.0).abs() < 0.1, "{}", right * 0.008);
    assert!(soft < 0.5 * right);
    // On top of the seat (half thickness 20 mm) both agree.
    let seat = slope_near(&local, &V3::new(0.0, 0.0, 0.13), 0.03);
    assert!((seat * 0.02 - 1.0).abs() < 0.1, "{}", seat * 0.02);
}

/// A pad of 40 x 30 x 10 mm: soft on top, its back rigid, its sides insulated.
fn pad(kind: FieldKind) -> (TetMesh, Vec<f64>) {
    let mesh = meshed(&brick(0.04, 0.03, 0.01), 0.003);
    let facing = |direction: V3| Region::Facing { direction, angle: 40.0 };
    let mut regions: Vec<(Region, Boundary)> =
        [V3::x(), -V3::x(), V3::y(), -V3::y()].map(|d| (facing(d), Boundary::Insulated)).into();
    regions.push((facing(-V3::z()), Boundary::Rigid));
    let options = FieldOptions { kind, regions, ..Default::default() };
    let (field, _) = make_field(mesh, &options).unwrap();
    (field.mesh, field.extents)
}

#[test]
fn a_foam_pad_with_a_metal_back_has_a_straight_field() {
    // PFC Fig. 5.2, top: e = depth / thickness, whatever the equation.
    for kind in [FieldKind::Laplace, FieldKind::Distance] {
        let (mesh, extents) = pad(kind.clone());
        let (mut worst, mut mean) = (0.0f64, 0.0);
        for (v, e) in mesh.vertices.iter().zip(&extents) {
            let error = (e - (0.01 - v.z) / 0.01).abs();
            worst = worst.max(error);
            mean += error / extents.len() as f64;
        }
        println!("{kind:?} worst {worst} mean {mean}");
        assert!(mean < 5e-3 && worst < 0.15, "{kind:?} {mean} {worst}");
        let length = characteristic_length(&mesh.vertices, &mesh.tets, &extents);
        assert!((length / 0.01 - 1.0).abs() < 0.02, "{length}"); // PFC eq. C.8: the height of the layer
    }
}

#[test]
fn a_solid_foam_shape_rises_to_one_in_its_middle() {
    // PFC Fig. 5.2, middle: a wide slab, soft above and below: e = 1 - (x / R)^2.
    let mesh = meshed(&brick(0.06, 0.05, 0.012), 0.002);
    let regions = [V3::x(), -V3::x(), V3::y(), -V3::y()]
        .map(|direction| (Region::Facing { direction, angle: 40.0 }, Boundary::Insulated))
        .into();
    let options = FieldOptions { kind: FieldKind::Poisson, regions, ..Default::default() };
    let (field, _) = make_field(mesh, &options).unwrap();
    let mut worst = 0.0f64;
    for (v, e) in field.mesh.vertices.iter().zip(&field.extents) {
        if (v.x - 0.03).abs() < 0.015 && (v.y - 0.025).abs() < 0.015 {
            worst = worst.max((e - (1.0 - ((v.z - 0.006) / 0.006).powi(2))).abs());
        }
    }
    assert!(worst < 0.06, "{worst}");
}

#[test]
fn a_paddle_with_a_metal_core_is_rigid_in_the_core() {
    // PFC Fig. 5.2, bottom: a box of foam around a plate.
    let mut core = brick(0.05, 0.03, 0.006);
    core.0.iter_mut().for_each(|v| *v += V3::new(0.01, 0.01, 0.009));
    let (core, _) = ClosedSurface::new(&core.0, &core.1).unwrap();
    let mut options = at_resolution(0.004);
    options.field.kind = FieldKind::Laplace;
    options.field.core = Core::Surface(Box::new(core.clone()));
    let (solid, report) = filled(&brick(0.07, 0.05, 0.024), &options);
    assert!(report.field.core_vertices > 20);
    for (v, e) in solid.vertices.iter().zip(&solid.extents) {
        let depth = core.depth(v);
        if depth > 1e-3 {
            assert!(*e == 1.0, "{depth} {e}");
        } else if depth < -1.5e-3 {
            assert!(*e < 1.0, "{depth} {e}");
        }
    }
    // Above the middle of the core it is a layer of 9 mm.
    let solid = solid.solid(1.0).unwrap();
    let slope = slope_near(&solid, &V3::new(0.035, 0.025, 0.024), 0.006);
    assert!((slope * 0.009 - 1.0).abs() < 0.1, "{}", slope * 0.009);
}

#[test]
fn a_core_at_a_depth_makes_a_skin_of_that_depth() {
    let mut options = at_resolution(0.008);
    options.field.kind = FieldKind::Laplace;
    options.mesher.resolution = Some(0.004);
    options.field.core = Core::Depth(0.01);
    let (solid, _) = filled(&ball(0.05, 48), &options);
    // Between spheres of 40 and 50 mm: e = (1/r - 1/R) / (1/r0 - 1/R).
    let mut worst = 0.0f64;
    for (v, e) in solid.vertices.iter().zip(&solid.extents) {
        let exact = ((1.0 / v.norm() - 20.0) / (25.0 - 20.0)).clamp(0.0, 1.0);
        worst = worst.max((e - exact).abs());
    }
    assert!(worst < 0.06, "{worst}");
}

#[test]
fn a_stiffening_field_follows_its_curve_in_layers() {
    let mut options = at_resolution(0.008);
    options.field.stiffening = Stiffening::Hyperbolic { k: 0.8 };
    let (solid, report) = filled(&ball(0.05, 32), &options);
    assert!(report.field.layers >= 3 && (solid.scale - 5.0).abs() < 1e-12);
    // p / M0 = e / (1 - k e), and e is that of the field that does not stiffen: 1 - r / R to the error of the mesh.
    for (v, p) in solid.vertices.iter().zip(&solid.extents) {
        let e = p * 5.0 / (1.0 + 0.8 * p * 5.0);
        assert!((e - (1.0 - v.norm() / 0.05)).abs() < 0.06, "{e} {}", v.norm());
    }
    // L is that of the extent (PFC eq. 5.8): stiffening does not change it, and a ball's is its radius.
    let length = report.field.characteristic_length;
    let linear = filled(&ball(0.05, 32), &at_resolution(0.008)).1.field.characteristic_length;
    assert!(length == linear && (length / 0.05 - 1.0).abs() < 0.06, "{length} {linear}");
    // A user's curve with one kink.
    options.field.stiffening = Stiffening::Curve(vec![(0.0, 0.0), (0.5, 0.2), (1.0, 2.0)]);
    let (solid, report) = filled(&ball(0.05, 32), &options);
    assert!(report.field.layers == 2 && solid.scale == 2.0);
    options.field.stiffening = Stiffening::Hyperbolic { k: 1.0 };
    let (v, f) = ball(0.05, 12);
    assert!(fill(&v, &f, &options, &mut |_| {}).is_err());
}

/// A paraboloid that touches z = 0 from above, as fine triangles.
fn paraboloid(radius: f64, wide: f64, rings: usize) -> ContactSolid {
    let mut profile: Vec<(f64, f64)> = (0..=rings)
        .map(|k| {
            let r = wide * k as f64 / rings as f64;
            (r, r * r / (2.0 * radius))
        })
        .collect();
    let top = wide * wide / radius;
    profile.push((0.0, top));
    let (v, f) = shapes::revolve(&profile, 240, false);
    ContactSolid::Rigid(Arc::new(RigidMesh::from_triangles(v, f).unwrap()))
}

#[test]
fn halfspace_fields_give_hertz_and_the_flat_punch_within_a_percent() {
    let (e_star, r) = (1e6, 0.1);
    // Hertz (PFC eq. B.3) over two decades of depth.
    let deepest = 1e-3;
    let slab =
        halfspace::slab(0.2, 2.0 * deepest, |h| halfspace::sphere_pressure(e_star, r, h), 2e-3).unwrap();
    let slab = ContactSolid::Compliant(Arc::new(slab));
    for d in [1e-4, 3e-4, deepest] {
        let sphere = paraboloid(r, 1.1 * (2.0 * d * r).sqrt(), 60);
        let (p, _) = patch(&slab, &Iso::identity(), &sphere, &at(0.0, 0.0, -d), &ALL);
        let exact = 4.0 / 3.0 * e_star * r.sqrt() * d.powf(1.5);
        assert!((p.force.z / exact - 1.0).abs() < 0.01, "d = {d}: {} {exact}", p.force.z);
    }
    // Flat punch (PFC eq. B.1).
    let radius = 0.02;
    let slab = halfspace::slab(0.2, 0.01, |h| halfspace::punch_pressure(e_star, radius, h), 1e-3).unwrap();
    let slab = ContactSolid::Compliant(Arc::new(slab));
    let (v, f) = shapes::revolve(&[(0.0, 0.0), (radius, 0.0), (radius, 0.05), (0.0, 0.05)], 240, false);
    let punch = ContactSolid::Rigid(Arc::new(RigidMesh::from_triangles(v, f).unwrap()));
    let d = 1e-3;
    let (p, _) = patch(&slab, &Iso::identity(), &punch, &at(0.0, 0.0, -d), &ALL);
    let exact = 2.0 * e_star * d * radius;
    assert!((p.force.z / exact - 1.0).abs() < 0.01, "{} {exact}", p.force.z);
}

#[test]
fn moduli_of_layers_and_halfspaces() {
    // Without sideways strain both are Young's modulus.
    assert_eq!((modulus::layer(3e5, 0.0), modulus::halfspace(3e5, 0.0)), (3e5, 3e5));
    assert!((modulus::layer(1.0, 0.3) - 0.7 / (1.3 * 0.4)).abs() < 1e-15);
    // Under a punch of radius R the field of a thick part gives F = 2 E* d R.
    let (depth, radius, d) = (0.05, 0.01, 1e-3);
    let force = modulus::thick(1e6, 0.3, depth, radius) * d / depth * PI * radius * radius;
    assert!((force / (2.0 * modulus::halfspace(1e6, 0.3) * d * radius) - 1.0).abs() < 1e-12);
    assert_eq!(modulus::contact(1.0, 0.3, 0.001, 1.0), modulus::layer(1.0, 0.3));
    assert_eq!(modulus::contact(1.0, 0.3, 1.0, 0.001), modulus::thick(1.0, 0.3, 1.0, 0.001));
}

//! Static contact surfaces next to Drake 1.51 (`QueryObject.ComputeContactSurfaces`, polygons): the same
//! shapes, moduli and poses. Boxes have the same field in both, so they agree to rounding; curved
//! shapes are meshed differently: ours are coarser here (hint 4 or 5 mm against 1.5 to 3 mm) and still agree,
//! since they have the volume of the shape and Drake's are inscribed.

mod patch_support;

use patch_support::*;
use stiction_geometry::Shape;
use stiction_geometry::patch::ContactSolid;

struct Case {
    name: &'static str,
    a: ContactSolid,
    b: ContactSolid,
    x_wb: Iso,
    /// Drake's numbers.
    area: f64,
    centroid: [f64; 3],
    /// On B.
    force: [f64; 3],
    /// Relative tolerance.
    within: f64,
}

fn box_(x: f64, y: f64, z: f64) -> Shape {
    Shape::cuboid(V3::new(x, y, z) * 0.5).unwrap()
}

fn cases() -> Vec<Case> {
    let exact = 1e-11;
    let plate = || compliant(&box_(0.1, 0.12, 0.04), 1e7, 0.02);
    let brick = || compliant(&box_(0.06, 0.04, 0.08), 3e6, 0.02);
    let cube = || compliant(&box_(0.1, 0.1, 0.1), 3e6, 0.02);
    let tilt = [0.02, -0.03, 0.3];
    let soft_ground = ContactSolid::compliant_half_space(1e7, 0.1).unwrap();
    vec![
        Case {
            name: "brick on plate",
            a: plate(),
            b: brick(),
            x_wb: pose([0.004, -0.003, 0.0585], tilt),
            area: 0.0024111884650674775,
            centroid: [0.004985537773688208, -0.002091934015219342, 0.01968006432079221],
            force: [0.0, 0.0, 384.68972389127623],
            within: exact,
        },
        Case {
            name: "edge of brick on plate",
            a: plate(),
            b: brick(),
            x_wb: pose([0.004, -0.003, 0.065], [0.5, 0.1, 0.3]),
            area: 5.385314136574584e-06,
            centroid: [0.026394408409475767, 0.006423600546896517, 0.019981502939857093],
            force: [0.0, 0.0, 0.04914338877098294],
            within: exact,
        },
        Case {
            name: "cubes",
            a: compliant(&box_(0.1, 0.1, 0.1), 1e7, 0.02),
            b: compliant(&box_(0.1, 0.1, 0.1), 1e7, 0.02),
            x_wb: pose([0.02, 0.03, 0.098], [0.01, 0.02, 0.8]),
            area: 0.006160335565235313,
            centroid: [0.008967733841442109, 0.015083637314076125, 0.04909666701510923],
            force: [20.912755131906337, 13.403628561418591, 1051.6753740772706],
            within: exact,
        },
        Case {
            name: "brick on rigid plate",
            a: rigid(&box_(0.1, 0.12, 0.04), 0.02),
            b: brick(),
            x_wb: pose([0.004, -0.003, 0.0585], tilt),
            area: 0.0024015491663826466,
            centroid: [0.0050235411546116025, -0.002069127123042853, 0.02],
            force: [0.0, 0.0, 491.27496385402355],
            within: exact,
        },
        Case {
            name: "rigid brick on plate",
            a: plate(),
            b: rigid(&box_(0.06, 0.04, 0.08), 0.02),
            x_wb: pose([0.004, -0.003, 0.0585], tilt),
            area: 0.002695029757855677,
            centroid: [0.003912751178283999, -0.002737830655179911, 0.018582760267254483],
            force: [0.0, 0.0, 1770.178547134062],
            within: exact,
        },
        Case {
            name: "brick on rigid ground",
            a: ContactSolid::RigidHalfSpace,
            b: brick(),
            x_wb: pose([0.004, -0.003, 0.0385], tilt),
            area: 0.0024015491663826457,
            centroid: [0.005023541154611598, -0.0020691271230428515, 0.0],
            force: [0.0, 0.0, 491.2749638540233],
            within: exact,
        },
        Case {
            name: "rigid brick on soft ground",
            a: soft_ground,
            b: rigid(&box_(0.06, 0.04, 0.08), 0.02),
            x_wb: pose([0.004, -0.003, 0.0385], tilt),
            area: 0.0026950297578556773,
            centroid: [0.003912751178283997, -0.0027378306551799118, -0.0014172397327455138],
            force: [0.0, 0.0, 354.03570942681375],
            within: exact,
        },
        Case {
            name: "spheres",
            a: compliant(&Shape::sphere(0.1).unwrap(), 1e7, 0.005),
            b: compliant(&Shape::sphere(0.07).unwrap(), 3e6, 0.005),
            x_wb: pose([0.02, 0.03, 0.155], [0.01, 0.02, 0.8]),
            area: 0.0027098033220406405,
            centroid: [0.012088672801704064, 0.018132370463704296, 0.09368271943929309],
            force: [54.54301164485345, 81.8136404079945, 422.69622370822714],
            within: 0.005,
        },
        Case {
            name: "sphere on rigid ground",
            a: ContactSolid::RigidHalfSpace,
            b: compliant(&Shape::sphere(0.07).unwrap(), 3e6, 0.003),
            x_wb: pose([0.02, 0.03, 0.06], [0.01, 0.02, 0.8]),
            area: 0.004080885320086077,
            centroid: [0.019999874523171004, 0.030000084313049576, 0.0],
            force: [0.0, 0.0, 851.5209824366584],
            within: 0.005,
        },
        Case {
            name: "cube on standing cylinder",
            a: compliant(&Shape::cylinder(0.05, 0.1).unwrap(), 1e7, 0.004),
            b: cube(),
            x_wb: pose([0.02, 0.003, 0.148], [0.02, 0.03, 0.8]),
            area: 0.0066872400841106764,
            centroid: [0.007653236559732329, 0.0010166896533020473, 0.0995816413101245],
            force: [17.213626447470478, -2.16676922217623, 466.15837638117523],
            within: 0.002,
        },
        Case {
            name: "cube on coin",
            a: compliant(&Shape::cylinder(0.05, 0.02).unwrap(), 1e7, 0.004),
            b: cube(),
            x_wb: pose([0.02, 0.003, 0.068], [0.02, 0.03, 0.8]),
            area: 0.006769757182333998,
            centroid: [0.008004783064931683, 0.0009846772509365445, 0.019766650458505942],
            force: [20.103112793252155, -2.5097386233901693, 544.0428223181096],
            within: 0.002,
        },
        Case {
            name: "cube at side of capsule",
            a: compliant(&Shape::capsule(0.05, 0.1).unwrap(), 1e7, 0.004),
            b: cube(),
            x_wb: pose([0.096, 0.003, 0.05], [0.02, 0.03, 0.8]),
            area: 0.00412037427209115,
            centroid: [0.046463132197483596, 0.0017990292375970685, 0.050598008296710205],
            force: [1669.524510597182, 68.71577789615715, 0.03847218015472362],
            within: 0.005,
        },
        Case {
            name: "cube on ellipsoid",
            a: compliant(&Shape::ellipsoid(V3::new(0.05, 0.08, 0.06)).unwrap(), 1e7, 0.004),
            b: cube(),
            x_wb: pose([0.02, 0.003, 0.106], [0.02, 0.03, 0.8]),
            area: 0.0013994956578132923,
            centroid: [0.0013979312806613718, -0.0006685350632896896, 0.05783100236976241],
            force: [3.56251113413699, -0.6776105104292728, 103.26863731313753],
            within: 0.005,
        },
    ]
}

#[test]
fn contact_surfaces_agree_with_drake() {
    for c in cases() {
        let (p, f) = patch(&c.a, &Iso::identity(), &c.b, &c.x_wb, &ALL);
        let force = V3::from(c.force);
        let off = (p.force - force).norm() / force.norm();
        println!(
            "{:<28} {:>4} faces  area {:+.2e}  centroid {:.2e} m  force {off:.2e}",
            c.name,
            f.faces.len(),
            p.area / c.area - 1.0,
            (p.centroid - V3::from(c.centroid)).norm()
        );
        assert!(off < c.within, "{}: force {} instead of {force}", c.name, p.force);
        assert!(
            (p.area / c.area - 1.0).abs() < c.within,
            "{}: area {} instead of {}",
            c.name,
            p.area,
            c.area
        );
        let tolerance = c.within * c.area.sqrt() + 1e-12;
        assert!((p.centroid - V3::from(c.centroid)).norm() < tolerance, "{}: {}", c.name, p.centroid);
    }
}

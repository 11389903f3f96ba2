//! The visitor of indices meets every index of a world that has one of everything.

use stiction_model::*;

/// Values that occur nowhere else: each kind of index has a range of its own, each place a number of its own.
#[derive(Default)]
struct Marks(usize);

impl Marks {
    fn next(&mut self, kind: usize) -> usize {
        self.0 += 1;
        1_000_000 + 10_000 * kind + self.0
    }

    fn joint(&mut self) -> (usize, usize) {
        (self.next(1), self.next(2))
    }
}

const BODY: usize = 0;
const GEOM: usize = 3;
const SITE: usize = 4;
const MESH: usize = 5;
const FIELD: usize = 6;
const TENDON: usize = 7;
const ACTUATOR: usize = 8;
const MATERIAL: usize = 9;
const CAMERA: usize = 10;

fn frames(m: &mut Marks) -> Vec<FrameOf> {
    vec![
        FrameOf::Body(m.next(BODY)),
        FrameOf::Inertial(m.next(BODY)),
        FrameOf::Geom(m.next(GEOM)),
        FrameOf::Site(m.next(SITE)),
        FrameOf::Camera(m.next(CAMERA)),
    ]
}

fn sensors(m: &mut Marks) -> Vec<SensorKind> {
    use SensorKind as K;
    let mut kinds = vec![
        K::Touch { site: m.next(SITE) },
        K::Accelerometer { site: m.next(SITE) },
        K::Velocimeter { site: m.next(SITE) },
        K::Gyro { site: m.next(SITE) },
        K::Force { site: m.next(SITE) },
        K::Torque { site: m.next(SITE) },
        K::Magnetometer { site: m.next(SITE) },
        K::Rangefinder { site: m.next(SITE) },
        K::JointPosition { joint: m.joint() },
        K::JointVelocity { joint: m.joint() },
        K::JointActuatorForce { joint: m.joint() },
        K::JointLimitPosition { joint: m.joint() },
        K::JointLimitVelocity { joint: m.joint() },
        K::JointLimitForce { joint: m.joint() },
        K::BallOrientation { joint: m.joint() },
        K::BallVelocity { joint: m.joint() },
        K::TendonPosition { tendon: m.next(TENDON) },
        K::TendonVelocity { tendon: m.next(TENDON) },
        K::TendonActuatorForce { tendon: m.next(TENDON) },
        K::TendonLimitPosition { tendon: m.next(TENDON) },
        K::TendonLimitVelocity { tendon: m.next(TENDON) },
        K::TendonLimitForce { tendon: m.next(TENDON) },
        K::ActuatorPosition { actuator: m.next(ACTUATOR) },
        K::ActuatorVelocity { actuator: m.next(ACTUATOR) },
        K::ActuatorForce { actuator: m.next(ACTUATOR) },
        K::SubtreeCenterOfMass { body: m.next(BODY) },
        K::SubtreeVelocity { body: m.next(BODY) },
        K::SubtreeAngularMomentum { body: m.next(BODY) },
        K::CameraProjection { site: m.next(SITE), camera: m.next(CAMERA) },
        K::User { size: 3 },
        K::PotentialEnergy,
        K::KineticEnergy,
        K::Clock,
    ];
    for frame in frames(m) {
        let reference = Some(FrameOf::Body(m.next(BODY)));
        kinds.push(K::FramePosition { frame, reference });
    }
    for reference in frames(m).into_iter().map(Some).chain([None]) {
        let frame = FrameOf::Body(m.next(BODY));
        kinds.push(K::FrameOrientation { frame, reference });
    }
    let one = |m: &mut Marks| FrameOf::Site(m.next(SITE));
    kinds.extend([
        K::FrameAxis { frame: one(m), axis: 2, reference: Some(one(m)) },
        K::FrameLinearVelocity { frame: one(m), reference: Some(one(m)) },
        K::FrameAngularVelocity { frame: one(m), reference: Some(one(m)) },
        K::FrameLinearAcceleration { frame: one(m) },
        K::FrameAngularAcceleration { frame: one(m) },
        K::InsideSite { frame: one(m), site: m.next(SITE) },
    ]);
    let sides = |m: &mut Marks| (GeomsOf::Geom(m.next(GEOM)), GeomsOf::Body(m.next(BODY)));
    let ((a, b), (c, d), (e, f)) = (sides(m), sides(m), sides(m));
    kinds.extend([
        K::Distance { first: a, second: b },
        K::DistanceDirection { first: d, second: c },
        K::DistancePoints { first: e, second: f },
    ]);
    let contact = |first, second| {
        let (fields, choice) = (ContactFields::default(), ContactChoice::default());
        K::Contact { contact: ContactReading { first, second, fields, choice, slots: 1 } }
    };
    kinds.extend([
        contact(ContactsOf::Any, ContactsOf::Geom(m.next(GEOM))),
        contact(ContactsOf::Body(m.next(BODY)), ContactsOf::Subtree(m.next(BODY))),
        contact(ContactsOf::Site(m.next(SITE)), ContactsOf::Any),
    ]);
    kinds
}

fn equalities(m: &mut Marks) -> Vec<EqualityKind> {
    let (coefficients, point) = ([0.0; 5], Vec3::zeros());
    let (point_a, point_b, pose_ab) = (point, point, Pose::identity());
    let bodies = |m: &mut Marks| (m.next(BODY), m.next(BODY));
    let ((a, b), (c, d), (e, f)) = (bodies(m), bodies(m), bodies(m));
    vec![
        EqualityKind::Joint { first: m.joint(), second: Some(m.joint()), coefficients },
        EqualityKind::Tendon { first: m.next(TENDON), second: Some(m.next(TENDON)), coefficients },
        EqualityKind::Connect { body_a: a, body_b: b, point_a, point_b },
        EqualityKind::Weld { body_a: c, body_b: d, pose_ab, point_b },
        EqualityKind::Distance { body_a: e, body_b: f, point_a, point_b, distance: 1.0 },
    ]
}

fn transmissions(m: &mut Marks) -> Vec<Transmission> {
    let (joint, in_parent) = (m.joint(), m.joint());
    vec![
        Transmission::Joint { body: joint.0, joint: joint.1, gear: [1.0; 6] },
        Transmission::JointInParent { body: in_parent.0, joint: in_parent.1, gear: [1.0; 6] },
        Transmission::Tendon { tendon: m.next(TENDON), gear: 1.0 },
        Transmission::Site { site: m.next(SITE), reference: Some(m.next(SITE)), gear: [1.0; 6] },
        Transmission::SliderCrank { slider: m.next(SITE), crank: m.next(SITE), rod: 1.0, gear: 1.0 },
        Transmission::Body { body: m.next(BODY), gear: 1.0 },
    ]
}

fn world_of_everything(m: &mut Marks) -> World {
    let mut world = World::new("everything");
    world.bodies.push(Body::new("body", m.next(BODY)));
    for shape in
        [Shape::Mesh { mesh: m.next(MESH), convex: true }, Shape::HeightField { field: m.next(FIELD) }]
    {
        let mut geom = Geom::new("geom", m.next(BODY), shape);
        geom.material = Some(m.next(MATERIAL));
        world.geoms.push(geom);
    }
    world.sites.push(Site::new("site", m.next(BODY)));
    let source = Source::default;
    world.actuators = transmissions(m).into_iter().map(|t| Actuator::motor("", t)).collect();
    world.sensors = sensors(m)
        .into_iter()
        .map(|kind| Sensor { name: String::new(), kind, cutoff: None, source: source() })
        .collect();
    let path = TendonPath::Fixed { terms: vec![(m.joint(), 1.0), (m.joint(), 1.0)] };
    world.tendons.push(Tendon::new("fixed", path));
    let stages = vec![
        PathStage::Site { site: m.next(SITE) },
        PathStage::Wrap { geom: m.next(GEOM), side: Some(m.next(SITE)) },
        PathStage::Pulley { divisor: 2.0 },
    ];
    world.tendons.push(Tendon::new("spatial", TendonPath::Spatial { stages }));
    let equality = |kind| Equality {
        name: String::new(),
        kind,
        active: true,
        stiffness: None,
        relaxation_time: 0.0,
        source: source(),
    };
    world.equalities = equalities(m).into_iter().map(equality).collect();
    world.bushings.push(Bushing::new("bushing", m.next(BODY), m.next(BODY)));
    let contact = ContactProperties::default();
    world.pairs.push(ContactPair { geom_a: m.next(GEOM), geom_b: m.next(GEOM), contact, source: source() });
    world.exclusions.push((m.next(BODY), m.next(BODY)));
    world.visual.cameras.push(Camera {
        name: String::new(),
        body: m.next(BODY),
        pose: Pose::identity(),
        field_of_view: 1.0,
        resolution: [1, 1],
        focal: None,
        source: source(),
    });
    world.visual.lights.push(Light {
        body: m.next(BODY),
        position: Vec3::zeros(),
        direction: Vec3::z(),
        directional: false,
        color: [1.0; 3],
    });
    world
}

/// Whole numbers of at least `least` in the text of a world: all of its fields are in there. The limits of its size do not count:
/// they are large, and no indices.
fn numbers(world: &World, least: usize) -> usize {
    let count = |text: String| {
        let words = text.split(|c: char| !c.is_ascii_digit()).filter_map(|word| word.parse().ok());
        words.filter(|n: &usize| *n >= least).count()
    };
    count(format!("{world:?}")) - count(format!("{:?}", world.options.limits))
}

#[test]
fn every_index_is_visited_once_as_what_it_is() {
    let mut marks = Marks::default();
    let mut world = world_of_everything(&mut marks);
    assert_eq!(numbers(&world, 1_000_000), marks.0);
    let mut visited = 0;
    let mut take = |index: &mut usize, kind: usize| {
        let range = 1_000_000 + 10_000 * kind;
        assert!((range..range + 10_000).contains(index), "{index} is no index of kind {kind}");
        (*index, visited) = (0, visited + 1);
    };
    let all = world.visit_indices(&mut |index| {
        match index {
            Index::Body(b) => take(b, BODY),
            Index::Joint(b, j) => {
                take(b, 1);
                take(j, 2);
            }
            Index::Geom(g) => take(g, GEOM),
            Index::Site(s) => take(s, SITE),
            Index::Mesh(m) => take(m, MESH),
            Index::HeightField(h) => take(h, FIELD),
            Index::Tendon(t) => take(t, TENDON),
            Index::Actuator(a) => take(a, ACTUATOR),
            Index::Material(m) => take(m, MATERIAL),
            Index::Camera(c) => take(c, CAMERA),
        }
        Some(())
    });
    assert_eq!(all, Some(()));
    assert_eq!(visited, marks.0);
    assert_eq!(numbers(&world, 1_000_000), 0);
}

#[test]
fn a_visit_ends_where_it_is_told_to() {
    let mut world = world_of_everything(&mut Marks::default());
    let mut visited = 0;
    let ended = world.visit_indices(&mut |_| {
        visited += 1;
        (visited < 5).then_some(())
    });
    assert_eq!((ended, visited), (None, 5));
}

#[test]
fn a_reference_to_nothing_is_refused_whatever_holds_it() {
    // A body to which everything may be fixed, and one item at a time that refers to what is not there.
    let mut base = World::new("base");
    base.bodies.push(Body::new("body", 0));
    assert_eq!(base.validate(), Ok(()));
    let all = world_of_everything(&mut Marks::default());
    let mut refused = 0;
    let mut refuse = |change: &dyn Fn(&mut World)| {
        let mut world = base.clone();
        change(&mut world);
        assert!(world.validate().is_err(), "{world:?}");
        refused += 1;
    };
    let with_index = all.sensors.iter().filter(|s| (*s).clone().visit_indices(&mut |_| None).is_none());
    with_index.for_each(|x| refuse(&|w| w.sensors.push(x.clone())));
    all.geoms.iter().for_each(|x| refuse(&|w| w.geoms.push(x.clone())));
    all.sites.iter().for_each(|x| refuse(&|w| w.sites.push(x.clone())));
    all.actuators.iter().for_each(|x| refuse(&|w| w.actuators.push(x.clone())));
    all.tendons.iter().for_each(|x| refuse(&|w| w.tendons.push(x.clone())));
    all.equalities.iter().for_each(|x| refuse(&|w| w.equalities.push(x.clone())));
    all.bushings.iter().for_each(|x| refuse(&|w| w.bushings.push(x.clone())));
    all.pairs.iter().for_each(|x| refuse(&|w| w.pairs.push(x.clone())));
    all.exclusions.iter().for_each(|x| refuse(&|w| w.exclusions.push(*x)));
    all.visual.cameras.iter().for_each(|x| refuse(&|w| w.visual.cameras.push(x.clone())));
    all.visual.lights.iter().for_each(|x| refuse(&|w| w.visual.lights.push(x.clone())));
    refuse(&|w| {
        w.geoms.push(Geom { material: Some(7), ..Geom::new("g", 0, Shape::Sphere { radius: 1.0 }) });
    });
    assert!(refused > 60, "{refused}");
}

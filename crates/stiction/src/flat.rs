//! A model with its options as flat arrays, for machines that step many worlds at once (`stiction-gpu`).
//!
//! [`FlatModel`] has what a step reads: trees, geoms, pairs of geoms that may touch with their combined contact properties, limits,
//! actuators. `crates/gpu/kernels/model.h` has the same layout. What those steps do not have is refused here, by the table of
//! [`crate::methods::support`].

use crate::error::OptionError;
use crate::forces::transmission::Link;
use crate::methods::support::{MethodKind, refusals};
use crate::model::geom_id::pair_of;
use crate::model::material::PairMaterial;
use crate::model::{CollidingGeomId, GeomId, Model};
use crate::options::Options;
use crate::state::{ContactStretch, State};
use nalgebra::Vector3;
use stiction_geometry::Shape;
use stiction_model::{ContactCalibration, JointKind};

/// Sizes, places of tables and options: `Header` of the kernels, in C's layout.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[allow(missing_docs)]
pub struct Header {
    pub nq: i32,
    pub nv: i32,
    pub nu: i32,
    pub nodes: i32,
    pub bodies: i32,
    pub trees: i32,
    pub geoms: i32,
    pub pairs: i32,
    pub limits: i32,
    pub drives: i32,
    pub frictions: i32,
    pub levels: i32,
    pub i_node: i32,
    pub i_level: i32,
    pub i_child: i32,
    pub i_body: i32,
    pub i_tree: i32,
    pub i_dof: i32,
    pub i_geom: i32,
    pub i_pair: i32,
    pub i_limit: i32,
    pub i_drive: i32,
    pub i_friction: i32,
    pub r_node: i32,
    pub r_body: i32,
    pub r_tree: i32,
    pub r_dof: i32,
    pub r_geom: i32,
    pub r_pair: i32,
    pub r_limit: i32,
    pub r_drive: i32,
    pub r_friction: i32,
    pub max_contacts: i32,
    pub max_manifolds: i32,
    pub max_links: i32,
    pub max_columns: i32,
    pub factor_size: i32,
    pub panel: i32,
    pub mass_size: i32,
    pub rows: i32,
    pub words: i32,
    pub any_group: i32,
    pub all_free: i32,
    pub springs: i32,
    pub friction_passes: i32,
    pub max_iterations: i32,
    pub limit_stiffness: i32,
    pub dt: f64,
    pub gravity: [f64; 3],
    pub stiction_tolerance: f64,
    pub regularization: f64,
    pub relative_tolerance: f64,
    pub stiffness_limit: f64,
    pub spring_ratio: f64,
    pub spring_relaxation: f64,
}

/// A model and options as flat arrays.
#[derive(Clone, Debug, PartialEq)]
pub struct FlatModel {
    /// Sizes and options.
    pub header: Header,
    /// Tables of integers.
    pub integers: Vec<i32>,
    /// Tables of numbers.
    pub numbers: Vec<f64>,
    /// The geoms of each pair that may touch, by their indices in the world.
    pub pairs: Vec<[usize; 2]>,
}

/// Everything that steps on a GPU do not have of a model and options, each with its remedy.
pub fn refused(model: &Model, options: &Options) -> Vec<String> {
    let mut list: Vec<String> = refusals(model.world(), options, MethodKind::Gpu).collect();
    let compiled = model.compiled();
    for (drive, actuator) in compiled.drives.drives.iter().zip(&compiled.world.actuators) {
        let joint = matches!(actuator.transmission, stiction_model::Transmission::Joint { .. });
        if joint && !matches!(drive.link, Link::Coordinate { .. }) {
            list.push(format!(
                "{}: actuator \"{}\" drives several coordinates, which steps on a GPU do not support: drive hinges and slides",
                actuator.source, actuator.name
            ));
        }
    }
    list
}

impl FlatModel {
    /// Compiles a model for worlds with at most `contacts` contact points at a time.
    pub fn new(model: &Model, options: &Options, contacts: usize) -> Result<Self, OptionError> {
        options.check()?;
        let refused = refused(model, options);
        if !refused.is_empty() {
            return Err(OptionError::Unused(refused.join("\n")));
        }
        model.multibody().check_inertia().map_err(OptionError::NoInertia)?;
        let mut tables = Tables::default();
        let mut header = tables.trees(model);
        let pairs = tables.geoms(model, options, &mut header);
        tables.forces(model, &mut header);
        sizes(model, &mut header, contacts, pairs.len());
        let springs = crate::step::assemble::active_springs(options, &ContactCalibration::default());
        header.springs = i32::from(springs.is_some());
        if let Some(springs) = springs {
            header.spring_ratio = springs.stiffness_ratio;
            header.spring_relaxation = springs.relaxation_time.unwrap_or(-1.0);
        }
        header.friction_passes = options.friction_passes as i32;
        header.max_iterations = options.max_iterations.min(i32::MAX as usize) as i32;
        header.limit_stiffness = i32::from(options.limit_stiffness);
        header.dt = options.step;
        header.gravity = model.multibody().gravity().into();
        header.stiction_tolerance = options.stiction_tolerance;
        header.regularization = options.regularization;
        header.relative_tolerance = options.solve_tolerance();
        header.stiffness_limit = options.stiffness_limit();
        let Tables { integers, numbers } = tables;
        Ok(Self { header, integers, numbers, pairs })
    }
}

#[derive(Default)]
struct Tables {
    integers: Vec<i32>,
    numbers: Vec<f64>,
}

impl Tables {
    /// Where the next tables begin.
    fn here(&self) -> (i32, i32) {
        (self.integers.len() as i32, self.numbers.len() as i32)
    }

    fn row(&mut self, integers: &[i32], numbers: &[f64]) {
        self.integers.extend_from_slice(integers);
        self.numbers.extend_from_slice(numbers);
    }

    fn trees(&mut self, model: &Model) -> Header {
        let multibody = model.multibody();
        let nodes = multibody.flat_nodes();
        let mut children = vec![Vec::new(); nodes.len()];
        let mut depth = vec![0; nodes.len()];
        for (n, node) in nodes.iter().enumerate().skip(1) {
            depth[n] = depth[node.parent] + 1;
            if !node.root {
                children[node.parent].push(n as i32);
            }
        }
        let mut header = Header {
            nq: multibody.nq() as i32,
            nv: multibody.nv() as i32,
            nu: model.nu() as i32,
            nodes: nodes.len() as i32,
            bodies: multibody.body_count() as i32,
            trees: multibody.trees().len() as i32,
            all_free: 1,
            levels: depth.iter().max().copied().unwrap_or(0),
            ..Header::default()
        };
        (header.i_node, header.r_node) = self.here();
        let mut first_child = 0;
        for (node, children) in nodes.iter().zip(&children) {
            let [q, v, nv] = node.coordinates.map(|x| x as i32);
            let (root, inertia) = (i32::from(node.root), i32::from(node.has_inertia));
            let tree = node.tree.map_or(-1, |t| t as i32);
            let count = children.len() as i32;
            let parent = node.parent as i32;
            let row = [node.motion, parent, root, tree, q, v, nv, inertia, count, first_child];
            self.row(&row, &node.numbers);
            first_child += count;
        }
        header.i_level = self.here().0;
        let levels: Vec<Vec<i32>> = (1..=header.levels)
            .map(|level| (0..nodes.len()).filter(|&n| depth[n] == level).map(|n| n as i32).collect())
            .collect();
        let mut from = 0;
        for level in &levels {
            self.integers.push(from);
            from += level.len() as i32;
        }
        self.integers.push(from);
        self.integers.extend(levels.iter().flatten());
        header.i_child = self.here().0;
        self.integers.extend(children.iter().flatten());

        (header.i_body, header.r_body) = self.here();
        for body in 0..multibody.body_count() {
            let (node, pose) = multibody.flat_mount(body);
            let tree = multibody.body_tree(body).map_or(-1, |t| t as i32);
            let last = multibody.body_dofs(body).last().map_or(-1, |run| run.end as i32 - 1);
            self.row(&[node as i32, tree, last], &pose);
        }
        (header.i_tree, header.r_tree) = self.here();
        let mut masses = vec![0.0; multibody.trees().len()];
        for (index, body) in model.world().bodies.iter().enumerate() {
            if let Some(tree) = multibody.body_tree(index) {
                masses[tree] += body.inertia.mass;
            }
        }
        for (tree, mass) in multibody.trees().iter().zip(masses) {
            let n = tree.v.len() as i32;
            let joint = multibody.joints().iter().find(|j| j.v.start == tree.v.start);
            let floating = joint.is_some_and(|j| j.kind == JointKind::Free && j.v == tree.v);
            header.all_free &= i32::from(floating);
            let row =
                [tree.v.start as i32, n, header.mass_size, i32::from(floating), tree.root_body as i32, 0];
            self.row(&row, &[mass]);
            header.mass_size += n * n;
        }
        (header.i_dof, header.r_dof) = self.here();
        let tree_of = |dof: usize| multibody.trees().iter().position(|t| t.v.contains(&dof)).unwrap_or(0);
        for (dof, described) in multibody.dofs().iter().enumerate() {
            let node = nodes.iter().position(|n| {
                let [_, v, nv] = n.coordinates;
                n.motion > 0 && (v..v + nv).contains(&dof)
            });
            let parent = multibody.parent_dof(dof).map_or(-1, |p| p as i32);
            let numbers = [
                multibody.armature()[dof],
                multibody.damping()[dof],
                multibody.stiffness()[dof],
                described.rest,
            ];
            self.row(&[parent, tree_of(dof) as i32, node.unwrap_or(0) as i32], &numbers);
        }
        header
    }

    /// Geoms, and the pairs of them that may touch, sorted by pairs of bodies.
    fn geoms(&mut self, model: &Model, options: &Options, header: &mut Header) -> Vec<[usize; 2]> {
        let compiled = model.compiled();
        let geoms = compiled.geoms.geoms();
        header.geoms = geoms.len() as i32;
        let groups = crate::contact::interior::groups(compiled);
        header.any_group = i32::from(groups.iter().any(Option::is_some));
        (header.i_geom, header.r_geom) = self.here();
        for (geom, group) in geoms.iter().zip(&groups) {
            let (kind, size, radius) = match &geom.shape {
                Shape::HalfSpace => (0, [0.0; 3], 0.0),
                Shape::Sphere { radius } => (1, [*radius, 0.0, 0.0], *radius),
                Shape::Box { half_extents: h } => (2, [h.x, h.y, h.z], h.norm()),
                Shape::Capsule { radius, half_length } => {
                    (3, [*radius, *half_length, 0.0], radius + half_length)
                }
                _ => unreachable!("other shapes were refused"),
            };
            let group = group.map_or(-1, |g| g as i32);
            let (turn, place) = (geom.x_bg.rotation, geom.x_bg.translation.vector);
            let pose = [turn.w, turn.i, turn.j, turn.k, place.x, place.y, place.z, radius];
            self.row(&[kind, geom.body as i32, group], &[&size[..], &pose].concat());
        }
        let body = |geom: usize| compiled.carrier[geoms[geom].body];
        let mut pairs: Vec<(usize, usize, usize, usize)> = Vec::new();
        for b in 0..geoms.len() {
            for a in (0..b).filter(|&a| compiled.geoms.tests_pair(a, b)) {
                let bodies = (body(a).min(body(b)), body(a).max(body(b)));
                pairs.push((bodies.0, bodies.1, a, b));
            }
        }
        pairs.sort_unstable();
        header.pairs = pairs.len() as i32;
        (header.i_pair, header.r_pair) = self.here();
        for &(body_a, body_b, a, b) in &pairs {
            let of = pair_of(&(a as u32, b as u32));
            let material = compiled.pair_material(of, PairMaterial::combine);
            let swapped = i32::from(body(b) < body(a));
            let margin = options.margin.max(geoms[a].margin).max(geoms[b].margin);
            let numbers = [
                material.stiffness,
                material.dissipation,
                material.relaxation_time,
                material.static_friction,
                material.dynamic_friction,
                material.weight_b,
                margin,
                0.0,
            ];
            self.row(&[a as i32, b as i32, body_a as i32, body_b as i32, swapped], &numbers);
        }
        let in_world = |g: usize| compiled.colliding.in_world(CollidingGeomId::new(g)).0;
        pairs.iter().map(|p| [in_world(p.2), in_world(p.3)]).collect()
    }

    /// Limits, actuators and dry friction.
    fn forces(&mut self, model: &Model, header: &mut Header) {
        let compiled = model.compiled();
        header.limits = compiled.limits.coordinates.len() as i32;
        (header.i_limit, header.r_limit) = self.here();
        for limit in &compiled.limits.coordinates {
            let numbers = [limit.lower, limit.upper, limit.stiffness.unwrap_or(-1.0)];
            self.row(&[limit.q as i32, limit.v as i32], &numbers);
        }
        header.drives = compiled.drives.drives.len() as i32;
        (header.i_drive, header.r_drive) = self.here();
        for drive in &compiled.drives.drives {
            let Link::Coordinate { q, gear } = drive.link else { unreachable!("others were refused") };
            let joint = model.multibody().joints().iter().find(|j| j.q.contains(&q));
            let v = joint.map_or(0, |j| j.v.start + q - j.q.start);
            let numbers = [&[gear][..], &drive.gain, &drive.bias, &drive.control_range, &drive.force_range];
            self.row(&[q as i32, v as i32], &numbers.concat());
        }
        header.frictions = compiled.dry_friction.len() as i32;
        (header.i_friction, header.r_friction) = self.here();
        for &(dof, force) in &compiled.dry_friction {
            self.row(&[dof as i32], &[force]);
        }
    }
}

/// Sizes of a world's memory.
fn sizes(model: &Model, header: &mut Header, contacts: usize, pairs: usize) {
    let multibody = model.multibody();
    let bodies = 0..multibody.body_count();
    let chain = |body: usize| multibody.body_dofs(body).iter().map(std::ops::Range::len).sum::<usize>();
    let longest = bodies.map(chain).max().unwrap_or(0);
    let sizes: Vec<usize> = multibody.trees().iter().map(|t| t.v.len()).collect();
    let (nv, largest) = (multibody.nv(), sizes.iter().max().copied().unwrap_or(0));
    header.max_contacts = contacts.max(1) as i32;
    // Also those that are near but do not touch.
    header.max_manifolds = pairs.min(2 * contacts).max(1) as i32;
    header.max_links = contacts.max(1).min(pairs.max(1)) as i32;
    header.max_columns = (2 * longest).max(1) as i32;
    // Every block of the lower triangle, at most.
    let squares: usize = sizes.iter().map(|n| n * n).sum();
    header.factor_size = ((nv * nv + squares) / 2).max(1) as i32;
    header.panel = (2 * nv * largest).max(1) as i32;
    header.rows = 2 * header.limits + header.drives + header.frictions;
    header.words = header.trees.div_euclid(64) + 1;
}

impl FlatModel {
    /// The tangential springs of a state: the pair of geoms of each, in order, and six numbers each (place and stretch in the frame
    /// of A's body).
    pub fn springs(&self, model: &Model, state: &State) -> (Vec<i32>, Vec<f64>) {
        let mut found: Vec<(i32, usize)> = Vec::new();
        for (k, stretch) in state.stretches.iter().enumerate() {
            let geoms = [stretch.geoms.0, stretch.geoms.1].map(|g| model.geom_id(g).0);
            if let Some(pair) = self.pairs.iter().position(|p| *p == geoms) {
                found.push((pair as i32, k));
            }
        }
        found.sort();
        let numbers = found.iter().flat_map(|&(_, k)| {
            let ContactStretch { point_a: p, stretch: s, .. } = &state.stretches[k];
            [p.x, p.y, p.z, s.x, s.y, s.z]
        });
        (found.iter().map(|f| f.0).collect(), numbers.collect())
    }

    /// The same springs as a state has them.
    pub fn stretches(&self, model: &Model, pairs: &[i32], numbers: &[f64]) -> Vec<ContactStretch> {
        let colliding = |geom: usize| model.compiled().colliding.find(GeomId(geom));
        let mut list: Vec<ContactStretch> = Vec::new();
        for (&pair, x) in pairs.iter().zip(numbers.chunks_exact(6)) {
            let Some(&[a, b]) = self.pairs.get(pair as usize) else { continue };
            let (Some(a), Some(b)) = (colliding(a), colliding(b)) else { continue };
            list.push(ContactStretch {
                geoms: (a, b),
                point_a: Vector3::new(x[0], x[1], x[2]),
                stretch: Vector3::new(x[3], x[4], x[5]),
                turn: Vector3::zeros(),
            });
        }
        list.sort_by_key(|s| s.geoms);
        list
    }
}

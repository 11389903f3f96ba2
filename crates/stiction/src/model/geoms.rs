//! Collision shapes of the description's geoms, with the collision filters.

use crate::error::LoadError;
use crate::model::Compiled;
use crate::model::geom_id::{CollidingGeomId, CollidingGeoms, GeomId, GeomPair};
use crate::model::material::{GeomMaterial, PairOverride};
use crate::model::solids::{compile_solids, vary_solid};
use crate::sensing::sensors::Sensors;
use std::sync::Arc;
use stiction_geometry::patch::ContactSolid;
use stiction_geometry::{
    BodyRule, CollisionRules, ConvexHull, Geom, GeomSet, GeometryError, HeightField, Shape, TriangleMesh,
};
use stiction_model::{Compliance, GeomRole, Warning, World};

pub(crate) struct Shapes {
    pub geoms: Arc<GeomSet>,
    pub colliding: CollidingGeoms,
    pub materials: Vec<GeomMaterial>,
    /// Pairs of geoms with their own material, sorted.
    pub pair_materials: Vec<(GeomPair, PairOverride)>,
    /// Patch-contact geometry of each geom. Empty if no geom is compliant.
    pub solids: Vec<ContactSolid>,
    /// Data for sensors.
    pub sensors: Arc<Sensors>,
}

/// Builds the collision shapes. Meshes used several times are built once.
pub(crate) fn compile_geoms(
    world: &World,
    carrier: &[usize],
    warnings: &mut Vec<Warning>,
) -> Result<Shapes, LoadError> {
    let mut library = Library::new(world);
    let (mut geoms, mut colliding, mut materials) = (Vec::new(), CollidingGeoms::default(), Vec::new());
    for (index, geom) in world.geoms.iter().enumerate() {
        let touches = geom.role != GeomRole::Visual && (geom.filter.group != 0 || geom.filter.mask != 0);
        // An explicit contact pair ignores the filters of its geoms.
        if !touches && !world.pairs.iter().any(|p| p.geom_a == index || p.geom_b == index) {
            continue;
        }
        let shape = match library.shape(&geom.shape) {
            Ok(shape) => shape,
            // Meshes often come from third parties. A mesh without a hull does not prevent the model from running,
            // unless an option requires the mesh.
            Err(error)
                if matches!(geom.shape, stiction_model::Shape::Mesh { convex: true, .. })
                    && geom.contact.compliance == Compliance::Unspecified =>
            {
                let message = format!("{error}. Until then \"{}\" does not collide", geom.name);
                warnings.push(Warning { source: geom.source.clone(), message });
                continue;
            }
            Err(error) => {
                let place = format!("{} \"{}\"", geom.source, geom.name);
                return Err(LoadError::Shape { place, reason: error.to_string() });
            }
        };
        geoms.push(Geom {
            shape,
            body: geom.body,
            x_bg: geom.pose,
            margin: geom.margin,
            contype: if touches { geom.filter.group } else { 0 },
            conaffinity: if touches { geom.filter.mask } else { 0 },
            compliant: geom.contact.compliance == Compliance::Compliant,
        });
        colliding.push(GeomId(index));
        materials.push(GeomMaterial::new(&geom.contact, geom.priority));
    }
    let sensors = Sensors::new(world, |shape| library.shape(shape).ok());
    let solids = compile_solids(world, &geoms, &colliding, warnings)?;
    for (material, solid) in materials.iter_mut().zip(&solids) {
        if let ContactSolid::Compliant(solid) = solid {
            material.modulus = solid.modulus(); // a field from a file may have its own
        }
    }
    let pair_materials = pair_materials(world, &colliding);
    let geoms = gather(world, carrier, geoms, &pair_materials, &solids)?;
    warn_of_unsupported(world, &geoms, &colliding, warnings);
    warn_of_rigid_pairs(world, &geoms, &colliding, warnings);
    let (geoms, sensors) = (Arc::new(geoms), Arc::new(sensors));
    Ok(Shapes { geoms, colliding, materials, pair_materials, solids, sensors })
}

/// The materials of explicit pairs, sorted by pair.
fn pair_materials(world: &World, colliding: &CollidingGeoms) -> Vec<(GeomPair, PairOverride)> {
    let mut materials = Vec::with_capacity(world.pairs.len());
    for pair in &world.pairs {
        // A geom whose hull cannot be built is omitted, together with its pairs.
        let [Some(a), Some(b)] = [pair.geom_a, pair.geom_b].map(|g| colliding.find(GeomId(g))) else {
            continue;
        };
        materials.push(((a.min(b), a.max(b)), PairOverride(pair.contact)));
    }
    materials.sort_by_key(|(pair, _)| *pair);
    materials
}

/// The geoms with the collision filters.
fn gather(
    world: &World,
    carrier: &[usize],
    geoms: Vec<Geom>,
    pairs: &[(GeomPair, PairOverride)],
    solids: &[ContactSolid],
) -> Result<GeomSet, LoadError> {
    let included_geoms = pairs.iter().map(|((a, b), _)| (a.index(), b.index())).collect();
    let bodies = body_rules(world, carrier);
    let rules = CollisionRules { bodies, excluded_bodies: world.exclusions.clone(), included_geoms };
    let geoms = GeomSet::new(geoms, &rules)
        .map_err(|error| LoadError::Shape { place: world.name.clone(), reason: error.to_string() })?;
    Ok(geoms.with_solids(solids))
}

/// The shapes of a variant of `base`. Unchanged shapes are shared.
pub(crate) fn vary_geoms(world: &World, base: &Compiled) -> Result<Shapes, LoadError> {
    let (mut library, mut reshaped) = (Library::new(world), false);
    let mut refiltered = world.pairs.len() != base.world.pairs.len();
    let (mut geoms, mut solids) = (base.geoms.geoms().to_vec(), base.solids.clone());
    let mut materials = Vec::with_capacity(geoms.len());
    for (id, GeomId(index)) in base.colliding.iter() {
        let (k, now, before) = (id.index(), &world.geoms[index], &base.world.geoms[index]);
        let place = || format!("{} \"{}\"", now.source, now.name);
        if now.shape != before.shape {
            reshaped = true;
            geoms[k].shape = library
                .shape(&now.shape)
                .map_err(|error| LoadError::Shape { place: place(), reason: error.to_string() })?;
        }
        if now.filter != before.filter {
            refiltered = true;
            (geoms[k].contype, geoms[k].conaffinity) = (now.filter.group, now.filter.mask);
        }
        let yields = now.contact.hydroelastic_modulus != before.contact.hydroelastic_modulus;
        if !solids.is_empty() && (yields || now.shape != before.shape) {
            solids[k] = vary_solid(world, &geoms[k], now)
                .map_err(|reason| LoadError::Shape { place: place(), reason })?;
        }
        let mut material = GeomMaterial::new(&now.contact, now.priority);
        if let Some(ContactSolid::Compliant(solid)) = solids.get(k) {
            material.modulus = solid.modulus();
        }
        materials.push(material);
    }
    let colliding = base.colliding.clone();
    let pair_materials = pair_materials(world, &colliding);
    let geoms = if reshaped || refiltered {
        Arc::new(gather(world, &base.carrier, geoms, &pair_materials, &solids)?)
    } else {
        base.geoms.clone()
    };
    let sensors = if reshaped {
        Arc::new(Sensors::new(world, |shape| library.shape(shape).ok()))
    } else {
        base.sensors.clone()
    };
    Ok(Shapes { geoms, colliding, materials, pair_materials, solids, sensors })
}

/// Excludes contact between welded bodies, between two that are fixed or mocap bodies, and between bodies connected by a joint.
fn body_rules(world: &World, carrier: &[usize]) -> Vec<BodyRule> {
    let above = |c: usize| carrier[world.bodies[c].parent.unwrap_or(0)];
    // Carriers come before what they carry, and parents before children.
    let mut moved = vec![false; world.bodies.len()];
    for body in 1..world.bodies.len() {
        let c = carrier[body];
        moved[body] = if c < body {
            moved[c]
        } else {
            !world.bodies[c].joints.is_empty() || !world.bodies[above(c)].mocap && moved[above(c)]
        };
    }
    let joined =
        |c: usize| (c != 0 && !world.options.parent_child_collide).then(|| above(c)).filter(|&p| p != 0);
    let rule = |(body, &c): (usize, &usize)| BodyRule {
        group: c as u32,
        fixed: !moved[body],
        joined: joined(c).map(|p| p as u32),
    };
    carrier.iter().enumerate().map(rule).collect()
}

fn warn_of_unsupported(
    world: &World,
    geoms: &GeomSet,
    colliding: &CollidingGeoms,
    warnings: &mut Vec<Warning>,
) {
    let described = |g: usize| &world.geoms[colliding.in_world(CollidingGeomId::new(g)).0];
    let mut seen = Vec::new();
    for pair in geoms.unsupported_pairs() {
        if seen.contains(&pair.kinds) {
            continue;
        }
        seen.push(pair.kinds);
        let (a, b) = (described(pair.geom_a), described(pair.geom_b));
        warnings.push(Warning {
            source: a.source.clone(),
            message: format!(
                "a {} and a {} (\"{}\" and \"{}\", and others like them) have no contact with each other and pass \
                 through; make one of them convex, or decompose it",
                pair.kinds.0.name(),
                pair.kinds.1.name(),
                a.name,
                b.name
            ),
        });
    }
}

/// Warns about pairs of geoms that are both tagged rigid: two rigid solids have no pressure field between them.
fn warn_of_rigid_pairs(
    world: &World,
    geoms: &GeomSet,
    colliding: &CollidingGeoms,
    warnings: &mut Vec<Warning>,
) {
    let rigid = |(_, g): &(CollidingGeomId, GeomId)| world.geoms[g.0].contact.compliance == Compliance::Rigid;
    let tagged: Vec<_> = colliding.iter().filter(rigid).collect();
    let mut pairs =
        tagged.iter().enumerate().flat_map(|(k, &a)| tagged[k + 1..].iter().map(move |&b| (a, b)));
    if let Some(((_, a), (_, b))) = pairs.find(|((a, _), (b, _))| geoms.tests_pair(a.index(), b.index())) {
        let (a, b) = (&world.geoms[a.0], &world.geoms[b.0]);
        let message = format!(
            "\"{}\" and \"{}\" are both tagged rigid (rigid_hydroelastic), as are perhaps others: two rigid bodies have \
             no pressure field and touch at points; make one of them compliant to have patches",
            a.name, b.name
        );
        warnings.push(Warning { source: a.source.clone(), message });
    }
}

/// Meshes, hulls and height fields built so far.
struct Library<'a> {
    world: &'a World,
    meshes: Vec<Option<Arc<TriangleMesh>>>,
    hulls: Vec<Option<Arc<ConvexHull>>>,
    fields: Vec<Option<Arc<HeightField>>>,
}

impl<'a> Library<'a> {
    fn new(world: &'a World) -> Self {
        let (meshes, fields) = (world.meshes.len(), world.height_fields.len());
        Self { world, meshes: vec![None; meshes], hulls: vec![None; meshes], fields: vec![None; fields] }
    }

    fn shape(&mut self, shape: &stiction_model::Shape) -> Result<Shape, GeometryError> {
        use stiction_model::Shape as Described;
        match *shape {
            Described::HalfSpace { .. } => Ok(Shape::HalfSpace),
            Described::Sphere { radius } => Shape::sphere(radius),
            Described::Box { half_extents } => Shape::cuboid(half_extents),
            Described::Capsule { radius, half_length } => Shape::capsule(radius, half_length),
            Described::Cylinder { radius, half_length } => Shape::cylinder(radius, half_length),
            Described::Ellipsoid { radii } => Shape::ellipsoid(radii),
            Described::Mesh { mesh, convex: true } => {
                let data = &self.world.meshes[mesh];
                if self.hulls[mesh].is_none() {
                    self.hulls[mesh] = Some(Arc::new(ConvexHull::from_points(&data.vertices)?));
                }
                Ok(Shape::Convex(self.hulls[mesh].clone().expect("just built")))
            }
            Described::Mesh { mesh, convex: false } => {
                let data = &self.world.meshes[mesh];
                if self.meshes[mesh].is_none() {
                    let built = TriangleMesh::new(data.vertices.clone(), data.triangles.clone())?;
                    self.meshes[mesh] = Some(Arc::new(built));
                }
                Ok(Shape::Mesh(self.meshes[mesh].clone().expect("just built")))
            }
            Described::HeightField { field } => {
                let data = &self.world.height_fields[field];
                if self.fields[field].is_none() {
                    let [x, y] = data.half_extents;
                    let built = HeightField::new(data.rows, data.columns, 2.0 * x, 2.0 * y, &data.heights)?
                        .with_base(data.base);
                    self.fields[field] = Some(Arc::new(built));
                }
                Ok(Shape::HeightField(self.fields[field].clone().expect("just built")))
            }
        }
    }
}

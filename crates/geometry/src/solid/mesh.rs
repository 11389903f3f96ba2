//! The compliant solid.

use super::check::{Checked, check, six_volume};
use super::generate::{MeshOptions, RawSolid, generate};
use super::tree::{BoxNode, Tree};
use super::{Cell, SolidError, SolidReport};
use crate::{Aabb, Shape, V3};

/// Extents between the layers of the trees, see [`Tree`]: thin near the surface, where contact mostly
/// is, and again towards the core, where the tetrahedra of a star all meet.
const LAYERS: [f64; 6] = [0.0, 1.0 / 16.0, 0.25, 0.5, 0.75, 1.0];

/// The parts of the tetrahedra with pressures from `low` to `high`.
#[derive(Debug, Clone)]
pub(crate) struct Layer {
    pub(crate) low: f64,
    pub(crate) high: f64,
    pub(crate) tree: Tree,
}

/// A tetrahedral mesh with a piecewise linear pressure field, in its own frame. Metres and pascals.
///
/// Immutable and meant to be shared (`Arc<Solid>`).
#[derive(Debug, Clone)]
pub struct Solid {
    vertices: Vec<V3>,
    tets: Vec<[u32; 4]>,
    extents: Vec<f64>,
    surface: Vec<[u32; 3]>,
    modulus: f64,
    volume: f64,
    length: f64,
    pub(crate) cells: Vec<Cell>,
    pub(crate) layers: Vec<Layer>,
    pub(crate) bounds: BoxNode,
    /// Largest |grad p|, Pa/m.
    pub(crate) steepest: f64,
    /// Largest pressure on the surface (0 for a proper field).
    surface_pressure: f64,
    /// Largest growth of a cell per metre of margin.
    pub(crate) flare: f64,
    /// Ball around the box's centre.
    pub(crate) radius: f64,
}

impl Solid {
    /// Tetrahedra and field of a shape, with hydroelastic modulus `modulus` (Pa, the pressure at the core).
    ///
    /// Fails for a half-space (it is treated analytically), for surfaces that need a volume mesher, and
    /// for hints that would take more than a million elements.
    pub fn from_shape(shape: &Shape, modulus: f64, options: &MeshOptions) -> Result<Self, SolidError> {
        let RawSolid { vertices, tets, extents } = generate(shape, options)?;
        Self::from_tets(vertices, tets, extents, modulus).map(|(solid, _)| solid)
    }

    /// Tetrahedra from outside: `extents` in [0, 1], one a vertex, 0 on the surface.
    ///
    /// Inside-out tetrahedra are turned; this and whatever else is odd but usable stands in the report.
    pub fn from_tets(
        vertices: Vec<V3>,
        tets: Vec<[u32; 4]>,
        extents: Vec<f64>,
        modulus: f64,
    ) -> Result<(Self, SolidReport), SolidError> {
        if !(modulus > 0.0 && modulus.is_finite()) {
            return Err(SolidError::NotPositive { what: "hydroelastic modulus", value: modulus, unit: "Pa" });
        }
        let Checked { tets, surface, report } = check(&vertices, tets, &extents)?;
        let cells: Vec<Cell> = tets
            .iter()
            .enumerate()
            .map(|(k, t)| {
                let p = t.map(|i| modulus * extents[i as usize]);
                Cell::new(t.map(|i| vertices[i as usize]), p, k as u32)
            })
            .collect();
        // Neighbours in the outermost tree lie next to each other in memory.
        let mut order: Vec<u32> = layers(&cells, modulus)[0].tree.leaves().collect();
        let mut placed = vec![false; cells.len()];
        order.iter().for_each(|&i| placed[i as usize] = true);
        order.extend((0..cells.len() as u32).filter(|&i| !placed[i as usize]));
        let cells: Vec<Cell> = order.iter().map(|&i| cells[i as usize]).collect();
        let layers = layers(&cells, modulus);
        let bounds = cells.iter().fold(Aabb::EMPTY, |b, c| b.union(&Aabb::of_points(&c.vertices())));
        let bounds = BoxNode { center: bounds.center(), half: bounds.half() };
        let max = |f: &dyn Fn(&Cell) -> f64| cells.iter().map(f).fold(0.0, f64::max);
        let sum = |f: &dyn Fn(&Cell) -> f64| cells.iter().map(f).sum::<f64>();
        let volumes = sum(&|c| six_volume(&c.vertices()));
        let solid = Self {
            volume: volumes / 6.0,
            length: volumes * modulus / sum(&|c| six_volume(&c.vertices()) * c.slope),
            steepest: max(&|c| c.slope),
            flare: max(&Cell::flare),
            radius: max(&|c| c.vertices().iter().map(|v| (v - bounds.center).norm()).fold(0.0, f64::max)),
            surface_pressure: modulus * report.surface_extent,
            vertices,
            tets,
            extents,
            surface,
            modulus,
            cells,
            layers,
            bounds,
        };
        Ok((solid, report))
    }

    /// Vertices.
    pub fn vertices(&self) -> &[V3] {
        &self.vertices
    }

    /// Tetrahedra, positively oriented, as given.
    pub fn tets(&self) -> &[[u32; 4]] {
        &self.tets
    }

    /// Extent at the vertices.
    pub fn extents(&self) -> &[f64] {
        &self.extents
    }

    /// Hydroelastic modulus E, Pa.
    pub fn modulus(&self) -> f64 {
        self.modulus
    }

    /// Characteristic length L, m: the thickness over which the extent rises from 0 to 1, on average (PFC eq. 5.8,
    /// 5.9). With w_j = V_j |grad e| and L_j = 1/|grad e| it is the sum of V_j over that of V_j |grad e|.
    pub fn characteristic_length(&self) -> f64 {
        self.length
    }

    /// Volume of the mesh, m^3.
    pub fn volume(&self) -> f64 {
        self.volume
    }

    /// Outer triangles, counter-clockwise seen from outside, as indices into [`Solid::vertices`].
    pub fn surface(&self) -> &[[u32; 3]] {
        &self.surface
    }

    /// Gradient (Pa/m) and offset (Pa) of the pressure on tetrahedron `tet`: p(r) = grad . r + offset.
    pub fn field(&self, tet: usize) -> (V3, f64) {
        let t = self.tets[tet];
        let p = t.map(|i| self.modulus * self.extents[i as usize]);
        let f = super::cell::linear_field(&t.map(|i| self.vertices[i as usize]), &p);
        (f.grad, f.offset)
    }

    /// Whether a point (solid's frame) lies in one of the tetrahedra.
    pub fn contains(&self, p: &V3) -> bool {
        let mut found = false;
        for layer in &self.layers {
            layer.tree.slab(&V3::x(), p.x, 0.0, 0.0, |i| {
                found |= self.cells[i as usize].above(p).iter().all(|above| *above <= 0.0);
            });
        }
        found
    }

    /// A bound on the pressure at points no deeper than `depth` below the surface.
    pub(crate) fn pressure_within(&self, depth: f64) -> f64 {
        // The pad covers rounding in the depth.
        self.surface_pressure + self.steepest * (depth.max(0.0) + 1e-9 * self.radius) * (1.0 + 1e-9)
    }
}

/// Trees of the layers that hold anything.
fn layers(cells: &[Cell], modulus: f64) -> Vec<Layer> {
    let mut out = Vec::new();
    for w in LAYERS.windows(2) {
        // Extents up to 1 + rounding belong to the last layer.
        let (low, high) = (w[0] * modulus, if w[1] < 1.0 { w[1] * modulus } else { f64::INFINITY });
        let items: Vec<(u32, Aabb)> =
            (0..cells.len()).filter_map(|i| Some((i as u32, cells[i].layer_box(low, high)?))).collect();
        if !items.is_empty() {
            out.push(Layer { low, high, tree: Tree::build(&items) });
        }
    }
    out
}

//! The compliant solid.

use super::check::{Checked, check, six_volume};
use super::generate::{MeshOptions, RawSolid, generate};
use super::tree::Tree;
use super::{Cell, SolidError, SolidReport};
use crate::{Aabb, Shape, V3};

/// Extents that bound the levels of the tree, see [`Tree`].
const LEVELS: [f64; 4] = [1.0 / 64.0, 1.0 / 16.0, 1.0 / 4.0, f64::INFINITY];

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
    pub(crate) cells: Vec<Cell>,
    pub(crate) tree: Tree,
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
        let boxes: Vec<Vec<Aabb>> =
            LEVELS.iter().map(|e| cells.iter().map(|c| c.shell(e * modulus)).collect()).collect();
        let (tree, order) = Tree::build(&boxes);
        let cells: Vec<Cell> = order.iter().map(|&i| cells[i as usize]).collect();
        let center = tree.root(LEVELS.len() - 1).center;
        let max = |f: &dyn Fn(&Cell) -> f64| cells.iter().map(f).fold(0.0, f64::max);
        let solid = Self {
            volume: cells.iter().map(|c| six_volume(&c.v)).sum::<f64>() / 6.0,
            steepest: max(&|c| c.slope),
            flare: max(&Cell::flare),
            radius: max(&|c| c.v.iter().map(|v| (v - center).norm()).fold(0.0, f64::max)),
            surface_pressure: modulus * report.surface_extent,
            vertices,
            tets,
            extents,
            surface,
            modulus,
            cells,
            tree,
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

    /// The tightest level that holds every point whose depth below the surface is at most `depth`.
    pub(crate) fn level_for_pressure(&self, p: f64) -> usize {
        let e = p / self.modulus;
        LEVELS.iter().position(|l| e <= *l).unwrap_or(LEVELS.len() - 1)
    }

    /// A bound on the pressure at points no deeper than `depth` below the surface.
    pub(crate) fn pressure_within(&self, depth: f64) -> f64 {
        // The pad covers rounding in the depth.
        self.surface_pressure + self.steepest * (depth.max(0.0) + 1e-9 * self.radius) * (1.0 + 1e-9)
    }
}

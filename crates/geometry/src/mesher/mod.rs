//! Tetrahedra for any closed surface.
//!
//! ```text
//!   ClosedSurface -> octree (fine at the surface and in thin walls, coarse inside)      octree.rs
//!                 -> body-centred cubic lattice, graded                                 lattice.rs
//!                 -> moved and cut at the surface: isosurface stuffing                  stuff.rs, split.rs
//!                 -> snapped to sharp edges and corners, smoothed                       features.rs, improve.rs
//!                 -> measured, and refused below a floor                                quality.rs, report.rs
//! ```
//!
//! Open first: [`tetrahedralize`]. Every tetrahedron has a corner strictly inside, so that a field that is
//! zero on the surface and positive inside pushes everywhere.
//!
//! | also here | |
//! |---|---|
//! | `sizes.rs` | cell sizes that suit the walls of a solid |

mod error;
mod features;
mod improve;
mod lattice;
mod octree;
pub(crate) mod quality;
mod report;
mod sizes;
pub(crate) mod split;
mod stuff;

pub use error::MeshingError;
pub use quality::{Quality, quality};
pub use report::{Floor, MeshingReport};

use crate::V3;
use crate::solid::check::{faces, six_volume};
use crate::surface::{ClosedSurface, SurfaceReport};

/// Tetrahedra without a field, positively oriented. Metres.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TetMesh {
    /// Vertices.
    pub vertices: Vec<V3>,
    /// Corners of the tetrahedra.
    pub tets: Vec<[u32; 4]>,
    /// Whether a vertex lies on the surface.
    pub on_surface: Vec<bool>,
}

impl TetMesh {
    /// Leaves out vertices no tetrahedron uses.
    fn compact(mut self) -> Self {
        let mut number = vec![u32::MAX; self.vertices.len()];
        self.tets.iter().flatten().for_each(|&i| number[i as usize] = 0);
        let mut next = 0;
        for (i, n) in number.iter_mut().enumerate().filter(|(_, n)| **n == 0) {
            *n = next as u32;
            self.vertices[next] = self.vertices[i];
            self.on_surface[next] = self.on_surface[i];
            next += 1;
        }
        self.vertices.truncate(next);
        self.on_surface.truncate(next);
        self.tets.iter_mut().for_each(|t| *t = t.map(|i| number[i as usize]));
        self
    }

    /// Outer triangles, counter-clockwise seen from outside.
    pub fn surface(&self) -> Vec<[u32; 3]> {
        let mut all: Vec<([u32; 3], [u32; 3])> = Vec::with_capacity(4 * self.tets.len());
        for t in &self.tets {
            for f in faces(t) {
                let mut key = f;
                key.sort_unstable();
                all.push((key, f));
            }
        }
        all.sort_unstable();
        all.chunk_by(|a, b| a.0 == b.0).filter(|g| g.len() == 1).map(|g| g[0].1).collect()
    }

    /// Volume, m^3.
    pub fn volume(&self) -> f64 {
        self.tets.iter().map(|t| six_volume(&t.map(|i| self.vertices[i as usize]))).sum::<f64>() / 6.0
    }

    /// Neighbours of each vertex along edges, as starts and items.
    pub(crate) fn neighbours(&self) -> (Vec<u32>, Vec<u32>) {
        let mut pairs: Vec<(u32, u32)> = Vec::with_capacity(12 * self.tets.len());
        for t in &self.tets {
            for i in 0..4 {
                for j in 0..4 {
                    if i != j {
                        pairs.push((t[i], t[j]));
                    }
                }
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        let mut start = vec![0u32; self.vertices.len() + 1];
        pairs.iter().for_each(|p| start[p.0 as usize + 1] += 1);
        for v in 0..self.vertices.len() {
            start[v + 1] += start[v];
        }
        (start, pairs.into_iter().map(|p| p.1).collect())
    }
}

/// How a surface is filled.
#[derive(Debug, Clone, PartialEq)]
pub struct MesherOptions {
    /// Edge length at the surface, m. Thin walls are resolved finer. Default: the box's diagonal over 30.
    pub resolution: Option<f64>,
    /// Largest edge length inside, m. Default: 8 times the resolution.
    pub interior: Option<f64>,
    /// How often the resolution may be halved for thin walls.
    pub refinements: u32,
    /// Most cells of the octree; a finer mesh is refused.
    pub most_cells: usize,
    /// Edges sharper than this (degrees between face normals) are kept.
    pub feature_angle: f64,
    /// Passes of smoothing.
    pub smoothing: usize,
    /// Limits beyond which the result is refused.
    pub floor: Floor,
}

impl Default for MesherOptions {
    fn default() -> Self {
        Self {
            resolution: None,
            interior: None,
            refinements: 3,
            most_cells: 1_000_000,
            feature_angle: 35.0,
            smoothing: 8,
            floor: Floor::default(),
        }
    }
}

/// A step of the work, for those who show progress.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Checking and repairing the surface.
    Repair,
    /// Building the octree and the lattice.
    Lattice,
    /// Cutting at the surface.
    Cut,
    /// Snapping and smoothing.
    Improve,
    /// Measuring the result.
    Check,
    /// Making the field.
    Field,
}

/// Fills a surface. `core`, if given, is a surface inside that is resolved as well; `progress` is told of
/// each stage as it begins. Without a resolution, one is found that keeps the volume.
pub fn tetrahedralize(
    surface: &ClosedSurface,
    core: Option<&ClosedSurface>,
    repairs: SurfaceReport,
    options: &MesherOptions,
    progress: &mut dyn FnMut(Stage),
) -> Result<(TetMesh, MeshingReport), MeshingError> {
    let mut options = options.clone();
    let automatic = options.resolution.is_none();
    for _ in 0..AUTOMATIC_TRIES {
        let result = attempt(surface, core, repairs.clone(), &options, progress);
        let finer = match &result {
            Ok((_, report)) => {
                let error = report.volume_error.map_or(0.0, f64::abs);
                (error > AUTOMATIC_ERROR && report.tets < AUTOMATIC_TETS).then_some(report.resolution)
            }
            Err(MeshingError::LostWalls { resolution, .. } | MeshingError::Nothing { resolution }) => {
                Some(*resolution)
            }
            Err(_) => None,
        };
        match finer {
            Some(resolution) if automatic => options.resolution = Some(0.6 * resolution),
            _ => return result,
        }
    }
    attempt(surface, core, repairs, &options, progress)
}

/// An automatic resolution is made finer while the volume is off by more than this part.
const AUTOMATIC_ERROR: f64 = 0.02;
/// And while the mesh has fewer tetrahedra than this.
const AUTOMATIC_TETS: usize = 60_000;
const AUTOMATIC_TRIES: usize = 4;

fn attempt(
    surface: &ClosedSurface,
    core: Option<&ClosedSurface>,
    repairs: SurfaceReport,
    options: &MesherOptions,
    progress: &mut dyn FnMut(Stage),
) -> Result<(TetMesh, MeshingReport), MeshingError> {
    let diagonal = 2.0 * surface.bounds().half().norm();
    let asked = options.resolution.unwrap_or(diagonal / 30.0);
    let resolution = sizes::fit_to_walls(surface, asked);
    for (what, value) in [("resolution", resolution), ("interior size", options.interior.unwrap_or(1.0))] {
        if !(value > 0.0 && value.is_finite()) {
            return Err(MeshingError::NotPositive { what, value });
        }
    }
    progress(Stage::Lattice);
    let sizing = octree::Sizing {
        surface: resolution,
        interior: options.interior.unwrap_or(8.0 * resolution),
        refinements: options.refinements,
        leaves_through: sizes::CELLS_THROUGH,
        most: options.most_cells,
    };
    let tree = octree::Octree::build(surface, core, &sizing)?;
    let (lattice, inside) = lattice::lattice(&tree, |p| surface.contains(p));
    progress(Stage::Cut);
    let mut mesh = stuff::stuff(surface, lattice, &inside);
    if mesh.tets.is_empty() {
        return Err(MeshingError::Nothing { resolution });
    }
    progress(Stage::Improve);
    let mut improver = improve::Improver::new(surface, &mesh, options.feature_angle);
    improver.smooth(&mut mesh, 2);
    let mut snapped = 0;
    for _ in 0..3 {
        snapped += improver.snap(&mut mesh);
        improver.smooth(&mut mesh, options.smoothing.div_ceil(3));
    }
    progress(Stage::Check);
    let report = report::measure(surface, &mesh, repairs, resolution, snapped);
    options.floor.check(surface, &report)?;
    Ok((mesh, report))
}

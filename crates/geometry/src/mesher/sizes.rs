//! Cell sizes that suit the walls of a solid.

use super::report::samples;
use crate::surface::ClosedSurface;

/// Cells through a wall, so that a layer of vertices lies inside it whatever way it runs: the planes of
/// the lattice are farthest apart (0.71 of a cell) along the diagonals of its faces.
pub(super) const CELLS_THROUGH: f64 = 1.5;

/// A resolution no coarser than the one asked for, halvings of which just resolve the thinnest two percent
/// of the walls: cells are halved, so an unlucky size would be almost twice as fine as needed.
pub(super) fn fit_to_walls(surface: &ClosedSurface, asked: f64) -> f64 {
    let mut walls: Vec<(f64, f64)> = Vec::new();
    let mut hits = Vec::new();
    let limit = 2.0 * CELLS_THROUGH * asked;
    if !(limit > 0.0 && limit.is_finite()) {
        return asked;
    }
    samples(surface, asked, |face, p, area| {
        let t = surface.thickness(face, &p, limit, &mut hits);
        if t.is_finite() {
            walls.push((t, area));
        }
    });
    walls.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    let mut sum = 0.0;
    let total = surface.area();
    let Some(&(thin, _)) = walls.iter().find(|w| {
        sum += w.1;
        sum > 0.02 * total
    }) else {
        return asked;
    };
    let cell = 0.999 * thin / CELLS_THROUGH;
    if cell >= asked { asked } else { cell * 2f64.powf((asked / cell).log2().floor()) }
}

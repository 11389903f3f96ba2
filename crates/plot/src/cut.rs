//! A picture of a field on a plane: polygons shaded by the values at their corners, their edges, and a scale.

use super::png::{outline, paint};
use super::{Anchor, color};
use std::path::Path;
use tiny_skia::{FillRule, Pixmap, PremultipliedColorU8, Stroke, Transform};

/// A convex polygon in the plane with a value in [0, 1] at each corner.
pub struct Shaded {
    /// Corners, any unit.
    pub points: Vec<[f64; 2]>,
    /// Values.
    pub values: Vec<f64>,
}

const WIDTH: f64 = 900.0;
const EDGE: f64 = 40.0;
const SCALE_BAR: f64 = 110.0;

/// From dark blue by green to yellow, evenly perceived (fitted to viridis at nine places).
fn shade(value: f64) -> [u8; 3] {
    const TABLE: [[f64; 3]; 9] = [
        [68.0, 1.0, 84.0],
        [71.0, 44.0, 122.0],
        [59.0, 81.0, 139.0],
        [44.0, 113.0, 142.0],
        [33.0, 144.0, 141.0],
        [39.0, 173.0, 129.0],
        [92.0, 200.0, 99.0],
        [170.0, 220.0, 50.0],
        [253.0, 231.0, 37.0],
    ];
    let x = value.clamp(0.0, 1.0) * 8.0;
    let (k, t) = ((x as usize).min(7), x - (x as usize).min(7) as f64);
    std::array::from_fn(|c| (TABLE[k][c] + (TABLE[k + 1][c] - TABLE[k][c]) * t).round() as u8)
}

/// Writes the picture; `title` stands above it, `labels` at the ends of the scale.
pub fn write_cut(path: &Path, title: &str, labels: [&str; 2], polygons: &[Shaded]) -> Result<(), String> {
    let all = || polygons.iter().flat_map(|p| &p.points);
    let low = [0, 1].map(|k| all().map(|p| p[k]).fold(f64::INFINITY, f64::min));
    let high = [0, 1].map(|k| all().map(|p| p[k]).fold(f64::NEG_INFINITY, f64::max));
    let size = [0, 1].map(|k| high[k] - low[k]);
    if !(size[0] > 0.0 && size[1] > 0.0) {
        return Err("the plane does not cut the solid; move it".into());
    }
    let scale = ((WIDTH - 2.0 * EDGE - SCALE_BAR) / size[0]).min((WIDTH - 2.0 * EDGE) / size[1]);
    let (width, height) = (WIDTH as u32, (size[1] * scale + 2.0 * EDGE + 20.0).max(260.0) as u32);
    let mut pixels = Pixmap::new(width, height).ok_or("an empty picture")?;
    pixels.fill(tiny_skia::Color::WHITE);
    let place = |p: &[f64; 2]| [EDGE + (p[0] - low[0]) * scale, EDGE + 20.0 + (high[1] - p[1]) * scale];
    for polygon in polygons {
        for k in 1..polygon.points.len().saturating_sub(1) {
            let corner = [0, k, k + 1];
            triangle(
                &mut pixels,
                corner.map(|i| place(&polygon.points[i])),
                corner.map(|i| polygon.values[i]),
            );
        }
    }
    let stroke = Stroke { width: 0.4, ..Stroke::default() };
    for polygon in polygons {
        let points: Vec<[f64; 2]> = polygon.points.iter().map(place).collect();
        if let Some(path) = super::png::polygon(&points, true) {
            pixels.stroke_path(&path, &paint(color::BLACK, 0.5), &stroke, Transform::identity(), None);
        }
    }
    let mut text = |words: &str, at: [f64; 2], anchor| {
        if let Some(path) = outline(words, 15.0, anchor) {
            let to = Transform::from_translate(at[0] as f32, at[1] as f32);
            pixels.fill_path(&path, &paint(color::BLACK, 1.0), FillRule::Winding, to, None);
        }
    };
    let bar = [WIDTH - EDGE - 20.0, EDGE + 30.0, 160.0];
    text(title, [EDGE, 28.0], Anchor::Start);
    text(labels[1], [bar[0] - 8.0, bar[1] + 12.0], Anchor::End);
    text(labels[0], [bar[0] - 8.0, bar[1] + bar[2]], Anchor::End);
    for y in 0..bar[2] as usize {
        let [r, g, b] = shade(1.0 - y as f64 / bar[2]);
        for x in 0..20 {
            put(&mut pixels, bar[0] as usize + x, bar[1] as usize + y, [r, g, b]);
        }
    }
    pixels.save_png(path).map_err(|e| e.to_string())
}

fn put(pixels: &mut Pixmap, x: usize, y: usize, [r, g, b]: [u8; 3]) {
    let width = pixels.width() as usize;
    if x < width
        && y < pixels.height() as usize
        && let Some(color) = PremultipliedColorU8::from_rgba(r, g, b, 255)
    {
        pixels.pixels_mut()[y * width + x] = color;
    }
}

/// Shades the pixels whose centres lie in a triangle.
fn triangle(pixels: &mut Pixmap, p: [[f64; 2]; 3], v: [f64; 3]) {
    let cross =
        |a: [f64; 2], b: [f64; 2], c: [f64; 2]| (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    let area = cross(p[0], p[1], p[2]);
    if area == 0.0 {
        return;
    }
    let bounds = |k: usize| {
        let (a, b) = (p[0][k].min(p[1][k]).min(p[2][k]), p[0][k].max(p[1][k]).max(p[2][k]));
        (a.floor().max(0.0) as usize, b.ceil().max(0.0) as usize)
    };
    let ((x0, x1), (y0, y1)) = (bounds(0), bounds(1));
    for y in y0..=y1 {
        for x in x0..=x1 {
            let q = [x as f64 + 0.5, y as f64 + 0.5];
            let w = [cross(p[1], p[2], q) / area, cross(p[2], p[0], q) / area, cross(p[0], p[1], q) / area];
            // A little more than inside, so that no seams show.
            if w.iter().all(|w| *w > -1e-9) {
                put(pixels, x, y, shade(w[0] * v[0] + w[1] * v[1] + w[2] * v[2]));
            }
        }
    }
}

//! A page as pixels, with glyphs from an embedded font: the same picture on every machine.

use super::layout::page;
use super::{Anchor, Figure, Mark};
use std::path::Path;
use tiny_skia::{FillRule, Paint, PathBuilder, Pixmap, Stroke, StrokeDash, Transform};
use ttf_parser::{Face, OutlineBuilder};

/// The glyphs the figures use, from DejaVu Sans (its licence lies beside it).
const FONT: &[u8] = include_bytes!("font/DejaVuSans-subset.ttf");
/// Pixels per unit of the page.
const SCALE: f32 = 1.75;

/// Writes the figure to `path`.
pub fn write_png(figure: &Figure, path: &Path) -> Result<(), String> {
    let page = page(figure);
    let (width, height) = (page.width as f32 * SCALE, page.height as f32 * SCALE);
    let mut pixels = Pixmap::new(width as u32, height as u32).ok_or("a figure without panels")?;
    pixels.fill(tiny_skia::Color::WHITE);
    let to_pixels = Transform::from_scale(SCALE, SCALE);
    for mark in &page.marks {
        match mark {
            Mark::Stroke { points, width, color, dash } => {
                let Some(path) = polygon(points, false) else { continue };
                let stroke = Stroke {
                    width: *width as f32,
                    line_join: tiny_skia::LineJoin::Round,
                    dash: dash.and_then(|d| StrokeDash::new(d.map(|x| x as f32).to_vec(), 0.0)),
                    ..Stroke::default()
                };
                pixels.stroke_path(&path, &paint(*color, 1.0), &stroke, to_pixels, None);
            }
            Mark::Fill { points, color, opacity } => {
                let Some(path) = polygon(points, true) else { continue };
                pixels.fill_path(&path, &paint(*color, *opacity), FillRule::Winding, to_pixels, None);
            }
            Mark::Text { at, text, size, anchor, upright, bold } => {
                let turn = if *upright { -90.0 } else { 0.0 };
                let place = to_pixels.pre_translate(at[0] as f32, at[1] as f32).pre_rotate(turn);
                let Some(path) = outline(text, *size, *anchor) else { continue };
                let ink = paint(super::color::BLACK, 1.0);
                pixels.fill_path(&path, &ink, FillRule::Winding, place, None);
                if *bold {
                    let stroke = Stroke { width: 0.045 * *size as f32, ..Stroke::default() };
                    pixels.stroke_path(&path, &ink, &stroke, place, None);
                }
            }
        }
    }
    pixels.save_png(path).map_err(|e| e.to_string())
}

/// Width of a text, page units.
pub(super) fn text_width(text: &str, size: f64) -> f64 {
    let Ok(face) = Face::parse(FONT, 0) else { return 0.0 };
    let advance = |c: char| face.glyph_index(c).and_then(|g| face.glyph_hor_advance(g)).unwrap_or(0);
    text.chars().map(|c| f64::from(advance(c))).sum::<f64>() * size / f64::from(face.units_per_em())
}

pub(super) fn paint(color: [u8; 3], opacity: f64) -> Paint<'static> {
    let mut paint = Paint { anti_alias: true, ..Paint::default() };
    paint.set_color_rgba8(color[0], color[1], color[2], (255.0 * opacity) as u8);
    paint
}

pub(super) fn polygon(points: &[[f64; 2]], close: bool) -> Option<tiny_skia::Path> {
    let mut builder = PathBuilder::new();
    let (first, rest) = points.split_first()?;
    builder.move_to(first[0] as f32, first[1] as f32);
    rest.iter().for_each(|p| builder.line_to(p[0] as f32, p[1] as f32));
    if close {
        builder.close();
    }
    builder.finish()
}

/// The outlines of a text about its anchor, y down.
pub(super) fn outline(text: &str, size: f64, anchor: Anchor) -> Option<tiny_skia::Path> {
    let face = Face::parse(FONT, 0).ok()?;
    let scale = size as f32 / f32::from(face.units_per_em());
    let width = text_width(text, size) as f32;
    let x = match anchor {
        Anchor::Start => 0.0,
        Anchor::Middle => -0.5 * width,
        Anchor::End => -width,
    };
    let mut pen = Pen { path: PathBuilder::new(), x, scale };
    for glyph in text.chars().filter_map(|c| face.glyph_index(c)) {
        face.outline_glyph(glyph, &mut pen);
        pen.x += scale * f32::from(face.glyph_hor_advance(glyph).unwrap_or(0));
    }
    pen.path.finish()
}

struct Pen {
    path: PathBuilder,
    x: f32,
    scale: f32,
}

impl Pen {
    fn at(&self, x: f32, y: f32) -> (f32, f32) {
        (self.x + self.scale * x, -self.scale * y)
    }
}

impl OutlineBuilder for Pen {
    fn move_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.path.move_to(x, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.path.line_to(x, y);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let ((x1, y1), (x, y)) = (self.at(x1, y1), self.at(x, y));
        self.path.quad_to(x1, y1, x, y);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let ((x1, y1), (x2, y2), (x, y)) = (self.at(x1, y1), self.at(x2, y2), self.at(x, y));
        self.path.cubic_to(x1, y1, x2, y2, x, y);
    }

    fn close(&mut self) {
        self.path.close();
    }
}

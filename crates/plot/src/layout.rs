//! From a figure to marks on a page.

use super::ticks::Mapped;
use super::{Anchor, Corner, Figure, Look, Mark, Page, Panel, Series, Shape, color, png};

const PANEL: [f64; 2] = [460.0, 360.0];
/// Left, right, top, bottom of the frame inside its panel.
const MARGIN: [f64; 4] = [74.0, 18.0, 36.0, 52.0];
const LABEL: f64 = 14.0;
const SMALL: f64 = 12.0;

/// Places everything.
pub(super) fn page(figure: &Figure) -> Page {
    let width = PANEL[0] * figure.panels.len() as f64;
    let mut page = Page { width, height: PANEL[1], marks: Vec::new() };
    for (k, panel) in figure.panels.iter().enumerate() {
        let x = k as f64 * PANEL[0];
        let frame = Frame {
            left: x + MARGIN[0],
            right: x + PANEL[0] - MARGIN[1],
            top: MARGIN[2],
            bottom: PANEL[1] - MARGIN[3],
            x: Mapped::new(&panel.x, values(panel, 0)),
            y: Mapped::new(&panel.y, values(panel, 1)),
        };
        frame.axes(panel, &mut page.marks);
        for series in &panel.series {
            frame.series(series, &mut page.marks);
        }
        frame.legend(panel, &mut page.marks);
    }
    page
}

fn values(panel: &Panel, axis: usize) -> impl Iterator<Item = f64> {
    panel.series.iter().flat_map(move |s| s.points.iter().map(move |p| p[axis]))
}

struct Frame {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
    x: Mapped,
    y: Mapped,
}

impl Frame {
    fn place(&self, p: &[f64; 2]) -> [f64; 2] {
        [
            self.left + self.x.place(p[0]) * (self.right - self.left),
            self.bottom - self.y.place(p[1]) * (self.bottom - self.top),
        ]
    }

    fn axes(&self, panel: &Panel, marks: &mut Vec<Mark>) {
        let line = |points: Vec<[f64; 2]>, width: f64, color: [u8; 3]| Mark::Stroke {
            points,
            width,
            color,
            dash: None,
        };
        const GRID: [u8; 3] = [228, 228, 228];
        let across = |value: f64| self.left + self.x.place(value) * (self.right - self.left);
        let up = |value: f64| self.bottom - self.y.place(value) * (self.bottom - self.top);
        for (value, label) in self.x.major() {
            let x = across(value);
            marks.push(line(vec![[x, self.top], [x, self.bottom]], 0.8, GRID));
            marks.push(line(vec![[x, self.bottom], [x, self.bottom - 5.0]], 1.0, color::BLACK));
            marks.push(text([x, self.bottom + 17.0], label, SMALL, Anchor::Middle));
        }
        for (value, label) in self.y.major() {
            let y = up(value);
            marks.push(line(vec![[self.left, y], [self.right, y]], 0.8, GRID));
            marks.push(line(vec![[self.left, y], [self.left + 5.0, y]], 1.0, color::BLACK));
            marks.push(text([self.left - 7.0, y + 4.3], label, SMALL, Anchor::End));
        }
        for x in self.x.minor().into_iter().map(across) {
            marks.push(line(vec![[x, self.bottom], [x, self.bottom - 3.0]], 0.8, color::BLACK));
        }
        for y in self.y.minor().into_iter().map(up) {
            marks.push(line(vec![[self.left, y], [self.left + 3.0, y]], 0.8, color::BLACK));
        }
        let corners = [[self.left, self.top], [self.right, self.top], [self.right, self.bottom]];
        let rest = [[self.left, self.bottom], [self.left, self.top]];
        marks.push(line([&corners[..], &rest[..]].concat(), 1.0, color::BLACK));
        let middle = [0.5 * (self.left + self.right), 0.5 * (self.top + self.bottom)];
        marks.push(text([middle[0], self.bottom + 40.0], panel.x.label.clone(), LABEL, Anchor::Middle));
        marks.push(Mark::Text {
            at: [self.left - MARGIN[0] + 18.0, middle[1]],
            text: panel.y.label.clone(),
            size: LABEL,
            anchor: Anchor::Middle,
            upright: true,
            bold: false,
        });
        marks.push(Mark::Text {
            at: [middle[0], self.top - 12.0],
            text: panel.title.clone(),
            size: LABEL,
            anchor: Anchor::Middle,
            upright: false,
            bold: true,
        });
    }

    fn series(&self, series: &Series, marks: &mut Vec<Mark>) {
        let points: Vec<[f64; 2]> = series.points.iter().map(|p| self.place(p)).collect();
        if !matches!(series.look, Look::Marks(_)) {
            for points in self.clipped(&points) {
                marks.push(stroke(points, series));
            }
        }
        if let Look::Marks(shape) | Look::Joined(shape) = series.look {
            for p in points.iter().filter(|p| self.inside(p)) {
                marks.push(glyph(*p, shape, series.color));
            }
        }
    }

    fn inside(&self, p: &[f64; 2]) -> bool {
        const ROOM: f64 = 0.5;
        let [left, top, right, bottom] = self.rect();
        within(&[left - ROOM, top - ROOM, right + ROOM, bottom + ROOM], p)
    }

    /// The parts of a line inside the frame; gaps where values are not finite.
    fn clipped(&self, points: &[[f64; 2]]) -> Vec<Vec<[f64; 2]>> {
        let mut parts: Vec<Vec<[f64; 2]>> = Vec::new();
        for pair in points.windows(2) {
            let Some([a, b]) = clip(&self.rect(), pair[0], pair[1]) else { continue };
            match parts.last_mut() {
                Some(part) if part.last() == Some(&a) => part.push(b),
                _ => parts.push(vec![a, b]),
            }
        }
        parts
    }

    fn rect(&self) -> [f64; 4] {
        [self.left, self.top, self.right, self.bottom]
    }

    /// What a box of the page would hide, as a length of lines: a mark counts as its size.
    fn hidden(&self, panel: &Panel, rect: &[f64; 4]) -> f64 {
        const MARK: f64 = 10.0;
        let mut hidden = 0.0;
        for series in &panel.series {
            let points: Vec<[f64; 2]> = series.points.iter().map(|p| self.place(p)).collect();
            if !matches!(series.look, Look::Marks(_)) {
                for [a, b] in points.windows(2).filter_map(|pair| clip(rect, pair[0], pair[1])) {
                    hidden += (b[0] - a[0]).hypot(b[1] - a[1]);
                }
            }
            if matches!(series.look, Look::Marks(_) | Look::Joined(_)) {
                hidden += MARK * points.iter().filter(|p| within(rect, p)).count() as f64;
            }
        }
        hidden
    }

    fn legend(&self, panel: &Panel, marks: &mut Vec<Mark>) {
        let named: Vec<&Series> = panel.series.iter().filter(|s| !s.label.is_empty()).collect();
        if named.is_empty() {
            return;
        }
        const ROW: f64 = 18.0;
        const SWATCH: f64 = 30.0;
        let widest = named.iter().map(|s| png::text_width(&s.label, SMALL)).fold(0.0, f64::max);
        let (width, height) = (SWATCH + 18.0 + widest, ROW * named.len() as f64 + 8.0);
        let (left, right) = (self.left + 9.0, self.right - 9.0 - width);
        let (top, bottom) = (self.top + 9.0, self.bottom - 9.0 - height);
        let corner = |corner: Corner| match corner {
            Corner::TopLeft => [left, top],
            Corner::TopRight => [right, top],
            Corner::BottomLeft => [left, bottom],
            Corner::BottomRight => [right, bottom],
        };
        // Where it was asked for, unless it hides less elsewhere.
        let hidden = |&[x, y]: &[f64; 2]| self.hidden(panel, &[x, y, x + width, y + height]);
        let others = [Corner::TopLeft, Corner::TopRight, Corner::BottomLeft, Corner::BottomRight];
        let [x, y] = others.map(corner).into_iter().fold(corner(panel.legend), |best, other| {
            if hidden(&other) < hidden(&best) { other } else { best }
        });
        let paper = vec![[x, y], [x + width, y], [x + width, y + height], [x, y + height]];
        marks.push(Mark::Fill { points: paper, color: [255; 3], opacity: 0.88 });
        for (row, series) in named.iter().enumerate() {
            let middle = y + 4.0 + ROW * (row as f64 + 0.5);
            let ends = [x + 6.0, x + 6.0 + SWATCH];
            if !matches!(series.look, Look::Marks(_)) {
                marks.push(stroke(vec![[ends[0], middle], [ends[1], middle]], series));
            }
            if let Look::Marks(shape) | Look::Joined(shape) = series.look {
                marks.push(glyph([0.5 * (ends[0] + ends[1]), middle], shape, series.color));
            }
            marks.push(text([ends[1] + 6.0, middle + 4.3], series.label.clone(), SMALL, Anchor::Start));
        }
    }
}

fn within(&[left, top, right, bottom]: &[f64; 4], p: &[f64; 2]) -> bool {
    p[0] >= left && p[0] <= right && p[1] >= top && p[1] <= bottom
}

/// Liang and Barsky's clip of a segment by a box: left, top, right, bottom.
fn clip(&[left, top, right, bottom]: &[f64; 4], a: [f64; 2], b: [f64; 2]) -> Option<[[f64; 2]; 2]> {
    if !a.iter().chain(&b).all(|c| c.is_finite()) {
        return None;
    }
    let d = [b[0] - a[0], b[1] - a[1]];
    let (mut enter, mut leave) = (0.0_f64, 1.0_f64);
    let bounds = [(-d[0], a[0] - left), (d[0], right - a[0]), (-d[1], a[1] - top), (d[1], bottom - a[1])];
    for (rate, room) in bounds {
        if rate == 0.0 && room < 0.0 {
            return None;
        } else if rate < 0.0 {
            enter = enter.max(room / rate);
        } else if rate > 0.0 {
            leave = leave.min(room / rate);
        }
    }
    let at = |t: f64| {
        if t == 0.0 {
            a
        } else if t == 1.0 {
            b
        } else {
            [a[0] + t * d[0], a[1] + t * d[1]]
        }
    };
    (enter <= leave).then(|| [at(enter), at(leave)])
}

fn text(at: [f64; 2], text: String, size: f64, anchor: Anchor) -> Mark {
    Mark::Text { at, text, size, anchor, upright: false, bold: false }
}

fn stroke(points: Vec<[f64; 2]>, series: &Series) -> Mark {
    let (width, dash) = match series.look {
        Look::Dashed => (1.4, Some([7.0, 4.0])),
        Look::Dotted => (1.4, Some([2.0, 3.0])),
        _ => (1.8, None),
    };
    Mark::Stroke { points, width, color: series.color, dash }
}

fn glyph([x, y]: [f64; 2], shape: Shape, color: [u8; 3]) -> Mark {
    let regular = |corners: usize, radius: f64, turn: f64| -> Vec<[f64; 2]> {
        let angle = |k: usize| turn + std::f64::consts::TAU * k as f64 / corners as f64;
        (0..corners).map(|k| [x + radius * angle(k).sin(), y - radius * angle(k).cos()]).collect()
    };
    let points = match shape {
        Shape::Circle => regular(24, 4.3, 0.0),
        Shape::Dot => regular(10, 1.7, 0.0),
        Shape::Square => regular(4, 5.4, std::f64::consts::FRAC_PI_4),
        Shape::Triangle => regular(3, 5.8, 0.0),
        Shape::Diamond => regular(4, 5.6, 0.0),
    };
    Mark::Fill { points, color, opacity: 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Axis;

    fn legend_of(points: Vec<[f64; 2]>, look: Look) -> [f64; 2] {
        let range = |label: &str| Axis::linear(label).over(0.0, 1.0);
        let series = vec![Series::new("name", look, color::BLACK, points)];
        let panel =
            Panel { title: String::new(), x: range("x"), y: range("y"), series, legend: Corner::TopLeft };
        let page = page(&Figure { name: "legend", caption: String::new(), panels: vec![panel] });
        let paper = page.marks.iter().find_map(|m| match m {
            Mark::Fill { points, color: [255, 255, 255], .. } => Some(points[0]),
            _ => None,
        });
        paper.expect("a legend has paper below it")
    }

    #[test]
    fn a_legend_stays_where_it_was_asked_for_unless_it_hides_data_there() {
        let left_top = legend_of(vec![[0.9, 0.1], [0.95, 0.9]], Look::Line);
        assert!(left_top[0] < PANEL[0] / 2.0 && left_top[1] < PANEL[1] / 2.0);
        // A steep line in the upper left corner, or one that only passes through it between its points.
        for line in [vec![[0.05, 0.8], [0.05, 1.0]], vec![[0.0, 0.5], [0.3, 1.2]]] {
            assert_ne!(legend_of(line, Look::Line), left_top);
        }
        // Marks have no line between them.
        assert_eq!(legend_of(vec![[0.0, 0.5], [0.3, 1.2]], Look::Marks(Shape::Dot)), left_top);
        assert_ne!(legend_of(vec![[0.1, 0.95]], Look::Marks(Shape::Dot)), left_top);
        // Hidden everywhere: it stays.
        let all = vec![[0.1, 0.9], [0.9, 0.9], [0.9, 0.1], [0.1, 0.1]];
        assert_eq!(legend_of(all, Look::Marks(Shape::Dot)), left_top);
    }
}

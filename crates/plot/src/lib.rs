//! Figures in one style, as SVG and PNG, on any machine: the only font is embedded.
//!
//! ```text
//!   Figure ── panels ── series        what to show                    lib.rs
//!     layout    data to page          axes, ticks, legend, marks      layout.rs, ticks.rs
//!     Mark      strokes, fills, text  in page units
//!       svg     as text               svg.rs
//!       png     as pixels             png.rs
//!   Shaded                            a field on a plane, as PNG      cut.rs
//! ```

mod cut;
mod layout;
mod png;
mod svg;
mod ticks;

pub use cut::{Shaded, write_cut};
pub use png::write_png;
pub use svg::to_svg;

/// Colours that remain apart for colour-blind readers (Okabe and Ito).
pub mod color {
    /// Text, axes and references.
    pub const BLACK: [u8; 3] = [34, 34, 34];
    /// Secondary references.
    pub const GREY: [u8; 3] = [130, 130, 130];
    /// First series.
    pub const BLUE: [u8; 3] = [0, 114, 178];
    /// Second series.
    pub const VERMILLION: [u8; 3] = [213, 94, 0];
    /// Third series.
    pub const GREEN: [u8; 3] = [0, 158, 115];
    /// Fourth series.
    pub const PURPLE: [u8; 3] = [204, 121, 167];
    /// Fifth series.
    pub const ORANGE: [u8; 3] = [230, 159, 0];
    /// Sixth series.
    pub const SKY: [u8; 3] = [86, 180, 233];
}

/// Panels next to each other.
pub struct Figure {
    /// Name of its files.
    pub name: &'static str,
    /// What it shows, in a sentence or two.
    pub caption: String,
    /// From left to right.
    pub panels: Vec<Panel>,
}

/// How an axis maps numbers.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// In proportion.
    Linear,
    /// By decades.
    Log,
}

/// An axis.
pub struct Axis {
    /// Quantity and unit.
    pub label: String,
    /// How it maps numbers.
    pub scale: Scale,
    /// From, to; none for the range of the data.
    pub range: Option<[f64; 2]>,
}

impl Axis {
    /// A linear axis over the range of the data.
    pub fn linear(label: &str) -> Self {
        Self { label: label.into(), scale: Scale::Linear, range: None }
    }

    /// A logarithmic axis over the range of the data.
    pub fn log(label: &str) -> Self {
        Self { label: label.into(), scale: Scale::Log, range: None }
    }

    /// The same over a given range.
    pub fn over(self, from: f64, to: f64) -> Self {
        Self { range: Some([from, to]), ..self }
    }
}

/// A place for the legend.
#[derive(Clone, Copy)]
pub enum Corner {
    /// Upper left.
    TopLeft,
    /// Upper right.
    TopRight,
    /// Lower left.
    BottomLeft,
    /// Lower right.
    BottomRight,
}

/// One diagram.
pub struct Panel {
    /// Above the diagram.
    pub title: String,
    /// Across.
    pub x: Axis,
    /// Up.
    pub y: Axis,
    /// Drawn in this order.
    pub series: Vec<Series>,
    /// Where the legend goes, unless it would hide less of the data in another corner.
    pub legend: Corner,
}

/// How a series is drawn.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Look {
    /// A line through the points.
    Line,
    /// A dashed line, for references.
    Dashed,
    /// A dotted line, for second references.
    Dotted,
    /// Marks only.
    Marks(Shape),
    /// Marks joined by a line.
    Joined(Shape),
}

/// A mark's shape: series differ in it too, not in colour alone.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// A disc.
    Circle,
    /// A square.
    Square,
    /// A triangle.
    Triangle,
    /// A square on its corner.
    Diamond,
    /// A small disc, for clouds of many points.
    Dot,
}

/// Points with a name.
pub struct Series {
    /// In the legend; empty to leave it out.
    pub label: String,
    /// How it is drawn.
    pub look: Look,
    /// Its colour.
    pub color: [u8; 3],
    /// The data.
    pub points: Vec<[f64; 2]>,
}

impl Series {
    /// A series.
    pub fn new(label: impl Into<String>, look: Look, color: [u8; 3], points: Vec<[f64; 2]>) -> Self {
        Self { label: label.into(), look, color, points }
    }
}

/// Where a text is held.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Anchor {
    Start,
    Middle,
    End,
}

/// What is put on the page, in units of 1/96 inch from the upper left corner.
enum Mark {
    Stroke { points: Vec<[f64; 2]>, width: f64, color: [u8; 3], dash: Option<[f64; 2]> },
    Fill { points: Vec<[f64; 2]>, color: [u8; 3], opacity: f64 },
    Text { at: [f64; 2], text: String, size: f64, anchor: Anchor, upright: bool, bold: bool },
}

/// The whole page.
struct Page {
    width: f64,
    height: f64,
    marks: Vec<Mark>,
}

//! A page as SVG. Text stays text.

use super::layout::page;
use super::{Anchor, Figure, Mark};
use std::fmt::Write;

/// The figure as an SVG document.
pub fn to_svg(figure: &Figure) -> String {
    let page = page(figure);
    let (w, h) = (page.width, page.height);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w}\" height=\"{h}\" viewBox=\"0 0 {w} {h}\" \
         font-family=\"DejaVu Sans, Verdana, sans-serif\">\n<title>{}</title>\n\
         <rect width=\"{w}\" height=\"{h}\" fill=\"#fff\"/>\n",
        escape(&figure.caption)
    );
    for mark in &page.marks {
        // Writing to a string cannot fail.
        let _ = match mark {
            Mark::Stroke { points, width, color, dash } => {
                let dash =
                    dash.map_or(String::new(), |[on, off]| format!(" stroke-dasharray=\"{on} {off}\""));
                writeln!(
                    svg,
                    "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{width}\" \
                     stroke-linejoin=\"round\"{dash}/>",
                    list(points),
                    hex(*color)
                )
            }
            Mark::Fill { points, color, opacity } => {
                let opacity =
                    if *opacity < 1.0 { format!(" fill-opacity=\"{opacity}\"") } else { String::new() };
                writeln!(svg, "<polygon points=\"{}\" fill=\"{}\"{opacity}/>", list(points), hex(*color))
            }
            Mark::Text { at: [x, y], text, size, anchor, upright, bold } => {
                let turn = if *upright {
                    format!(" transform=\"rotate(-90 {x:.1} {y:.1})\"")
                } else {
                    String::new()
                };
                let anchor = match anchor {
                    Anchor::Start => "start",
                    Anchor::Middle => "middle",
                    Anchor::End => "end",
                };
                let weight = if *bold { " font-weight=\"bold\"" } else { "" };
                writeln!(
                    svg,
                    "<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"{size}\" text-anchor=\"{anchor}\" \
                     fill=\"#222\"{weight}{turn}>{}</text>",
                    escape(text)
                )
            }
        };
    }
    svg + "</svg>\n"
}

fn list(points: &[[f64; 2]]) -> String {
    points.iter().map(|[x, y]| format!("{x:.2},{y:.2}")).collect::<Vec<_>>().join(" ")
}

fn hex([r, g, b]: [u8; 3]) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

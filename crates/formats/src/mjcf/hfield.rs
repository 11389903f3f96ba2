//! Height fields: from numbers, MuJoCo's binary file, or a picture.

use super::defaults::Attrs;
use super::reader::Reader;
use crate::error::Read;
use crate::files::extension;
use crate::xml::Node;
use stiction_model::{HeightField, SizeLimits};

/// Most rows or columns.
const MAX_SIDE: usize = 20_000;

/// Heights before scaling, row by row from the smallest y.
struct Grid {
    rows: usize,
    columns: usize,
    data: Vec<f64>,
}

impl<'a> Reader<'a> {
    /// The height field a geom refers to: index into the world's.
    pub fn height_field_of(&mut self, attrs: &Attrs<'a>) -> Read<usize> {
        let geom = attrs.node();
        let name = attrs.text("hfield").ok_or_else(|| geom.error("a height field needs hfield=\"…\""))?;
        if let Some(index) = self.assets.loaded_fields.get(name) {
            return Ok(*index);
        }
        let node = *self.assets.fields.get(name).ok_or_else(|| {
            geom.error(format!("the height field \"{name}\" does not exist; define it in asset"))
        })?;
        let field = self.load_field(name, node)?;
        self.world.height_fields.push(field.into());
        let index = self.world.height_fields.len() - 1;
        self.assets.loaded_fields.insert(name.to_string(), index);
        Ok(index)
    }

    fn load_field(&self, name: &str, node: &Node) -> Read<HeightField> {
        let [rx, ry, top, base] =
            node.array("size")?.ok_or_else(|| node.error("size needs four numbers: x y top base"))?;
        if ![rx, ry, top, base].iter().all(|x| *x > 0.0 && x.is_finite()) {
            return Err(node.error("all four numbers of size must be positive"));
        }
        let most = self.world.options.limits.field_points;
        let grid = match node.attr("file") {
            Some(file) => {
                let path = self.asset_file(node, file);
                let bytes = self.files.read(&path).map_err(|reason| {
                    node.error(format!("{path} {reason}; correct file, meshdir or assetdir"))
                })?;
                let read = if extension(file) == "png" { picture(&bytes, most) } else { binary(&bytes) };
                read.map_err(|reason| node.error(format!("{path}: {reason}")))?
            }
            None => numbers(node, most)?,
        };
        if grid.rows < 2 || grid.columns < 2 {
            return Err(node.error("a height field needs two rows and two columns or more (nrow, ncol)"));
        }
        // MuJoCo scales the heights to lie between 0 and 1 before `size` applies.
        let low = grid.data.iter().copied().fold(f64::INFINITY, f64::min);
        let high = grid.data.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if !(low.is_finite() && high.is_finite()) {
            return Err(node.error("every height must be finite"));
        }
        let span = if high > low { high - low } else { 1.0 };
        Ok(HeightField {
            name: name.to_string(),
            rows: grid.rows,
            columns: grid.columns,
            half_extents: [rx, ry],
            heights: grid.data.iter().map(|h| (h - low) / span * top).collect(),
            base,
            source: node.source(),
        })
    }
}

/// Checked before memory is taken for them.
fn within(rows: usize, columns: usize, most: usize) -> Result<(), String> {
    match rows.saturating_mul(columns) {
        count if count > most => Err(SizeLimits::exceeded("field-points", "its heights are", count, most)),
        _ => Ok(()),
    }
}

/// Heights written in the element.
fn numbers(node: &Node, most: usize) -> Read<Grid> {
    let count = |name: &str| -> Read<usize> {
        let value = node.integer(name)?.unwrap_or(0);
        usize::try_from(value)
            .ok()
            .filter(|n| *n <= MAX_SIDE)
            .ok_or_else(|| node.error(format!("{name} is {value}; it must be between 2 and {MAX_SIDE}")))
    };
    let (rows, columns) = (count("nrow")?, count("ncol")?);
    within(rows, columns, most).map_err(|message| node.error(message))?;
    let data = node.numbers("elevation")?.unwrap_or_else(|| vec![0.0; rows * columns]);
    if data.len() != rows * columns {
        return Err(node.error(format!("elevation has {} numbers, it needs {}", data.len(), rows * columns)));
    }
    Ok(Grid { rows, columns, data })
}

/// MuJoCo's file: two counts and single-precision heights.
fn binary(bytes: &[u8]) -> Result<Grid, String> {
    let word = |i: usize| bytes.get(4 * i..4 * i + 4).and_then(|b| <[u8; 4]>::try_from(b).ok());
    let side = |i: usize| word(i).map(i32::from_le_bytes).and_then(|n| usize::try_from(n).ok()).unwrap_or(0);
    let (rows, columns) = (side(0), side(1));
    if rows.max(columns) > MAX_SIDE || bytes.len() != 8 + 4 * rows * columns {
        return Err("not a height field: its size does not fit its header".into());
    }
    let data =
        (0..rows * columns).map(|i| word(i + 2).map_or(0.0, |w| f32::from_le_bytes(w) as f64)).collect();
    Ok(Grid { rows, columns, data })
}

/// A picture: the first channel is the height, the last row of pixels the smallest y.
fn picture(bytes: &[u8], most: usize) -> Result<Grid, String> {
    let wrong = |e: png::DecodingError| format!("not a PNG picture that can be read ({e})");
    let mut decoder = png::Decoder::new(std::io::Cursor::new(bytes));
    decoder.set_transformations(png::Transformations::EXPAND | png::Transformations::STRIP_16);
    let mut reader = decoder.read_info().map_err(wrong)?;
    let (columns, rows) = (reader.info().width as usize, reader.info().height as usize);
    if rows.max(columns) > MAX_SIDE {
        return Err(format!("the picture has more than {MAX_SIDE} pixels along a side"));
    }
    within(rows, columns, most)?;
    let size = reader.output_buffer_size().filter(|n| *n <= 1 << 29).ok_or("the picture is too large")?;
    let mut pixels = vec![0; size];
    let frame = reader.next_frame(&mut pixels).map_err(wrong)?;
    let channels = frame.color_type.samples();
    let data = (0..rows)
        .rev()
        .flat_map(|r| (0..columns).map(move |c| r * frame.line_size + c * channels))
        .map(|i| f64::from(pixels[i]))
        .collect();
    Ok(Grid { rows, columns, data })
}

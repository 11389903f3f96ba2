//! Legacy VTK: unstructured grids of tetrahedra, text and binary, with a field on their vertices.
//!
//! ```text
//! # vtk DataFile Version 3.0            CELLS n size            (version 5: OFFSETS and CONNECTIVITY)
//! title                                 CELL_TYPES n
//! ASCII | BINARY                        POINT_DATA n
//! DATASET UNSTRUCTURED_GRID             SCALARS extent double 1
//! POINTS n double                       LOOKUP_TABLE default
//! ```
//!
//! The field is the scalar array called `extent` (0 on the surface, 1 at the core), or the one called
//! `pressure` (Pa, from which the modulus is taken as well), or the only one there is if it lies between 0 and 1.
//! Cells that are not volumes (triangles, lines, points) are skipped; volumes that are not tetrahedra are an error.
//! Numbers in binary files are big-endian.
//!
//! | file | |
//! |---|---|
//! | `cursor.rs` | lines, words and numbers of such a file |

mod cursor;

use super::MAX_ELEMENTS;
use cursor::{Cursor, short};
use std::fmt::Write;
use stiction_model::{Mesh, Tetrahedra, Vec3};

/// Reads a file into tetrahedra and their outer triangles.
pub fn read(bytes: &[u8]) -> Result<Mesh, String> {
    let mut file = Cursor::new(bytes);
    if !file.line().is_some_and(|l| l.starts_with("# vtk DataFile")) {
        return Err("the file does not begin with \"# vtk DataFile\"; give a legacy VTK file (.vtk)".into());
    }
    file.line().ok_or("the VTK file ends before its data")?;
    file.binary = match file.line().unwrap_or_default().trim() {
        "ASCII" => false,
        "BINARY" => true,
        other => return Err(format!("the third line is \"{}\"; it must be ASCII or BINARY", short(other))),
    };
    let mut grid = Grid::default();
    while let Some(line) = file.next_line() {
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        grid.section(&words, &mut file)?;
    }
    grid.finish()
}

/// A solid as text, with its extents if it has a field, or its pressures if it also has a modulus.
pub fn write(mesh: &Mesh) -> Result<String, String> {
    let tetrahedra = mesh.tetrahedra.as_ref().ok_or("the mesh has no tetrahedra")?;
    let mut text = String::from("# vtk DataFile Version 3.0\n");
    let title: String = mesh.name.chars().filter(|c| !c.is_control()).take(200).collect();
    let _ =
        write!(text, "{title}\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS {} double\n", mesh.vertices.len());
    for v in &mesh.vertices {
        let _ = writeln!(text, "{:?} {:?} {:?}", v.x, v.y, v.z);
    }
    let count = tetrahedra.cells.len();
    let _ = writeln!(text, "CELLS {count} {}", 5 * count);
    for [a, b, c, d] in &tetrahedra.cells {
        let _ = writeln!(text, "4 {a} {b} {c} {d}");
    }
    let _ = write!(text, "CELL_TYPES {count}\n{}", "10\n".repeat(count));
    if let Some(extents) = &tetrahedra.extents {
        let (name, unit) = tetrahedra.modulus.map_or(("extent", 1.0), |modulus| ("pressure", modulus));
        let _ = writeln!(text, "POINT_DATA {}\nSCALARS {name} double 1\nLOOKUP_TABLE default", extents.len());
        extents.iter().for_each(|e| text.push_str(&format!("{:?}\n", e * unit)));
    }
    Ok(text)
}

/// The content read so far.
#[derive(Default)]
struct Grid {
    points: Vec<Vec3>,
    /// Corner indices of all cells, and where each cell's end.
    corners: Vec<i64>,
    ends: Vec<usize>,
    types: Vec<i64>,
    scalars: Vec<(String, Vec<f64>)>,
    /// Elements that attribute arrays belong to, and whether they are points.
    attributes: Option<(usize, bool)>,
}

impl Grid {
    fn section(&mut self, words: &[&str], file: &mut Cursor) -> Result<(), String> {
        let keyword = words[0].to_ascii_uppercase();
        let word = |k: usize| words.get(k).copied().ok_or_else(|| format!("the line {keyword} is too short"));
        let count = |k: usize| -> Result<usize, String> {
            let text = word(k)?;
            let n = text.parse().ok().filter(|&n: &usize| n <= MAX_ELEMENTS);
            n.ok_or_else(|| format!("{keyword} has a count of \"{}\"", short(text)))
        };
        match keyword.as_str() {
            "DATASET" => {
                if !word(1)?.eq_ignore_ascii_case("UNSTRUCTURED_GRID") {
                    return Err(format!(
                        "the dataset is {}; a solid is an UNSTRUCTURED_GRID of tetrahedra",
                        short(word(1)?)
                    ));
                }
            }
            "POINTS" => {
                let numbers = file.numbers(3 * count(1)?, word(2)?)?;
                self.points = numbers.chunks_exact(3).map(|p| Vec3::new(p[0], p[1], p[2])).collect();
            }
            "CELLS" => self.cells(count(1)?, count(2)?, file)?,
            "CELL_TYPES" => self.types = file.integers(count(1)?, "int")?,
            "POINT_DATA" => self.attributes = Some((count(1)?, true)),
            "CELL_DATA" => self.attributes = Some((count(1)?, false)),
            "SCALARS" => {
                let components = if words.len() > 3 { count(3)? } else { 1 };
                file.keyword("LOOKUP_TABLE");
                self.array(word(1)?, components, word(2)?, file)?;
            }
            "VECTORS" | "NORMALS" => self.array("", 3, word(2)?, file)?,
            "TENSORS" => self.array("", 9, word(2)?, file)?,
            "TENSORS6" => self.array("", 6, word(2)?, file)?,
            "TEXTURE_COORDINATES" => self.array("", count(2)?, word(3)?, file)?,
            "COLOR_SCALARS" => {
                self.array("", count(2)?, if file.binary { "unsigned_char" } else { "float" }, file)?;
            }
            "LOOKUP_TABLE" => {
                let kind = if file.binary { "unsigned_char" } else { "float" };
                file.numbers(4 * count(2)?, kind)?;
            }
            "FIELD" => {
                for _ in 0..count(2)? {
                    let head = file.next_line().ok_or("the VTK file ends inside a FIELD")?;
                    let head: Vec<&str> = head.split_ascii_whitespace().collect();
                    let [name, components, tuples, kind] = head[..] else {
                        return Err(format!("a FIELD array begins with \"{}\"", short(&head.join(" "))));
                    };
                    let size = |t: &str| t.parse().ok().filter(|&n: &usize| n <= MAX_ELEMENTS);
                    let (Some(components), Some(tuples)) = (size(components), size(tuples)) else {
                        return Err(format!("the FIELD array \"{}\" has a bad size", short(name)));
                    };
                    let data = file.numbers(components.saturating_mul(tuples), kind)?;
                    if components == 1 && self.attributes == Some((tuples, true)) {
                        self.scalars.push((name.to_string(), data));
                    }
                }
            }
            "METADATA" => while file.line().is_some_and(|l| !l.trim().is_empty()) {},
            other => {
                return Err(format!(
                    "\"{}\" is not a keyword of a legacy VTK file, or the data before it is longer than said",
                    short(other)
                ));
            }
        }
        Ok(())
    }

    /// Version 5 gives offsets and connectivity, older ones a count before each cell's corners.
    fn cells(&mut self, first: usize, second: usize, file: &mut Cursor) -> Result<(), String> {
        (self.corners, self.ends) = (Vec::new(), Vec::new());
        if let Some(kind) = file.keyword("OFFSETS") {
            let offsets = file.integers(first, &kind)?;
            let kind = file.keyword("CONNECTIVITY").ok_or("CELLS has OFFSETS but no CONNECTIVITY")?;
            self.corners = file.integers(second, &kind)?;
            let mut last = 0;
            for (k, &offset) in offsets.iter().enumerate() {
                let end = usize::try_from(offset).ok().filter(|&e| e >= last && e <= second);
                last = end.ok_or_else(|| format!("offset {offset} of the cells is out of order"))?;
                if k > 0 {
                    self.ends.push(last);
                } else if last != 0 {
                    return Err("the first offset of the cells is not 0".into());
                }
            }
            return Ok(());
        }
        let mut numbers = file.integers(second, "int")?.into_iter();
        for cell in 0..first {
            let size = numbers.next().and_then(|n| usize::try_from(n).ok());
            let size = size.ok_or_else(|| format!("cell {cell} has no number of corners"))?;
            let before = self.corners.len();
            self.corners.extend(numbers.by_ref().take(size));
            if self.corners.len() - before < size {
                return Err(format!("cell {cell} says it has {size} corners, more than the list holds"));
            }
            self.ends.push(self.corners.len());
        }
        Ok(())
    }

    fn array(&mut self, name: &str, components: usize, kind: &str, file: &mut Cursor) -> Result<(), String> {
        let (count, on_points) = self.attributes.ok_or("data comes before POINT_DATA or CELL_DATA")?;
        let data = file.numbers(count.saturating_mul(components), kind)?;
        if on_points && components == 1 && !name.is_empty() {
            self.scalars.push((name.to_string(), data));
        }
        Ok(())
    }

    fn finish(self) -> Result<Mesh, String> {
        if self.types.len() != self.ends.len() {
            return Err(format!("there are {} cells but {} cell types", self.ends.len(), self.types.len()));
        }
        let count = self.points.len();
        let mut cells = Vec::new();
        let mut begin = 0;
        for (&end, &kind) in self.ends.iter().zip(&self.types) {
            let corners = &self.corners[begin..end];
            begin = end;
            match kind {
                10 => {
                    let index = |i: i64| u32::try_from(i).ok().filter(|&i| (i as usize) < count);
                    let [Some(a), Some(b), Some(c), Some(d)] =
                        [0, 1, 2, 3].map(|k| corners.get(k).copied().and_then(index))
                    else {
                        return Err(format!(
                            "tetrahedron {} has corners {:?}; it needs four numbers below {count}",
                            cells.len(),
                            &corners[..corners.len().min(8)]
                        ));
                    };
                    cells.push([a, b, c, d]);
                }
                0..=9 | 21 | 22 | 23 => {}
                other => {
                    return Err(format!(
                        "a cell has type {other}; only tetrahedra (type 10) are read: split or remesh the others"
                    ));
                }
            }
        }
        if cells.is_empty() {
            return Err("the file has no tetrahedra; mesh the volume (Gmsh, TetGen or fTetWild do)".into());
        }
        let (extents, modulus) = field(&self.scalars, count)?;
        let triangles = surface(&self.points, &cells)?;
        let tetrahedra = Some(Tetrahedra { cells, extents, modulus });
        Ok(Mesh { vertices: self.points, triangles, tetrahedra, ..Mesh::default() })
    }
}

/// The field among the scalars on points: extents, and the modulus if they are pressures.
fn field(scalars: &[(String, Vec<f64>)], count: usize) -> Result<(Option<Vec<f64>>, Option<f64>), String> {
    let called = |name: &str| scalars.iter().find(|(n, _)| n.eq_ignore_ascii_case(name));
    let only = if scalars.len() == 1 { scalars.first() } else { None };
    let Some((name, values)) = called("extent").or_else(|| called("pressure")).or(only) else {
        if scalars.is_empty() {
            return Ok((None, None));
        }
        let names: Vec<String> = scalars.iter().map(|(n, _)| format!("\"{}\"", short(n))).collect();
        return Err(format!(
            "the scalars on points are {}; call the field \"extent\" (0 on the surface, 1 at the core) or \"pressure\" (Pa)",
            names.join(", ")
        ));
    };
    if values.len() != count {
        return Err(format!("the field \"{}\" has {} numbers for {count} points", short(name), values.len()));
    }
    let fits = |most: f64| values.iter().all(|x| x.is_finite() && *x >= 0.0 && *x <= most);
    if name.eq_ignore_ascii_case("pressure") {
        let most = values.iter().copied().fold(0.0, f64::max);
        if !fits(f64::MAX) || most < f64::MIN_POSITIVE {
            return Err("the field \"pressure\" must be 0 on the surface and positive inside, in Pa".into());
        }
        return Ok((Some(values.iter().map(|p| p / most).collect()), Some(most)));
    }
    if !fits(1.0 + 1e-6) {
        return Err(format!(
            "the field \"{}\" must lie between 0 (surface) and 1 (core); call it \"pressure\" if it is in Pa",
            short(name)
        ));
    }
    // Single precision may round 1 up.
    Ok((Some(values.iter().map(|e| e.min(1.0)).collect()), None))
}

/// Faces that belong to one tetrahedron only, counter-clockwise seen from outside, in the order of the cells.
fn surface(points: &[Vec3], cells: &[[u32; 4]]) -> Result<Vec<[u32; 3]>, String> {
    let mut faces: Vec<([u32; 3], usize, [u32; 3])> = Vec::with_capacity(4 * cells.len());
    for (k, &[a, b, c, d]) in cells.iter().enumerate() {
        let p = |i: u32| points[i as usize];
        let inside_out = (p(b) - p(a)).dot(&(p(c) - p(a)).cross(&(p(d) - p(a)))) < 0.0;
        let (c, d) = if inside_out { (d, c) } else { (c, d) };
        for face in [[b, c, d], [a, d, c], [a, b, d], [a, c, b]] {
            let mut key = face;
            key.sort_unstable();
            faces.push((key, k, face));
        }
    }
    faces.sort_unstable();
    let mut outer: Vec<(usize, [u32; 3])> = Vec::new();
    for group in faces.chunk_by(|x, y| x.0 == y.0) {
        match group {
            [(_, cell, face)] => outer.push((*cell, *face)),
            [_, _] => {}
            _ => return Err(format!("more than two tetrahedra share the face {:?}; remesh", group[0].0)),
        }
    }
    outer.sort_unstable();
    Ok(outer.into_iter().map(|(_, face)| face).collect())
}

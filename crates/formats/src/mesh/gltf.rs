//! glTF 2.0, text (.gltf) and binary (.glb): the triangles of its scene.
//!
//! The format has y up; a quarter turn about x brings them to z up, as Drake does.

use super::{MAX_INSTANCED, obj::used};
use crate::files::MAX_FILE_BYTES;
use crate::text::percent_decoded;
use data_encoding::{BASE64_NOPAD, BASE64URL_NOPAD};
use nalgebra::{Matrix4, Point3, Quaternion, UnitQuaternion, Vector3};
use serde_json::Value;
use stiction_model::{Mesh, Vec3};

/// Deepest nesting of nodes.
const MAX_DEPTH: usize = 64;

/// Gives the bytes of a file that a glTF names, relative to it.
pub type Beside<'a> = dyn Fn(&str) -> Result<Vec<u8>, String> + 'a;

struct Reader<'a> {
    json: Value,
    buffers: Vec<Vec<u8>>,
    part: Option<&'a str>,
    mesh: Mesh,
    steps: usize,
}

/// Reads all triangles of the scene, or those of the node or mesh called `part`.
pub fn read(bytes: &[u8], part: Option<&str>, beside: &Beside) -> Result<Mesh, String> {
    let (text, body) = if bytes.starts_with(b"glTF") { chunks(bytes)? } else { (bytes, None) };
    let json: Value = serde_json::from_slice(text).map_err(|e| format!("not a glTF file: {e}"))?;
    if let Some(extensions) = json["extensionsRequired"].as_array()
        && let Some(name) = extensions
            .iter()
            .filter_map(Value::as_str)
            .find(|n| n.contains("compression") || n.contains("quantization"))
    {
        return Err(format!("it needs the extension {name}, which is not read; save it without compression"));
    }
    let mut buffers = Vec::new();
    let mut bytes_of_all = 0;
    for (k, buffer) in list(&json, "buffers").enumerate() {
        let one: Vec<u8> = match (buffer["uri"].as_str(), body) {
            (None, Some(body)) if k == 0 => body.to_vec(),
            (Some(uri), _) => match uri.strip_prefix("data:").and_then(|d| d.split_once("base64,")) {
                Some((_, data)) => base64(data)?,
                None => beside(&percent_decoded(uri))?,
            },
            _ => return Err(format!("buffer {k} has no data")),
        };
        bytes_of_all += one.len();
        if bytes_of_all as u64 > MAX_FILE_BYTES {
            return Err("its buffers are too large together".into());
        }
        buffers.push(one);
    }
    let mut reader = Reader { json, buffers, part, mesh: Mesh::default(), steps: 0 };
    let up = Matrix4::new_rotation(Vector3::x() * std::f64::consts::FRAC_PI_2);
    // The quarter turn is exact.
    let up = up.map(|x: f64| x.round());
    let scene = reader.json["scene"].as_u64().unwrap_or(0) as usize;
    let roots: Vec<usize> = match reader.json["scenes"].get(scene) {
        Some(scene) => list(scene, "nodes").filter_map(|n| Some(n.as_u64()? as usize)).collect(),
        None => (0..list(&reader.json, "nodes").count()).collect(),
    };
    for node in roots {
        reader.node(node, &up, part.is_none(), 0)?;
    }
    if reader.mesh.triangles.is_empty() {
        return Err("its scene has no triangles".into());
    }
    Ok(used(reader.mesh))
}

fn list<'j>(value: &'j Value, name: &str) -> impl Iterator<Item = &'j Value> + use<'j> {
    value[name].as_array().map(|a| a.as_slice()).unwrap_or(&[]).iter()
}

/// JSON and binary chunk of a GLB file.
fn chunks(bytes: &[u8]) -> Result<(&[u8], Option<&[u8]>), String> {
    let short = "the GLB file is shorter than its header says";
    let word = |at: usize| -> Result<usize, String> {
        let b = bytes.get(at..at + 4).ok_or(short)?;
        Ok(u32::from_le_bytes([b[0], b[1], b[2], b[3]]) as usize)
    };
    if word(4)? != 2 {
        return Err(format!("it is GLB version {}; only version 2 is read", word(4)?));
    }
    let length = word(12)?;
    let json = bytes.get(20..20usize.saturating_add(length)).ok_or(short)?;
    let next = 20 + length;
    if next + 8 > bytes.len() {
        return Ok((json, None));
    }
    let size = word(next)?;
    Ok((json, Some(bytes.get(next + 8..(next + 8).saturating_add(size)).ok_or(short)?)))
}

/// Bytes of base64 text of either alphabet, with or without padding and line breaks.
fn base64(text: &str) -> Result<Vec<u8>, String> {
    let digits: Vec<u8> = text.bytes().filter(|c| !matches!(c, b'=' | b'\n' | b'\r')).collect();
    let bytes = BASE64_NOPAD.decode(&digits).or_else(|_| BASE64URL_NOPAD.decode(&digits));
    bytes.map_err(|_| "a data: address is not base64".into())
}

impl Reader<'_> {
    fn named(&self, value: &Value) -> bool {
        self.part.is_some() && value["name"].as_str() == self.part
    }

    fn node(&mut self, index: usize, outer: &Matrix4<f64>, taken: bool, depth: usize) -> Result<(), String> {
        self.steps += 1;
        if depth > MAX_DEPTH || self.steps > 1_000_000 {
            return Err("nodes are nested too deep or refer to themselves".into());
        }
        let node = self.json["nodes"].get(index).ok_or("a node does not exist")?.clone();
        self.steps += list(&node, "children").count();
        let taken = taken || self.named(&node);
        let floats = |name: &str| -> Vec<f64> { list(&node, name).filter_map(Value::as_f64).collect() };
        let mut x = *outer;
        if let Ok(m) = <[f64; 16]>::try_from(floats("matrix")) {
            x *= Matrix4::from_column_slice(&m);
        }
        if let Ok(t) = <[f64; 3]>::try_from(floats("translation")) {
            x *= Matrix4::new_translation(&Vector3::from(t));
        }
        if let Ok([qx, qy, qz, qw]) = <[f64; 4]>::try_from(floats("rotation"))
            && let Some(q) = UnitQuaternion::try_new(Quaternion::new(qw, qx, qy, qz), 1e-9)
        {
            x *= q.to_homogeneous();
        }
        if let Ok(s) = <[f64; 3]>::try_from(floats("scale")) {
            x *= Matrix4::new_nonuniform_scaling(&Vector3::from(s));
        }
        if let Some(mesh) = node["mesh"].as_u64() {
            let mesh = self.json["meshes"].get(mesh as usize).ok_or("a mesh does not exist")?.clone();
            self.steps += list(&mesh, "primitives").count();
            if taken || self.named(&mesh) {
                for primitive in list(&mesh, "primitives") {
                    self.primitive(primitive, &x)?;
                }
            }
        }
        for child in list(&node, "children").filter_map(Value::as_u64) {
            self.node(child as usize, &x, taken, depth + 1)?;
        }
        Ok(())
    }

    fn primitive(&mut self, primitive: &Value, x: &Matrix4<f64>) -> Result<(), String> {
        let mode = primitive["mode"].as_u64().unwrap_or(4);
        let Some(position) = primitive["attributes"]["POSITION"].as_u64().filter(|_| mode >= 4) else {
            return Ok(());
        };
        let values = self.accessor(position as usize, 3)?;
        let base = self.mesh.vertices.len();
        let count = values.len() / 3;
        let indices: Vec<usize> = match primitive["indices"].as_u64() {
            Some(accessor) => self.accessor(accessor as usize, 1)?.into_iter().map(|v| v as usize).collect(),
            None => (0..count).collect(),
        };
        if indices.iter().any(|&i| i >= count) {
            return Err("an index is beyond the last vertex".into());
        }
        if base + count > MAX_INSTANCED || self.mesh.triangles.len() + indices.len() > MAX_INSTANCED {
            return Err("the mesh is too large".into());
        }
        for p in values.chunks_exact(3) {
            let p = x.transform_point(&Point3::new(p[0], p[1], p[2]));
            self.mesh.vertices.push(Vec3::new(p.x, p.y, p.z));
        }
        let mirrored = x.fixed_view::<3, 3>(0, 0).determinant() < 0.0;
        let mut add = |a: usize, b: usize, c: usize| {
            let t = [(base + a) as u32, (base + b) as u32, (base + c) as u32];
            self.mesh.triangles.push(if mirrored { [t[0], t[2], t[1]] } else { t });
        };
        match mode {
            4 => indices.chunks_exact(3).for_each(|c| add(c[0], c[1], c[2])),
            5 => {
                for (k, c) in indices.windows(3).enumerate() {
                    if k % 2 == 0 { add(c[0], c[1], c[2]) } else { add(c[1], c[0], c[2]) }
                }
            }
            _ => {
                for c in indices.get(1..).unwrap_or(&[]).windows(2) {
                    add(indices[0], c[0], c[1]);
                }
            }
        }
        Ok(())
    }

    /// The numbers of an accessor with `width` components.
    fn accessor(&self, index: usize, width: usize) -> Result<Vec<f64>, String> {
        let accessor = self.json["accessors"].get(index).ok_or("an accessor does not exist")?;
        if !accessor["sparse"].is_null() {
            return Err("sparse accessors are not read; save the file without them".into());
        }
        let view = accessor["bufferView"].as_u64().ok_or("an accessor has no data")? as usize;
        let view = self.json["bufferViews"].get(view).ok_or("a bufferView does not exist")?;
        let whole = |v: &Value, name: &str| v[name].as_u64().unwrap_or(0).min(u32::MAX as u64) as usize;
        let buffer = self.buffers.get(whole(view, "buffer")).ok_or("a buffer does not exist")?;
        let (kind, size) = match accessor["componentType"].as_u64() {
            Some(5121) => (1, 1),
            Some(5123) => (2, 2),
            Some(5125) => (3, 4),
            Some(5126) => (4, 4),
            _ => return Err("an accessor has numbers of a type that is not read".into()),
        };
        let count = whole(accessor, "count");
        let start = whole(view, "byteOffset") + whole(accessor, "byteOffset");
        let stride = Some(whole(view, "byteStride")).filter(|s| *s > 0).unwrap_or(width * size);
        // Nothing larger than the buffer can be asked for.
        if count > buffer.len() || count > 3 * MAX_INSTANCED {
            return Err("an accessor asks for more than its buffer holds".into());
        }
        let mut out = Vec::with_capacity(count * width);
        for k in 0..count {
            for c in 0..width {
                let at = start + k * stride + c * size;
                let b = buffer.get(at..at + size).ok_or("an accessor asks for more than its buffer holds")?;
                out.push(match kind {
                    1 => b[0] as f64,
                    2 => u16::from_le_bytes([b[0], b[1]]) as f64,
                    3 => u32::from_le_bytes([b[0], b[1], b[2], b[3]]) as f64,
                    _ => f32::from_le_bytes([b[0], b[1], b[2], b[3]]) as f64,
                });
            }
        }
        Ok(out)
    }
}

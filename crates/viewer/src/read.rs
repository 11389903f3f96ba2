//! Recordings back into numbers, for tests, tools and the writer of MCAP.

use crate::chunk::{HEAD, Kind, VERSION};
use crate::error::ReadError;
use flate2::read::DeflateDecoder;
use serde_json::Value;
use std::io::Read;
use std::ops::Range;

/// A recording.
#[derive(Clone, Debug, PartialEq)]
pub struct Recording {
    /// The scene.
    pub scene: Value,
    /// Its surfaces and solids.
    pub buffers: Vec<Buffer>,
    /// The frames in order.
    pub frames: Vec<Frame>,
}

/// A surface or a solid.
#[derive(Clone, Debug, PartialEq)]
pub struct Buffer {
    /// What geoms call it.
    pub id: u32,
    /// Vertices, m.
    pub vertices: Vec<[f32; 3]>,
    /// Triangles.
    pub triangles: Vec<[u32; 3]>,
    /// Tetrahedra.
    pub tetrahedra: Vec<[u32; 4]>,
    /// Pressure at the vertices of a solid, Pa.
    pub pressure: Vec<f32>,
}

/// A frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frame {
    /// Time, s.
    pub time: f64,
    /// Poses of the bodies: position in m, quaternion with w first.
    pub poses: Vec<[f32; 7]>,
    /// Channels.
    pub channels: Vec<f32>,
    /// Contact points.
    pub contacts: Vec<FrameContact>,
    /// Contact patches.
    pub patches: Vec<FramePatch>,
}

/// A contact point, world axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrameContact {
    /// Geom A.
    pub geom_a: u32,
    /// Geom B.
    pub geom_b: u32,
    /// Position, m.
    pub position: [f32; 3],
    /// Normal, from A into B.
    pub normal: [f32; 3],
    /// Force on B, N.
    pub force: [f32; 3],
    /// Slip of B relative to A, m/s.
    pub slip: [f32; 3],
    /// Penetration, m.
    pub penetration: f32,
    /// Whether it sticks.
    pub sticking: bool,
}

/// A contact patch, world axes.
#[derive(Clone, Debug, PartialEq)]
pub struct FramePatch {
    /// Geom A.
    pub geom_a: u32,
    /// Geom B.
    pub geom_b: u32,
    /// Area under pressure, m².
    pub area: f32,
    /// Its centroid, m.
    pub centroid: [f32; 3],
    /// Force on B, N.
    pub force: [f32; 3],
    /// Moment on B about the centroid, N m.
    pub moment: [f32; 3],
    /// Vertices, m.
    pub vertices: Vec<[f32; 3]>,
    /// Pressure at the vertices, Pa.
    pub pressure: Vec<f32>,
    /// Vertices of each face.
    pub faces: Vec<Vec<u32>>,
    /// Traction on B of each face, Pa.
    pub traction: Vec<[f32; 3]>,
    /// Slip of each face, m/s.
    pub slip: Vec<[f32; 3]>,
}

/// Reads an HTML recording. A last block that is cut off, as after a kill, is left out.
pub fn html(text: &str) -> Result<Recording, ReadError> {
    let open = "<script type=\"application/x-stiction\" data-encoding=\"deflate-raw;base64\">";
    let mut blocks = text.split(open).skip(1).peekable();
    let mut bytes = Vec::new();
    while let Some(block) = blocks.next() {
        let last = blocks.peek().is_none();
        let Some((content, _)) = block.split_once("</script>") else {
            if last {
                break;
            }
            return Err(damaged("a block has no end"));
        };
        let packed = data_encoding::BASE64.decode(content.trim().as_bytes());
        let packed = packed.map_err(|e| damaged(format!("base64: {e}")))?;
        DeflateDecoder::new(&packed[..])
            .read_to_end(&mut bytes)
            .map_err(|e| damaged(format!("deflate: {e}")))?;
    }
    if bytes.is_empty() { Err(ReadError::Empty) } else { chunks(&bytes) }
}

/// Reads a sequence of chunks that begins with a scene.
pub fn chunks(bytes: &[u8]) -> Result<Recording, ReadError> {
    let mut recording = Recording { scene: Value::Null, buffers: Vec::new(), frames: Vec::new() };
    for chunk in split(bytes) {
        let (kind, payload) = chunk?;
        match kind {
            k if k == Kind::Scene as u8 => {
                recording.scene =
                    serde_json::from_slice(payload).map_err(|e| damaged(format!("the scene: {e}")))?;
                if recording.scene["version"] != VERSION {
                    let found = recording.scene["version"].to_string();
                    return Err(ReadError::Version { found, known: VERSION });
                }
            }
            k if k == Kind::Buffer as u8 => recording.buffers.push(buffer(payload)?),
            k if k == Kind::Frame as u8 => recording.frames.push(frame(payload)?),
            _ => {}
        }
    }
    if recording.scene.is_null() { Err(damaged("it has no scene")) } else { Ok(recording) }
}

/// The kind and payload of each chunk.
pub fn split(bytes: &[u8]) -> impl Iterator<Item = Result<(u8, &[u8]), ReadError>> {
    let mut rest = bytes;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let whole = rest.split_at_checked(HEAD).and_then(|(head, after)| {
            let length = u32::from_le_bytes(head[..4].try_into().ok()?) as usize;
            let (payload, _) = after.split_at_checked(length)?;
            Some((head[4], payload, after.get(length.next_multiple_of(8)..)?))
        });
        let Some((kind, payload, after)) = whole else {
            rest = &[];
            return Some(Err(damaged("a chunk is cut off")));
        };
        rest = after;
        Some(Ok((kind, payload)))
    })
}

/// Reads the payload of a frame.
pub fn frame(payload: &[u8]) -> Result<Frame, ReadError> {
    let mut cursor = Cursor { rest: payload };
    let time = f64::from_le_bytes(cursor.take()?);
    let [bodies, channels, contacts, patches] = cursor.u32s::<4>()?.map(|n| n as usize);
    let poses = cursor.many(bodies, Cursor::f32s::<7>)?;
    let channels = cursor.many(channels, Cursor::f32)?;
    let contacts = cursor.many(contacts, |c| {
        let [geom_a, geom_b] = c.u32s()?;
        let (position, normal, force, slip) = (c.f32s()?, c.f32s()?, c.f32s()?, c.f32s()?);
        let (penetration, [flags]) = (c.f32()?, c.u32s()?);
        let sticking = flags & 1 == 1;
        Ok(FrameContact { geom_a, geom_b, position, normal, force, slip, penetration, sticking })
    })?;
    let patches = cursor.many(patches, patch)?;
    cursor.end("frame")?;
    Ok(Frame { time, poses, channels, contacts, patches })
}

fn patch(c: &mut Cursor<'_>) -> Result<FramePatch, ReadError> {
    let [geom_a, geom_b, nv, nf, ni] = c.u32s()?;
    let (area, centroid, force, moment) = (c.f32()?, c.f32s()?, c.f32s()?, c.f32s()?);
    let vertices = c.many(nv as usize, Cursor::f32s::<3>)?;
    let pressure = c.many(nv as usize, Cursor::f32)?;
    let starts = c.many(nf as usize + 1, Cursor::u32)?;
    let indices = c.many(ni as usize, Cursor::u32)?;
    if indices.iter().any(|i| *i >= nv) || starts.last() != Some(&ni) {
        return Err(damaged("a patch names vertices that it does not have"));
    }
    let face = |s: &[u32]| {
        let range: Range<usize> = s[0] as usize..s[1] as usize;
        indices.get(range).map(<[u32]>::to_vec).ok_or_else(|| damaged("a patch has faces out of order"))
    };
    let faces = starts.windows(2).map(face).collect::<Result<_, _>>()?;
    let traction = c.many(nf as usize, Cursor::f32s::<3>)?;
    let slip = c.many(nf as usize, Cursor::f32s::<3>)?;
    Ok(FramePatch {
        geom_a,
        geom_b,
        area,
        centroid,
        force,
        moment,
        vertices,
        pressure,
        faces,
        traction,
        slip,
    })
}

fn buffer(payload: &[u8]) -> Result<Buffer, ReadError> {
    let mut cursor = Cursor { rest: payload };
    let [id, nv, nt, ne] = cursor.u32s()?;
    let vertices = cursor.many(nv as usize, Cursor::f32s::<3>)?;
    let triangles: Vec<[u32; 3]> = cursor.many(nt as usize, Cursor::u32s::<3>)?;
    let tetrahedra: Vec<[u32; 4]> = cursor.many(ne as usize, Cursor::u32s::<4>)?;
    if triangles.iter().flatten().chain(tetrahedra.iter().flatten()).any(|i| *i >= nv) {
        return Err(damaged("a buffer names vertices that it does not have"));
    }
    let pressure = cursor.many(if ne > 0 { nv as usize } else { 0 }, Cursor::f32)?;
    cursor.end("buffer")?;
    Ok(Buffer { id, vertices, triangles, tetrahedra, pressure })
}

fn damaged(what: impl Into<String>) -> ReadError {
    ReadError::Damaged(what.into())
}

/// What is left to read of a payload.
struct Cursor<'a> {
    rest: &'a [u8],
}

impl Cursor<'_> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N], ReadError> {
        let (bytes, rest) = self.rest.split_first_chunk().ok_or_else(|| damaged("a chunk is too short"))?;
        self.rest = rest;
        Ok(*bytes)
    }

    fn u32(&mut self) -> Result<u32, ReadError> {
        self.take().map(u32::from_le_bytes)
    }

    fn f32(&mut self) -> Result<f32, ReadError> {
        self.take().map(f32::from_le_bytes)
    }

    fn u32s<const N: usize>(&mut self) -> Result<[u32; N], ReadError> {
        let mut out = [0; N];
        out.iter_mut().try_for_each(|x| self.u32().map(|value| *x = value))?;
        Ok(out)
    }

    fn f32s<const N: usize>(&mut self) -> Result<[f32; N], ReadError> {
        let mut out = [0.0; N];
        out.iter_mut().try_for_each(|x| self.f32().map(|value| *x = value))?;
        Ok(out)
    }

    /// `count` things; a count that the bytes cannot hold ends at the first one missing.
    fn many<T>(
        &mut self,
        count: usize,
        mut one: impl FnMut(&mut Self) -> Result<T, ReadError>,
    ) -> Result<Vec<T>, ReadError> {
        (0..count).map(|_| one(self)).collect()
    }

    fn end(&self, what: &str) -> Result<(), ReadError> {
        if self.rest.is_empty() { Ok(()) } else { Err(damaged(format!("a {what} is longer than it says"))) }
    }
}

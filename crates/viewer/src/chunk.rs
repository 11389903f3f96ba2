//! Chunks: length, kind, payload, padding (`docs/recording.md`).

/// Version of the format.
pub const VERSION: u32 = 1;
/// Bytes before a payload.
pub const HEAD: usize = 8;

/// What a chunk holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// The scene as JSON.
    Scene = 1,
    /// A surface or a solid.
    Buffer = 2,
    /// Poses, channels, contacts and patches at one time.
    Frame = 3,
    /// State of a live simulation as JSON.
    Status = 4,
}

/// Appends a chunk whose payload `write` appends.
pub fn append(out: &mut Vec<u8>, kind: Kind, write: impl FnOnce(&mut Vec<u8>)) {
    let start = out.len();
    out.extend_from_slice(&[0, 0, 0, 0, kind as u8, 0, 0, 0]);
    write(out);
    let length = out.len() - start - HEAD;
    // No frame comes near 4 GiB: it would take some ten million contact points.
    let length = u32::try_from(length).expect("a chunk is smaller than 4 GiB");
    out[start..start + 4].copy_from_slice(&length.to_le_bytes());
    out.resize(start + HEAD + (length as usize).next_multiple_of(8), 0);
}

/// Appends a number.
pub(crate) fn put_u32(out: &mut Vec<u8>, value: usize) {
    out.extend_from_slice(&u32::try_from(value).expect("counts and indices fit 32 bits").to_le_bytes());
}

/// Appends numbers in single precision.
pub(crate) fn put_f32<'a>(out: &mut Vec<u8>, values: impl IntoIterator<Item = &'a f64>) {
    for value in values {
        out.extend_from_slice(&(*value as f32).to_le_bytes());
    }
}

/// Appends a few numbers in single precision, in one go.
pub(crate) fn put_row<const N: usize>(out: &mut Vec<u8>, values: [f64; N]) {
    let bytes = values.map(|value| (value as f32).to_le_bytes());
    out.extend_from_slice(bytes.as_flattened());
}

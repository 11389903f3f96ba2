//! NumPy's `.npy` arrays: numbers of any shape, and short texts.
//!
//! Format 1.0–3.0: magic `\x93NUMPY`, version, header length, a Python dictionary with `descr`, `fortran_order` and
//! `shape`, then the numbers. Read are little-endian f8 and f4 (as f64), signed and unsigned integers and booleans (as
//! i64), and byte and UCS-4 strings without dimensions; written are f8, i8 and byte strings.

use crate::error::DataError;
use std::path::Path;

/// What an array holds, row-major.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// Numbers.
    Real(Vec<f64>),
    /// Whole numbers.
    Whole(Vec<i64>),
    /// One text (an array without dimensions).
    Text(String),
}

/// An array.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    /// Length along each dimension.
    pub shape: Vec<usize>,
    /// Its values.
    pub values: Values,
}

/// Largest array that is read, numbers (1 GiB).
const MOST: usize = 1 << 27;

impl Array {
    /// A table of numbers with `columns` columns.
    pub fn table(columns: usize, values: Vec<f64>) -> Self {
        let rows = values.len().checked_div(columns).unwrap_or(0);
        Self { shape: vec![rows, columns], values: Values::Real(values) }
    }

    /// A list of numbers.
    pub fn list(values: Vec<f64>) -> Self {
        Self { shape: vec![values.len()], values: Values::Real(values) }
    }

    /// A list of whole numbers.
    pub fn whole(values: Vec<i64>) -> Self {
        Self { shape: vec![values.len()], values: Values::Whole(values) }
    }

    /// A text.
    pub fn text(text: impl Into<String>) -> Self {
        Self { shape: Vec::new(), values: Values::Text(text.into()) }
    }

    /// The numbers as f64; `None` for a text.
    pub fn reals(&self) -> Option<Vec<f64>> {
        match &self.values {
            Values::Real(values) => Some(values.clone()),
            Values::Whole(values) => Some(values.iter().map(|x| *x as f64).collect()),
            Values::Text(_) => None,
        }
    }

    /// Reads an array from the bytes of a file; `file` is for messages.
    pub fn from_npy(bytes: &[u8], file: &Path) -> Result<Self, DataError> {
        let wrong = |what: String| DataError::file(file, what);
        let short = || wrong("it ends within its header".into());
        if bytes.get(..6) != Some(b"\x93NUMPY") {
            return Err(wrong("it does not begin as a NumPy file does".into()));
        }
        let version = *bytes.get(6).ok_or_else(short)?;
        let (start, length): (usize, usize) = match version {
            1 => {
                let b = bytes.get(8..10).ok_or_else(short)?;
                (10, u16::from_le_bytes([b[0], b[1]]) as usize)
            }
            2 | 3 => {
                let b = bytes.get(8..12).ok_or_else(short)?;
                (12, u32::from_le_bytes([b[0], b[1], b[2], b[3]]) as usize)
            }
            _ => return Err(wrong(format!("its format version {version} is not known"))),
        };
        let header = bytes.get(start..start.saturating_add(length)).ok_or_else(short)?;
        let header = std::str::from_utf8(header).map_err(|_| wrong("its header is not text".into()))?;
        let kind =
            field(header, "descr").and_then(|d| d.strip_prefix('\'')).and_then(|d| d.split('\'').next());
        let kind = kind.ok_or_else(|| {
            wrong("its header names no plain type; save plain numbers, not records or objects".into())
        })?;
        if field(header, "fortran_order").is_some_and(|v| v.starts_with("True")) {
            return Err(wrong("it is stored by columns; save it with np.ascontiguousarray".into()));
        }
        let shape = field(header, "shape")
            .and_then(|s| s.strip_prefix('('))
            .and_then(|s| s.split_once(')'))
            .ok_or_else(|| wrong("its header names no shape".into()))?
            .0;
        let shape: Vec<usize> = shape
            .split(',')
            .map(str::trim)
            .filter(|s| !s.is_empty())
            .map(str::parse)
            .collect::<Result<_, _>>()
            .map_err(|_| wrong(format!("its shape ({shape}) is not one")))?;
        let count = shape
            .iter()
            .try_fold(1usize, |product, n| product.checked_mul(*n))
            .filter(|n| *n <= MOST)
            .ok_or_else(|| wrong(format!("an array of shape {shape:?} is not read: it is too large")))?;
        let (letter, size) =
            kind.trim_start_matches(['<', '>', '|', '=']).split_at_checked(1).unwrap_or(("", ""));
        let size: usize = size.parse().unwrap_or(0);
        let width = if letter == "U" { size.saturating_mul(4) } else { size };
        let data = &bytes[start + length..];
        let belong = width.saturating_mul(count);
        if data.len() != belong {
            return Err(wrong(format!(
                "{} bytes of numbers where {belong} belong: it is damaged",
                data.len()
            )));
        }
        let whole = |read: fn(&[u8]) -> i64| Values::Whole(data.chunks_exact(width).map(read).collect());
        let refuse = || wrong(format!("its numbers are of type '{kind}'; save them as float64 ('<f8')"));
        let values = match (letter, size) {
            _ if kind.starts_with('>') => return Err(refuse()),
            ("f", 8) => Values::Real(data.chunks_exact(8).map(|b| f64::from_le_bytes(array(b))).collect()),
            ("f", 4) => {
                Values::Real(data.chunks_exact(4).map(|b| f32::from_le_bytes(array(b)) as f64).collect())
            }
            ("i", 8) => whole(|b| i64::from_le_bytes(array(b))),
            ("i", 4) => whole(|b| i32::from_le_bytes(array(b)) as i64),
            ("i", 2) => whole(|b| i16::from_le_bytes(array(b)) as i64),
            ("u", 4) => whole(|b| u32::from_le_bytes(array(b)) as i64),
            ("u", 1) | ("b", 1) => whole(|b| b[0] as i64),
            ("S", _) if shape.is_empty() => {
                let text = std::str::from_utf8(data).map_err(|_| wrong("its text is not UTF-8".into()))?;
                Values::Text(text.trim_end_matches('\0').into())
            }
            ("U", _) if shape.is_empty() => {
                let letter = |b: &[u8]| char::from_u32(u32::from_le_bytes(array(b)));
                let text: Option<String> = data.chunks_exact(4).map(letter).collect();
                let text = text.ok_or_else(|| wrong("its text is not Unicode".into()))?;
                Values::Text(text.trim_end_matches('\0').into())
            }
            _ => return Err(refuse()),
        };
        Ok(Self { shape, values })
    }

    /// The array as the bytes of a `.npy` file, version 1.0.
    pub fn to_npy(&self) -> Vec<u8> {
        let kind = match &self.values {
            Values::Real(_) => "<f8".to_string(),
            Values::Whole(_) => "<i8".to_string(),
            Values::Text(text) => format!("|S{}", text.len().max(1)),
        };
        let sizes: Vec<String> = self.shape.iter().map(usize::to_string).collect();
        let shape =
            if sizes.len() == 1 { format!("({},)", sizes[0]) } else { format!("({})", sizes.join(", ")) };
        let mut header = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}");
        // Magic, version, length and header together end on a multiple of 64, after a line end.
        while !(10 + header.len() + 1).is_multiple_of(64) {
            header.push(' ');
        }
        header.push('\n');
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend((header.len() as u16).to_le_bytes());
        bytes.extend(header.as_bytes());
        match &self.values {
            Values::Real(values) => bytes.extend(values.iter().flat_map(|x| x.to_le_bytes())),
            Values::Whole(values) => bytes.extend(values.iter().flat_map(|x| x.to_le_bytes())),
            Values::Text(text) if text.is_empty() => bytes.push(0),
            Values::Text(text) => bytes.extend(text.as_bytes()),
        }
        bytes
    }
}

/// Bytes as an array of the length their number has.
fn array<const N: usize>(bytes: &[u8]) -> [u8; N] {
    std::array::from_fn(|i| bytes[i])
}

/// What follows `'name':` in a header.
fn field<'a>(header: &'a str, name: &str) -> Option<&'a str> {
    let quoted = format!("'{name}'");
    let rest = &header[header.find(&quoted)? + quoted.len()..];
    rest.trim_start().strip_prefix(':').map(str::trim_start)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn back(array: &Array) -> Array {
        Array::from_npy(&array.to_npy(), Path::new("t.npy")).expect("it reads")
    }

    proptest! {
        #[test]
        fn written_arrays_read_back(columns in 1usize..9, rows in 0usize..20, seed in any::<u64>(), text in "[a-z{}\"]{0,40}") {
            let values = (0..rows * columns).map(|i| (seed as f64 + i as f64).sin()).collect();
            let table = Array::table(columns, values);
            prop_assert_eq!(back(&table), table);
            let whole = Array::whole(vec![seed as i64; rows]);
            prop_assert_eq!(back(&whole), whole);
            prop_assert_eq!(back(&Array::text(&text)), Array::text(text));
        }

        #[test]
        fn damaged_files_are_refused_not_panicked_over(cut in 0usize..200, at in 0usize..200, byte in any::<u8>()) {
            let mut bytes = Array::table(3, vec![1.0; 9]).to_npy();
            let whole = bytes.clone();
            bytes.truncate(cut);
            if at < bytes.len() {
                bytes[at] = byte;
            }
            // A byte of a number may change without anyone noticing; a shorter file may not.
            let read = Array::from_npy(&bytes, Path::new("t.npy"));
            prop_assert!(read.is_err() || bytes.len() == whole.len());
        }
    }

    #[test]
    fn a_type_that_is_not_read_is_named() {
        let mut bytes = Array::list(vec![1.0]).to_npy();
        let at = bytes.windows(3).position(|w| w == b"<f8").expect("it has a type");
        bytes[at] = b'>';
        let error = Array::from_npy(&bytes, Path::new("big.npy")).expect_err("it is big-endian").to_string();
        assert!(error.contains("big.npy") && error.contains("'>f8'") && error.contains("float64"), "{error}");
    }
}

//! Lines, words and numbers of a legacy VTK file, text or big-endian bytes.

/// The start of a text from a file, for messages.
pub fn short(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(40).collect()
}

/// A place in the file.
pub struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Whether numbers are bytes, not text.
    pub binary: bool,
}

impl<'a> Cursor<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0, binary: false }
    }

    /// The next line without its end; `None` at the end of the file.
    pub fn line(&mut self) -> Option<String> {
        let rest = &self.bytes[self.at..];
        if rest.is_empty() {
            return None;
        }
        let length = rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
        self.at += (length + 1).min(rest.len());
        // Keywords are short; a longer line is data in the wrong place.
        Some(String::from_utf8_lossy(&rest[..length.min(4096)]).into_owned())
    }

    /// The next line that is not empty.
    pub fn next_line(&mut self) -> Option<String> {
        loop {
            let line = self.line()?;
            if !line.trim().is_empty() {
                return Some(line);
            }
        }
    }

    /// The word after `keyword` if the next line begins with it; otherwise nothing is read.
    pub fn keyword(&mut self, keyword: &str) -> Option<String> {
        let before = self.at;
        let line = self.next_line().unwrap_or_default();
        let mut words = line.split_ascii_whitespace();
        if words.next().is_some_and(|w| w.eq_ignore_ascii_case(keyword)) {
            return Some(words.next().unwrap_or("").to_string());
        }
        self.at = before;
        None
    }

    /// Numbers of a VTK type.
    pub fn numbers(&mut self, count: usize, kind: &str) -> Result<Vec<f64>, String> {
        self.values(count, kind, |word| word.parse().ok(), |raw| raw.float())
    }

    pub fn integers(&mut self, count: usize, kind: &str) -> Result<Vec<i64>, String> {
        self.values(count, kind, |word| word.parse().ok(), |raw| raw.integer())
    }

    fn values<T>(
        &mut self,
        count: usize,
        kind: &str,
        parse: impl Fn(&str) -> Option<T>,
        decode: impl Fn(Raw) -> T,
    ) -> Result<Vec<T>, String> {
        let number = Number::of(kind)?;
        let rest = &self.bytes[self.at..];
        // A number takes at least one byte, so that a false count cannot ask for memory.
        let ends = || format!("the VTK file ends before the {count} numbers it announces");
        if self.binary {
            let size = number.size();
            let data = count.checked_mul(size).and_then(|n| rest.get(..n)).ok_or_else(ends)?;
            self.at += data.len();
            return Ok(data.chunks_exact(size).map(|b| decode(Raw(number, b))).collect());
        }
        if count > rest.len() {
            return Err(ends());
        }
        let mut out = Vec::with_capacity(count);
        for _ in 0..count {
            let rest = &self.bytes[self.at..];
            let begin = rest.iter().position(|b| !b.is_ascii_whitespace()).ok_or_else(ends)?;
            let rest = &rest[begin..];
            let length = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
            self.at += begin + length;
            let word = std::str::from_utf8(&rest[..length.min(64)]).unwrap_or("");
            out.push(parse(word).ok_or_else(|| format!("\"{}\" is not a number", short(word)))?);
        }
        Ok(out)
    }
}

/// Number types of binary files.
#[derive(Clone, Copy)]
enum Number {
    Float(usize),
    Signed(usize),
    Unsigned(usize),
}

impl Number {
    fn of(kind: &str) -> Result<Self, String> {
        Ok(match kind.to_ascii_lowercase().as_str() {
            "float" => Self::Float(4),
            "double" => Self::Float(8),
            "char" | "signed_char" => Self::Signed(1),
            "short" => Self::Signed(2),
            "int" | "vtktypeint32" => Self::Signed(4),
            "long" | "vtktypeint64" | "vtkidtype" => Self::Signed(8),
            "unsigned_char" => Self::Unsigned(1),
            "unsigned_short" => Self::Unsigned(2),
            "unsigned_int" | "vtktypeuint32" => Self::Unsigned(4),
            "unsigned_long" | "vtktypeuint64" => Self::Unsigned(8),
            other => return Err(format!("numbers of type \"{}\" are not read", short(other))),
        })
    }

    fn size(self) -> usize {
        match self {
            Self::Float(n) | Self::Signed(n) | Self::Unsigned(n) => n,
        }
    }
}

/// The bytes of one number.
struct Raw<'a>(Number, &'a [u8]);

impl Raw<'_> {
    fn integer(&self) -> i64 {
        let unsigned = self.1.iter().fold(0u64, |n, &b| n << 8 | u64::from(b));
        match self.0 {
            Number::Float(_) => self.float() as i64,
            // Moves the sign bit to the top and back.
            Number::Signed(size) => ((unsigned << (64 - 8 * size)) as i64) >> (64 - 8 * size),
            Number::Unsigned(_) => i64::try_from(unsigned).unwrap_or(i64::MAX),
        }
    }

    fn float(&self) -> f64 {
        match (self.0, self.1) {
            (Number::Float(4), &[a, b, c, d]) => f64::from(f32::from_be_bytes([a, b, c, d])),
            (Number::Float(8), &[a, b, c, d, e, f, g, h]) => f64::from_be_bytes([a, b, c, d, e, f, g, h]),
            _ => self.integer() as f64,
        }
    }
}

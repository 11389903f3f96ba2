//! An MP4 file with one track of H.264 (ISO/IEC 14496-12, -14 and -15): first all pictures, then the table that says
//! where each begins. Pictures come one a frame at a constant rate, in the order in which they are shown.

use std::io::{self, Seek, SeekFrom, Write};

/// Units of time a second; frames last a whole number of them for all usual rates.
const TIMESCALE: u32 = 90_000;
/// Units of time a second of the whole file.
const MILLISECONDS: u32 = 1000;

/// Types of the units that H.264 is made of.
const INTRA: u8 = 5;
const SEQUENCE_PARAMETERS: u8 = 7;
const PICTURE_PARAMETERS: u8 = 8;

/// A file in the making.
pub struct Mp4<W> {
    out: W,
    width: u16,
    height: u16,
    frame_time: u32,
    /// Where the box of pictures begins.
    data: u64,
    /// Bytes of each picture.
    sizes: Vec<u32>,
    /// Numbers of the pictures that need no earlier one, counted from one.
    intra: Vec<u32>,
    sequence_parameters: Vec<u8>,
    picture_parameters: Vec<u8>,
}

impl<W: Write + Seek> Mp4<W> {
    pub fn new(mut out: W, width: usize, height: usize, rate: f64) -> io::Result<Self> {
        out.write_all(&boxed(b"ftyp", |b| {
            b.extend_from_slice(b"isom");
            b.extend_from_slice(&512_u32.to_be_bytes());
            b.extend_from_slice(b"isomiso2avc1mp41");
        }))?;
        let data = out.stream_position()?;
        // A box of 64-bit length, which is written at the end.
        out.write_all(&1_u32.to_be_bytes())?;
        out.write_all(b"mdat")?;
        out.write_all(&[0; 8])?;
        let frame_time = (f64::from(TIMESCALE) / rate).round() as u32;
        let (width, height) = (width as u16, height as u16);
        Ok(Self {
            out,
            width,
            height,
            frame_time,
            data,
            sizes: Vec::new(),
            intra: Vec::new(),
            sequence_parameters: Vec::new(),
            picture_parameters: Vec::new(),
        })
    }

    /// Adds a picture: a stream of units that each begin with 0 0 1.
    pub fn frame(&mut self, stream: &[u8]) -> io::Result<()> {
        let mut size = 0;
        let mut is_intra = false;
        for unit in units(stream) {
            match unit[0] & 31 {
                SEQUENCE_PARAMETERS => self.sequence_parameters = unit.to_vec(),
                PICTURE_PARAMETERS => self.picture_parameters = unit.to_vec(),
                kind => {
                    is_intra |= kind == INTRA;
                    self.out.write_all(&(unit.len() as u32).to_be_bytes())?;
                    self.out.write_all(unit)?;
                    size += 4 + unit.len() as u32;
                }
            }
        }
        self.sizes.push(size);
        if is_intra {
            self.intra.push(self.sizes.len() as u32);
        }
        Ok(())
    }

    /// Writes the table and the length of the pictures.
    pub fn finish(mut self) -> io::Result<W> {
        let end = self.out.stream_position()?;
        let table = self.table();
        self.out.write_all(&table)?;
        self.out.seek(SeekFrom::Start(self.data + 8))?;
        self.out.write_all(&(end - self.data).to_be_bytes())?;
        self.out.seek(SeekFrom::End(0))?;
        self.out.flush()?;
        Ok(self.out)
    }

    fn table(&self) -> Vec<u8> {
        let count = self.sizes.len() as u32;
        let duration = u64::from(count) * u64::from(self.frame_time);
        let milliseconds = (duration * u64::from(MILLISECONDS) / u64::from(TIMESCALE)) as u32;
        boxed(b"moov", |moov| {
            put(moov, b"mvhd", |b| {
                words(b, &[0, 0, 0, MILLISECONDS, milliseconds, 0x0001_0000]);
                b.extend_from_slice(&[1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
                matrix(b);
                words(b, &[0, 0, 0, 0, 0, 0, 2]);
            });
            put(moov, b"trak", |trak| {
                put(trak, b"tkhd", |b| {
                    words(b, &[3, 0, 0, 1, 0, milliseconds, 0, 0, 0, 0]);
                    matrix(b);
                    words(b, &[u32::from(self.width) << 16, u32::from(self.height) << 16]);
                });
                put(trak, b"mdia", |mdia| {
                    put(mdia, b"mdhd", |b| words(b, &[0, 0, 0, TIMESCALE, duration as u32, 0x55c4_0000]));
                    put(mdia, b"hdlr", |b| {
                        words(b, &[0, 0]);
                        b.extend_from_slice(b"vide");
                        words(b, &[0, 0, 0]);
                        b.extend_from_slice(b"Video\0");
                    });
                    put(mdia, b"minf", |minf| {
                        put(minf, b"vmhd", |b| words(b, &[1, 0, 0]));
                        put(minf, b"dinf", |dinf| {
                            put(dinf, b"dref", |b| {
                                words(b, &[0, 1]);
                                put(b, b"url ", |b| words(b, &[1]));
                            });
                        });
                        put(minf, b"stbl", |stbl| self.samples(stbl));
                    });
                });
            });
        })
    }

    /// What the pictures are, how long each is shown, and where it is.
    fn samples(&self, stbl: &mut Vec<u8>) {
        let count = self.sizes.len() as u32;
        put(stbl, b"stsd", |b| {
            words(b, &[0, 1]);
            put(b, b"avc1", |b| {
                words(b, &[0, 1, 0, 0, 0, 0]);
                b.extend_from_slice(&self.width.to_be_bytes());
                b.extend_from_slice(&self.height.to_be_bytes());
                words(b, &[0x0048_0000, 0x0048_0000, 0]);
                b.extend_from_slice(&1_u16.to_be_bytes());
                b.extend_from_slice(&[0; 32]);
                b.extend_from_slice(&[0, 24, 255, 255]);
                put(b, b"avcC", |b| {
                    let sps = &self.sequence_parameters;
                    let profile = sps.get(1..4).unwrap_or(&[66, 192, 31]);
                    b.push(1);
                    b.extend_from_slice(profile);
                    b.extend_from_slice(&[255, 225]);
                    b.extend_from_slice(&(sps.len() as u16).to_be_bytes());
                    b.extend_from_slice(sps);
                    b.push(1);
                    b.extend_from_slice(&(self.picture_parameters.len() as u16).to_be_bytes());
                    b.extend_from_slice(&self.picture_parameters);
                });
            });
        });
        put(stbl, b"stts", |b| words(b, &[0, 1, count, self.frame_time]));
        put(stbl, b"stss", |b| {
            words(b, &[0, self.intra.len() as u32]);
            words(b, &self.intra);
        });
        // All pictures lie in one chunk behind the head of the box of pictures.
        put(stbl, b"stsc", |b| words(b, &[0, 1, 1, count, 1]));
        put(stbl, b"stsz", |b| {
            words(b, &[0, 0, count]);
            words(b, &self.sizes);
        });
        put(stbl, b"co64", |b| {
            words(b, &[0, 1]);
            b.extend_from_slice(&(self.data + 16).to_be_bytes());
        });
    }
}

/// The units of a stream, without the 0 0 1 (or 0 0 0 1) before each.
fn units(stream: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut starts: Vec<(usize, usize)> = Vec::new();
    let mut i = 0;
    while i + 3 <= stream.len() {
        if stream[i..i + 3] == [0, 0, 1] {
            let before = if i > 0 && stream[i - 1] == 0 { i - 1 } else { i };
            starts.push((before, i + 3));
            i += 3;
        } else {
            i += 1;
        }
    }
    let ends: Vec<usize> = starts.iter().skip(1).map(|(before, _)| *before).chain([stream.len()]).collect();
    let ranges: Vec<(usize, usize)> =
        starts.iter().zip(ends).map(|((_, begin), end)| (*begin, end)).collect();
    ranges.into_iter().filter(|(begin, end)| end > begin).map(|(begin, end)| &stream[begin..end])
}

fn words(out: &mut Vec<u8>, values: &[u32]) {
    values.iter().for_each(|v| out.extend_from_slice(&v.to_be_bytes()));
}

/// The matrix that leaves pictures as they are.
fn matrix(out: &mut Vec<u8>) {
    words(out, &[0x0001_0000, 0, 0, 0, 0x0001_0000, 0, 0, 0, 0x4000_0000]);
}

/// A box: its length, its name and its content.
fn boxed(name: &[u8; 4], fill: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let mut out = vec![0; 4];
    out.extend_from_slice(name);
    fill(&mut out);
    let length = (out.len() as u32).to_be_bytes();
    out[..4].copy_from_slice(&length);
    out
}

fn put(out: &mut Vec<u8>, name: &[u8; 4], fill: impl FnOnce(&mut Vec<u8>)) {
    let content = boxed(name, fill);
    out.extend_from_slice(&content);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_is_split_at_its_marks() {
        let stream = [0, 0, 0, 1, 103, 1, 2, 0, 0, 1, 104, 3, 0, 0, 0, 1, 101, 0, 0, 3, 1];
        let found: Vec<&[u8]> = units(&stream).collect();
        assert_eq!(found, [&[103, 1, 2][..], &[104, 3], &[101, 0, 0, 3, 1]]);
    }
}

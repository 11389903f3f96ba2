//! GIF: 256 colours a picture, chosen anew for the part of each picture that changed.

use super::{Encoder, Failure, FilmOptions};
use crate::picture::Picture;
use gif::{DisposalMethod, Frame, Repeat};
use std::fs::File;
use std::io::{BufWriter, Write};

/// How carefully colours are chosen: 1 is the best, 30 the fastest.
const CARE: i32 = 10;

/// A GIF file in the making.
pub struct Gif {
    encoder: gif::Encoder<BufWriter<File>>,
    shown: Option<Picture>,
    /// The next frame, and for how long it is shown so far, s: pictures that are alike become one frame.
    waiting: Option<Frame<'static>>,
    /// Time at the end of the waiting frame, and what of it was written, in hundredths of a second.
    time: f64,
    written: u64,
}

impl Gif {
    pub fn new(file: BufWriter<File>, options: &FilmOptions) -> Result<Self, Failure> {
        let side = |n: usize| u16::try_from(n).expect("pictures have sides of 8192 pixels at most");
        let mut encoder =
            gif::Encoder::new(file, side(options.width), side(options.height), &[]).map_err(failure)?;
        encoder.set_repeat(Repeat::Infinite).map_err(failure)?;
        Ok(Self { encoder, shown: None, waiting: None, time: 0.0, written: 0 })
    }

    /// Writes the waiting frame with the time until now; GIF counts hundredths of a second.
    fn flush(&mut self) -> Result<(), Failure> {
        if let Some(mut frame) = self.waiting.take() {
            let end = (100.0 * self.time).round() as u64;
            frame.delay = (end - self.written).min(u64::from(u16::MAX)) as u16;
            self.written = end;
            self.encoder.write_frame(&frame).map_err(failure)?;
        }
        Ok(())
    }
}

impl Encoder for Gif {
    fn add(&mut self, picture: &Picture, seconds: f64) -> Result<(), Failure> {
        let changed = match &self.shown {
            Some(shown) => changed(shown, picture),
            None => Some([0, 0, picture.width, picture.height]),
        };
        if let Some([left, top, width, height]) = changed {
            self.flush()?;
            let mut part = Vec::with_capacity(3 * width * height);
            for row in top..top + height {
                let at = 3 * (row * picture.width + left);
                part.extend_from_slice(&picture.rgb[at..at + 3 * width]);
            }
            let mut frame = Frame::from_rgb_speed(width as u16, height as u16, &part, CARE);
            (frame.left, frame.top) = (left as u16, top as u16);
            frame.dispose = DisposalMethod::Keep;
            self.waiting = Some(frame);
            self.shown = Some(picture.clone());
        }
        self.time += seconds;
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<(), Failure> {
        self.flush()?;
        let mut file = self.encoder.into_inner().map_err(failure)?;
        file.flush()?;
        Ok(file.get_ref().sync_all()?)
    }
}

/// Left, top, width and height of the part that differs.
fn changed(before: &Picture, after: &Picture) -> Option<[usize; 4]> {
    let (mut left, mut right, mut top, mut bottom) = (usize::MAX, 0, usize::MAX, 0);
    let rows = before.rgb.chunks_exact(3 * before.width).zip(after.rgb.chunks_exact(3 * after.width));
    for (row, (a, b)) in rows.enumerate() {
        if a == b {
            continue;
        }
        let differs = |column: &usize| a[3 * column..3 * column + 3] != b[3 * column..3 * column + 3];
        let (first, last) = ((0..before.width).find(differs)?, (0..before.width).rfind(differs)?);
        (left, right) = (left.min(first), right.max(last));
        (top, bottom) = (top.min(row), row);
    }
    (left != usize::MAX).then(|| [left, top, right - left + 1, bottom - top + 1])
}

fn failure(error: gif::EncodingError) -> Failure {
    match error {
        gif::EncodingError::Io(error) => Failure::Write(error),
        other => Failure::Encode(other.to_string()),
    }
}

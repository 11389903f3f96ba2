//! The self-contained HTML file: the page, then blocks of compressed chunks, appended as the run goes.

use super::Recorded;
use super::writer::Sink;
use crate::error::RecordError;
use crate::page;
use data_encoding::BASE64;
use flate2::Compression;
use flate2::write::DeflateEncoder;
use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

const OPEN: &str = "<script type=\"application/x-stiction\" data-encoding=\"deflate-raw;base64\">";
const CLOSE: &str = "</script>\n";
/// Bytes before compression at which a block ends even within its second, so that browsers unpack it in one go.
const BLOCK: u64 = 32 << 20;

pub(super) struct Html {
    path: PathBuf,
    file: File,
    encoder: DeflateEncoder<Vec<u8>>,
    /// Frames and bytes in the block being made.
    open: (u64, u64),
    /// Frames in the file.
    frames: u64,
    /// Bytes of the file, and those of them that hold whole blocks.
    written: u64,
    good: u64,
    /// What is written next.
    text: String,
    failed: bool,
}

impl Html {
    pub fn create(path: &Path) -> Result<Self, RecordError> {
        let file =
            File::create(path).map_err(|error| RecordError::Create { path: path.to_owned(), error })?;
        Ok(Self {
            path: path.to_owned(),
            file,
            // Poses and forces are noise to a compressor in all but their first bytes: more effort gains little.
            encoder: DeflateEncoder::new(Vec::new(), Compression::fast()),
            open: (0, 0),
            frames: 0,
            written: 0,
            good: 0,
            text: String::new(),
            failed: false,
        })
    }

    fn write_page(&mut self) -> Result<(), RecordError> {
        self.text = page::with_meta("stiction-recording", &crate::chunk::VERSION.to_string()) + "\n";
        self.write_text()?;
        self.good = self.written;
        Ok(())
    }

    /// Compresses chunks into the open block. What comes out is written at once, so that little is left to do when the
    /// block ends.
    fn take(&mut self, chunks: &[u8]) -> Result<(), RecordError> {
        if self.failed {
            return Ok(());
        }
        if self.open.1 == 0 {
            self.text.push_str(OPEN);
        }
        self.encoder.write_all(chunks).expect("writing to memory does not fail");
        self.open.1 += chunks.len() as u64;
        let packed = self.encoder.get_mut();
        // Base64 takes three bytes at a time.
        let whole = packed.len() - packed.len() % 3;
        BASE64.encode_append(&packed[..whole], &mut self.text);
        packed.drain(..whole);
        self.write_text()
    }

    /// Ends the block, if it holds anything.
    fn end_block(&mut self) -> Result<(), RecordError> {
        if self.open.1 == 0 || self.failed {
            return Ok(());
        }
        let rest = self.encoder.reset(Vec::new()).expect("writing to memory does not fail");
        BASE64.encode_append(&rest, &mut self.text);
        self.text.push_str(CLOSE);
        self.write_text()?;
        self.good = self.written;
        self.frames += self.open.0;
        self.open = (0, 0);
        Ok(())
    }

    fn write_text(&mut self) -> Result<(), RecordError> {
        self.file.write_all(self.text.as_bytes()).map_err(|error| self.give_up(error))?;
        self.written += self.text.len() as u64;
        self.text.clear();
        Ok(())
    }

    /// Cuts off what a failed write left, so that the file ends with a whole block.
    fn give_up(&mut self, error: io::Error) -> RecordError {
        self.failed = true;
        // If this fails too, readers leave out the last block themselves.
        let _ = self.file.set_len(self.good).and_then(|()| self.file.seek(SeekFrom::Start(self.good)));
        RecordError::Write { path: self.path.clone(), frames: self.frames, error }
    }
}

impl Sink for Html {
    fn scene(&mut self, chunks: &[u8]) -> Result<(), RecordError> {
        self.write_page()?;
        self.take(chunks)?;
        self.end_block()
    }

    fn frames(&mut self, chunks: &[u8], count: u64) -> Result<(), RecordError> {
        self.take(chunks)?;
        self.open.0 += count;
        if self.open.1 >= BLOCK { self.end_block() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<(), RecordError> {
        self.end_block()
    }

    fn finish(&mut self) -> Result<Recorded, RecordError> {
        self.end_block()?;
        Ok(Recorded { path: self.path.clone(), frames: self.frames, bytes: self.good })
    }

    fn path(&self) -> PathBuf {
        self.path.clone()
    }
}

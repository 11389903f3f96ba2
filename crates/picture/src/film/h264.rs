//! H.264 through OpenH264, in an MP4 file.

use super::mp4::Mp4;
use super::{Encoder, Failure, FilmOptions};
use crate::picture::Picture;
use openh264::OpenH264API;
use openh264::encoder::{EncoderConfig, FrameRate, IntraFramePeriod, QpRange, RateControlMode};
use openh264::formats::{RgbSliceU8, YUVBuffer};
use std::fs::File;
use std::io::BufWriter;

/// Range of the quantiser: 18 cannot be told from the original, 26 is a good film.
const QUALITY: (u8, u8) = (16, 26);

/// An MP4 file in the making.
pub struct H264 {
    encoder: openh264::encoder::Encoder,
    file: Mp4<BufWriter<File>>,
}

impl H264 {
    pub fn new(file: BufWriter<File>, options: &FilmOptions) -> Result<Self, Failure> {
        let config = EncoderConfig::new()
            .max_frame_rate(FrameRate::from_hz(options.rate as f32))
            .rate_control_mode(RateControlMode::Off)
            .qp(QpRange::new(QUALITY.0, QUALITY.1))
            .num_threads(1) // the same bytes on every machine
            .intra_frame_period(IntraFramePeriod::from_num_frames((2.0 * options.rate) as u32));
        let encoder = openh264::encoder::Encoder::with_api_config(OpenH264API::from_source(), config);
        let encoder = encoder.map_err(|error| Failure::Encode(error.to_string()))?;
        Ok(Self { encoder, file: Mp4::new(file, options.width, options.height, options.rate)? })
    }
}

impl Encoder for H264 {
    fn add(&mut self, picture: &Picture, _: f64) -> Result<(), Failure> {
        let rgb = RgbSliceU8::new(&picture.rgb, (picture.width, picture.height));
        let encoded = self.encoder.encode(&YUVBuffer::from_rgb8_source(rgb));
        let encoded = encoded.map_err(|error| Failure::Encode(error.to_string()))?;
        Ok(self.file.frame(&encoded.to_vec())?)
    }

    fn finish(self: Box<Self>) -> Result<(), Failure> {
        let file = self.file.finish()?;
        Ok(file.get_ref().sync_all()?)
    }
}

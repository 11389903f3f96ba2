//! Laws as files: what is written is read, and what is not a law is refused with a reason.

mod common;

use common::Noise;
use stiction_dac::{DacLaw, Symmetry, WeightsError};

#[test]
fn a_law_comes_back_as_it_was_and_the_same_bytes_every_time() {
    let law = Noise::new(7).law(0.8, Symmetry::Mirror);
    let bytes = law.to_bytes().unwrap();
    assert!(bytes == law.to_bytes().unwrap());
    assert!(DacLaw::from_bytes(&bytes).unwrap() == law);
    let mut partial = law.clone();
    partial.experts[2] = None;
    assert!(DacLaw::from_bytes(&partial.to_bytes().unwrap()).unwrap() == partial);
    let plain = DacLaw::coulomb(0.3);
    assert!(DacLaw::from_bytes(&plain.to_bytes().unwrap()).unwrap() == plain);
}

#[test]
fn no_cut_or_flipped_byte_makes_a_panic() {
    let bytes = Noise::new(9).law(0.8, Symmetry::Square).to_bytes().unwrap();
    for length in (0..bytes.len()).step_by(97) {
        assert!(DacLaw::from_bytes(&bytes[..length]).is_err(), "cut at {length}");
    }
    for at in (0..bytes.len().min(6000)).step_by(7) {
        let mut bad = bytes.clone();
        bad[at] ^= 0x15;
        let _ = DacLaw::from_bytes(&bad);
    }
    // Among the numbers nothing but the checksum can notice a flipped bit.
    for at in (6000..bytes.len()).step_by(bytes.len() / 200) {
        let mut bad = bytes.clone();
        bad[at] ^= 1 << (at % 8);
        assert!(DacLaw::from_bytes(&bad).is_err(), "byte {at}");
    }
    assert!(matches!(DacLaw::from_bytes(b"hello"), Err(WeightsError::Corrupt(_))));
}

#[test]
fn wrong_numbers_and_sizes_are_named() {
    let mut law = Noise::new(5).law(0.8, Symmetry::Square);
    let mut expert = law.experts[0].clone().unwrap();
    expert.inputs.scale[3] = f64::NAN;
    law.experts[0] = Some(expert);
    let error = DacLaw::from_bytes(&law.to_bytes().unwrap()).unwrap_err();
    assert!(error.to_string().contains("point.inputs.scale"), "{error}");

    let mut law = Noise::new(5).law(0.8, Symmetry::Square);
    law.experts[1].as_mut().unwrap().inputs.mean.pop();
    let error = DacLaw::from_bytes(&law.to_bytes().unwrap()).unwrap_err();
    assert!(error.to_string().contains("line.inputs.mean") && error.to_string().contains("44"), "{error}");

    // A surface's networks in the place of a point's.
    let mut law = Noise::new(5).law(0.8, Symmetry::Square);
    law.experts[0] = law.experts[2].clone();
    assert!(matches!(DacLaw::from_bytes(&law.to_bytes().unwrap()), Err(WeightsError::Tensor { .. })));

    let bytes = Noise::new(5).law(0.8, Symmetry::Square).to_bytes().unwrap();
    let text = |from: &str, to: &str| {
        let at = bytes.windows(from.len()).position(|w| w == from.as_bytes()).unwrap();
        let mut bytes = bytes.clone();
        bytes[at..at + to.len()].copy_from_slice(to.as_bytes());
        DacLaw::from_bytes(&bytes).unwrap_err()
    };
    let quoted = |key: &str, value: &str| format!("\\\"{key}\\\":{value}");
    assert!(matches!(
        text(&quoted("version", "2"), &quoted("version", "9")),
        WeightsError::Version { given: 9, .. }
    ));
    assert!(matches!(text("\\\"dac\\\"", "\\\"xyz\\\""), WeightsError::Foreign(_)));
    assert!(matches!(text("stiction-contact", "something-other!"), WeightsError::Foreign(_)));
}

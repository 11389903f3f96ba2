//! A checksum at the end of saved bytes.
//!
//! The checksum is the FNV-1a hash of all bytes before it, little-endian. Each step of FNV-1a is a bijection of the
//! hash for a given byte, and two different bytes give two different hashes. A change within one byte therefore
//! always changes the checksum. Other damage is missed with probability 2⁻⁶⁴.

use crate::hash::fnv1a;

/// Length of the checksum in bytes.
const LENGTH: usize = 8;

/// Appends the checksum of `bytes` to them.
pub fn seal(mut bytes: Vec<u8>) -> Vec<u8> {
    let sum = fnv1a(&bytes);
    bytes.extend_from_slice(&sum.to_le_bytes());
    bytes
}

/// The bytes given to [`seal`], or `None` if they or the checksum were changed.
pub fn unseal(bytes: &[u8]) -> Option<&[u8]> {
    let (content, sum) = bytes.split_at_checked(bytes.len().checked_sub(LENGTH)?)?;
    (fnv1a(content).to_le_bytes() == sum).then_some(content)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn every_change_of_a_bit_and_every_cut_is_noticed() {
        let mut random = Random::new(3);
        for length in [0, 1, 7, 8, 9, 200] {
            let content: Vec<u8> = (0..length).map(|_| random.bits() as u8).collect();
            let sealed = seal(content.clone());
            assert_eq!(unseal(&sealed), Some(content.as_slice()));
            for bit in 0..8 * sealed.len() {
                let mut damaged = sealed.clone();
                damaged[bit / 8] ^= 1 << (bit % 8);
                assert_eq!(unseal(&damaged), None, "{length} bytes, bit {bit}");
            }
            for cut in 0..sealed.len() {
                assert_eq!(unseal(&sealed[..cut]), None, "{length} bytes cut at {cut}");
            }
            assert_eq!(unseal(&[sealed.as_slice(), b"more"].concat()), None);
        }
    }
}

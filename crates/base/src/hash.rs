//! The hash function FNV-1a (Fowler, Noll and Vo), 64 bits.

/// A hash of the bytes added so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fnv1a(u64);

impl Default for Fnv1a {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv1a {
    /// A hash that starts from another basis than the standard one, to have a second, different hash of the same bytes.
    pub const fn with_basis(basis: u64) -> Self {
        Self(basis)
    }

    /// Adds bytes in their order.
    pub fn add(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    /// Adds the little-endian bytes of numbers.
    pub fn add_numbers(&mut self, numbers: &[f64]) {
        numbers.iter().for_each(|x| self.add(&x.to_le_bytes()));
    }

    /// The hash of everything added.
    pub const fn value(self) -> u64 {
        self.0
    }
}

/// The hash of `bytes`.
pub fn fnv1a(bytes: &[u8]) -> u64 {
    let mut hash = Fnv1a::default();
    hash.add(bytes);
    hash.value()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_those_of_the_reference_implementation() {
        // From the test vectors that the authors publish.
        assert_eq!(fnv1a(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv1a(b"a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(fnv1a(b"foobar"), 0x8594_4171_f739_67e8);
    }

    #[test]
    fn numbers_are_hashed_as_their_little_endian_bytes() {
        let (mut numbers, mut bytes) = (Fnv1a::default(), Fnv1a::default());
        numbers.add_numbers(&[f64::from_le_bytes(*b"foobar!!"), f64::from_le_bytes(*b"01234567")]);
        bytes.add(b"foobar!!01234567");
        assert_eq!(numbers, bytes);
        assert_ne!(Fnv1a::with_basis(1), Fnv1a::default());
    }
}

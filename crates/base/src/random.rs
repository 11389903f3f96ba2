//! Random numbers from a seed: SplitMix64 (Steele, Lea and Flood 2014), the same on every machine.

/// The increment of SplitMix64's state: 2⁶⁴ divided by the golden ratio, odd.
pub const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// The output function of SplitMix64: a bijection of 64 bits whose result looks random for any input but zero.
pub const fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The upper 53 bits as a number in [0, 1).
pub const fn unit(bits: u64) -> f64 {
    (bits >> 11) as f64 / (1u64 << 53) as f64
}

/// A stream of random numbers; the field is its state, at first the seed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Random(pub u64);

impl Random {
    /// The stream of a seed.
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 bits.
    pub const fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(GOLDEN);
        mix(self.0)
    }

    /// Uniform in [0, 1).
    pub const fn unit(&mut self) -> f64 {
        unit(self.bits())
    }

    /// Uniform in [−1, 1).
    pub const fn sym(&mut self) -> f64 {
        2.0 * self.unit() - 1.0
    }

    /// Uniform in [low, high).
    pub const fn range(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// Uniform among the whole numbers below `count`; 0 if `count` is 0.
    pub const fn below(&mut self, count: usize) -> usize {
        (self.unit() * count as f64) as usize
    }

    /// The next bits modulo `count`, slightly less uniform than [`Random::below`]; 0 if `count` is 0.
    pub const fn modulo(&mut self, count: usize) -> usize {
        if count == 0 { 0 } else { (self.bits() % count as u64) as usize }
    }

    /// Normal with mean 0 and standard deviation 1 (Box and Muller).
    pub fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.unit()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.unit()).cos()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stream_is_that_of_the_reference_implementation() {
        // Vigna's splitmix64.c with the seed 1234567.
        let mut random = Random::new(1_234_567);
        let expected = [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
            4_593_380_528_125_082_431,
            16_408_922_859_458_223_821,
        ];
        assert_eq!(expected.map(|_| random.bits()), expected);
    }

    #[test]
    fn numbers_have_the_moments_of_their_distribution() {
        // n numbers: their mean deviates by σ/√n, with σ² = 1/12, 1/3 and 1; four of these are allowed.
        let (n, mut random) = (40_000, Random::new(7));
        let mut mean =
            |draw: fn(&mut Random) -> f64| (0..n).map(|_| draw(&mut random)).sum::<f64>() / n as f64;
        let four_sigma = |variance: f64| 4.0 * (variance / n as f64).sqrt();
        assert!((mean(Random::unit) - 0.5).abs() < four_sigma(1.0 / 12.0));
        assert!(mean(Random::sym).abs() < four_sigma(1.0 / 3.0));
        assert!(mean(Random::normal).abs() < four_sigma(1.0));
        // The variance of a normal number's square is 2.
        assert!((mean(|r| r.normal().powi(2)) - 1.0).abs() < four_sigma(2.0));
        assert!((mean(|r| r.range(2.0, 4.0)) - 3.0).abs() < four_sigma(4.0 / 12.0));
        assert!((mean(|r| r.below(5) as f64) - 2.0).abs() < four_sigma(2.0));
    }

    #[test]
    fn whole_numbers_stay_below_their_bound() {
        // The largest unit number, 1 − 2⁻⁵³, times any count rounds to less than the count.
        for count in (1..2000).chain([usize::pow(3, 30), 1 << 52, (1 << 53) - 1]) {
            assert!(((unit(u64::MAX) * count as f64) as usize) < count, "{count}");
        }
        assert_eq!(Random::new(1).below(0), 0);
    }
}

//! A bracket of a root of a growing function, narrowed by regula falsi as modified at Illinois (Dowell and Jarratt 1971).

/// Two arguments with a root between them, and the values there; a value is halved as long as its end stays.
#[derive(Clone, Copy, Debug)]
pub struct Bracket {
    pub low: f64,
    pub high: f64,
    pub f_low: f64,
    pub f_high: f64,
}

impl Bracket {
    /// Where the line through both ends is zero.
    pub fn middle(&self) -> f64 {
        (self.low * self.f_high - self.high * self.f_low) / (self.f_high - self.f_low)
    }

    /// Takes the value `f` at `x`, which replaces the end on its side.
    pub fn narrow(&mut self, x: f64, f: f64) {
        if f > 0.0 {
            (self.high, self.f_high) = (x, f);
            self.f_low *= 0.5;
        } else {
            (self.low, self.f_low) = (x, f);
            self.f_high *= 0.5;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_closes_in_on_a_root_from_both_sides() {
        // Plain regula falsi keeps the far end of x⁹ − 0.1 and needs more than a hundred values.
        let f = |x: f64| x.powi(9) - 0.1;
        let mut bracket = Bracket { low: 0.0, high: 1.5, f_low: f(0.0), f_high: f(1.5) };
        let mut values = 0;
        while bracket.high - bracket.low > 1e-12 && values < 60 {
            let x = bracket.middle();
            bracket.narrow(x, f(x));
            values += 1;
            assert!(
                bracket.low <= 0.1f64.powf(1.0 / 9.0) + 1e-15
                    && bracket.high >= 0.1f64.powf(1.0 / 9.0) - 1e-15
            );
        }
        assert!((bracket.middle() - 0.1f64.powf(1.0 / 9.0)).abs() < 1e-12, "{bracket:?}");
    }
}

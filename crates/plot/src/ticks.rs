//! Where the ticks of an axis go and what they say.

use super::{Axis, Scale};

/// An axis with its range settled.
pub struct Mapped {
    scale: Scale,
    from: f64,
    to: f64,
}

impl Mapped {
    /// Settles the range: the given one, or the data's with some room.
    pub fn new(axis: &Axis, values: impl Iterator<Item = f64>) -> Self {
        let scale = axis.scale;
        if let Some([from, to]) = axis.range {
            return Self { scale, from: forward(scale, from), to: forward(scale, to) };
        }
        let (mut from, mut to) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values.map(|v| forward(scale, v)).filter(|v| v.is_finite()) {
            from = from.min(value);
            to = to.max(value);
        }
        if from > to {
            (from, to) = (0.0, 1.0);
        }
        let room = if to > from { 0.06 * (to - from) } else { 0.5 * from.abs().max(1.0) };
        Self { scale, from: from - room, to: to + room }
    }

    /// Share of the way along the axis, 0 to 1 inside.
    pub fn place(&self, value: f64) -> f64 {
        (forward(self.scale, value) - self.from) / (self.to - self.from)
    }

    /// Value and text of the labelled ticks.
    pub fn major(&self) -> Vec<(f64, String)> {
        match self.scale {
            Scale::Linear => {
                let step = nice_step((self.to - self.from) / 5.0);
                let first = (self.from / step - 1e-9).ceil() as i64;
                let last = (self.to / step + 1e-9).floor() as i64;
                let decimals = (-(step.log10() + 1e-9).floor()).max(0.0) as usize;
                let text = |v: f64| format!("{v:.decimals$}").replace('-', "−");
                (first..=last).map(|i| i as f64 * step).map(|v| (v, text(v + 0.0))).collect()
            }
            Scale::Log => {
                let (first, last) = ((self.from - 1e-9).ceil() as i32, (self.to + 1e-9).floor() as i32);
                if last <= first {
                    return self.within_a_decade();
                }
                let every = ((last - first) / 7 + 1) as usize;
                (first..=last).step_by(every).map(|e| (10f64.powi(e), power_of_ten(e))).collect()
            }
        }
    }

    /// Labels for a logarithmic axis with one power of ten on it at most.
    fn within_a_decade(&self) -> Vec<(f64, String)> {
        let decades = self.from.floor() as i32..=self.to.floor() as i32;
        let text = |k: i32, e: i32| match (k, e) {
            (1, e) => power_of_ten(e),
            (k, 0) => k.to_string(),
            (k, e) => format!("{k}·{}", power_of_ten(e)),
        };
        let all = decades.flat_map(|e| [1, 2, 5].map(|k| (f64::from(k) * 10f64.powi(e), text(k, e))));
        all.filter(|&(v, _)| (0.0..=1.0).contains(&self.place(v))).collect()
    }

    /// Values of the small ticks of a logarithmic axis.
    pub fn minor(&self) -> Vec<f64> {
        if self.scale == Scale::Linear || self.to - self.from > 7.0 {
            return Vec::new();
        }
        let decades = self.from.floor() as i32..=self.to.ceil() as i32;
        let all = decades.flat_map(|e| (2..10).map(move |k| f64::from(k) * 10f64.powi(e)));
        all.filter(|&v| (0.0..=1.0).contains(&self.place(v))).collect()
    }
}

fn forward(scale: Scale, value: f64) -> f64 {
    match scale {
        Scale::Linear => value,
        Scale::Log => value.log10(),
    }
}

/// 1, 2 or 5 times a power of ten, at least `rough`.
fn nice_step(rough: f64) -> f64 {
    let power = 10f64.powf(rough.log10().floor());
    [1.0, 2.0, 5.0, 10.0].map(|k| k * power).into_iter().find(|&s| s >= rough * (1.0 - 1e-9)).unwrap_or(power)
}

fn power_of_ten(exponent: i32) -> String {
    match exponent {
        0 => "1".into(),
        1 => "10".into(),
        _ => format!("10{}", superscript(exponent)),
    }
}

fn superscript(number: i32) -> String {
    const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let digit = |c: char| c.to_digit(10).map_or('⁻', |d| DIGITS[d as usize]);
    number.to_string().chars().map(digit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(axis: Axis) -> Vec<String> {
        Mapped::new(&axis, std::iter::empty()).major().into_iter().map(|(_, t)| t).collect()
    }

    #[test]
    fn ticks_are_round_numbers_inside_the_range() {
        assert_eq!(texts(Axis::linear("").over(-0.4, 0.4)), ["−0.4", "−0.2", "0.0", "0.2", "0.4"]);
        assert_eq!(texts(Axis::linear("").over(0.0, 70.0)), ["0", "20", "40", "60"]);
        assert_eq!(texts(Axis::log("").over(5e-4, 20.0)), ["10⁻³", "10⁻²", "10⁻¹", "1", "10"]);
        assert_eq!(texts(Axis::log("").over(1.5e-3, 7e-3)), ["2·10⁻³", "5·10⁻³"]);
    }
}

//! Where a function that grows along a step reaches zero: Newton's method inside a bracket.

/// A value and its derivative.
pub(crate) type Slope = (f64, f64);

/// The place in (0, h] where `f` reaches zero, from below at 0 (`ends[0]`) to above at h (`ends[1]`, where it was evaluated last). It starts
/// with the root of the cubic through both ends, and ends where |f| ≤ `reached` or the bracket has no length. `f` is evaluated last at the place
/// that is returned. None where `f` has no value.
pub(crate) fn crossing(
    h: f64,
    ends: [Slope; 2],
    reached: f64,
    mut f: impl FnMut(f64) -> Option<Slope>,
) -> Option<f64> {
    let [start, end] = ends;
    if end.0.abs() <= reached {
        return Some(h);
    }
    let cubic = |x: f64| Some(hermite(x / h, h, start, end));
    let middle = h * start.0 / (start.0 - end.0);
    let guess = bracketed(h, h, middle, 1e-15 * end.0.max(-start.0), cubic)?;
    bracketed(h, h, guess, reached, &mut f)
}

/// Newton's method from `next`, bisection where it leaves the bracket [0, h] or has not ended soon.
fn bracketed(
    h: f64,
    mut at: f64,
    mut next: f64,
    reached: f64,
    mut f: impl FnMut(f64) -> Option<Slope>,
) -> Option<f64> {
    let (mut low, mut high) = (0.0, h);
    for step in 0..100 {
        if !(next > low && next < high) || step > 8 && step % 2 == 0 {
            next = 0.5 * (low + high);
        }
        if next <= low || next >= high {
            break;
        }
        let (value, slope) = f(next)?;
        at = next;
        if value.abs() <= reached {
            break;
        }
        if value > 0.0 {
            high = at
        } else {
            low = at
        }
        next = at - value / slope;
        if high - low <= 1e-16 * h {
            break;
        }
    }
    Some(at)
}

/// The cubic with these values and derivatives at the ends of a step of length h, at the share x of it.
fn hermite(x: f64, h: f64, start: Slope, end: Slope) -> Slope {
    let (rise, a, b) = (end.0 - start.0, h * start.1, h * end.1);
    let (second, third) = (3.0 * rise - 2.0 * a - b, a + b - 2.0 * rise);
    let value = start.0 + x * (a + x * (second + x * third));
    (value, (a + x * (2.0 * second + 3.0 * x * third)) / h)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_smooth_function_takes_few_evaluations_and_a_kinked_one_still_ends() {
        for (h, shift) in [(0.5, 0.2), (1.3, 0.6), (2.0, 0.01)] {
            let smooth = |x: f64| (x.exp() - 1.0 - shift, x.exp());
            let mut count = 0;
            let place = crossing(h, [smooth(0.0), smooth(h)], 1e-14, |x| {
                count += 1;
                Some(smooth(x))
            });
            assert!((place.unwrap() - shift.ln_1p()).abs() < 1e-13 && count <= 5, "{place:?} {count}");
            // Flat up to the root, steep after it, and a slope that lies.
            let kinked = |x: f64| (if x < shift { 1e-9 * (x - shift) } else { 50.0 * (x - shift) }, -3.0);
            let place = crossing(h, [kinked(0.0), kinked(h)], 1e-15, |x| Some(kinked(x))).unwrap();
            assert!((place - shift).abs() < 1e-6, "{place}");
        }
        assert_eq!(crossing(1.0, [(-1.0, 1.0), (1.0, 1.0)], 0.0, |_| None), None);
    }
}

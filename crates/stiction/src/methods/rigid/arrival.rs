//! When the first impact of a step happens.

/// Error of the time of an impact, s.
const TIME: f64 = 1e-12;

/// The length of the shortest step that ends in contact, by bisection, if one of `length` (s) does: `hits` says whether a step of some length does.
pub(super) fn arrival<E>(length: f64, mut hits: impl FnMut(f64) -> Result<bool, E>) -> Result<f64, E> {
    let (mut low, mut high) = (0.0, length);
    while high - low > TIME {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        if hits(middle)? { high = middle } else { low = middle }
    }
    Ok(high)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_step_ends_in_contact_and_no_shorter_one_does() {
        for at in [1e-13, 0.3e-3, 0.999_999e-3] {
            let found = arrival(1e-3, |h| Ok::<_, ()>(h >= at)).unwrap();
            assert!(found >= at && found - at <= TIME, "{found} {at}");
        }
        // Steps so long that their digits end first.
        assert!(arrival(1e9, |h| Ok::<_, ()>(h >= 3e8)).unwrap() - 3e8 < 1e-6);
        assert_eq!(arrival(1.0, |_| Err(())), Err(()));
    }
}

//! Which tosses are fitted to and which are kept back: by toss, never by sample.

use stiction_base::random::{GOLDEN, mix};

/// Splits `tosses` by their numbers: `share` of them (rounded) to fit to, the rest to test on. Which go where follows
/// from the seed and the numbers alone, not from their order; both lists are in the given order.
pub fn split<T>(tosses: &[T], number: impl Fn(&T) -> usize, share: f64, seed: u64) -> (Vec<&T>, Vec<&T>) {
    let key = |toss: &T| {
        let number = number(toss) as u64;
        (mix(mix(seed.wrapping_add(GOLDEN)) ^ mix(number.wrapping_add(1))), number)
    };
    let mut keys: Vec<_> = tosses.iter().map(key).collect();
    keys.sort_unstable();
    let count = (share.clamp(0.0, 1.0) * tosses.len() as f64).round() as usize;
    let border = keys.get(count).copied();
    tosses.iter().partition(|toss| border.is_none_or(|border| key(toss) < border))
}

/// Splits into `folds` parts of like size, each in the given order.
pub fn folds<T>(tosses: &[T], number: impl Fn(&T) -> usize, folds: usize, seed: u64) -> Vec<Vec<&T>> {
    let mut parts = Vec::new();
    let mut rest: Vec<&T> = tosses.iter().collect();
    for left in (1..=folds.max(1)).rev() {
        let (part, others) = split(&rest, |t| number(t), 1.0 / left as f64, seed);
        let (part, others): (Vec<&T>, Vec<&T>) =
            (part.into_iter().copied().collect(), others.into_iter().copied().collect());
        parts.push(part);
        rest = others;
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_split_loses_nothing_and_does_not_depend_on_order(n in 0usize..200, share in 0.0f64..1.0, seed in any::<u64>()) {
            let tosses: Vec<usize> = (0..n).map(|i| 3 * i + 1).collect();
            let (train, test) = split(&tosses, |t| *t, share, seed);
            prop_assert_eq!(train.len() + test.len(), n);
            prop_assert_eq!(train.len(), (share * n as f64).round() as usize);
            let reversed: Vec<usize> = tosses.iter().rev().copied().collect();
            let (mut again, _) = split(&reversed, |t| *t, share, seed);
            again.sort();
            prop_assert_eq!(train, again);
        }

        #[test]
        fn folds_are_of_like_size_and_cover_all(n in 0usize..200, k in 1usize..8, seed in any::<u64>()) {
            let tosses: Vec<usize> = (0..n).collect();
            let parts = folds(&tosses, |t| *t, k, seed);
            let mut all: Vec<usize> = parts.iter().flatten().map(|t| **t).collect();
            all.sort_unstable();
            prop_assert_eq!(&all, &tosses);
            let sizes: Vec<usize> = parts.iter().map(Vec::len).collect();
            prop_assert!(sizes.iter().max().unwrap() - sizes.iter().min().unwrap() <= 1);
        }
    }

    #[test]
    fn another_seed_splits_otherwise() {
        let tosses: Vec<usize> = (0..100).collect();
        assert_ne!(split(&tosses, |t| *t, 0.5, 1).0, split(&tosses, |t| *t, 0.5, 2).0);
    }
}

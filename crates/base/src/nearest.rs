//! The closest of several names, for messages about misspelt ones.

/// The closest match for `name` among `known`, if one is near.
pub fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let given = name.to_lowercase();
    let allowed = given.chars().count().div_ceil(3);
    let near = known.filter(|k| !k.is_empty()).map(|k| (distance(&given, &k.to_lowercase()), k));
    near.filter(|(distance, _)| *distance <= allowed).min_by_key(|(distance, _)| *distance).map(|(_, k)| k)
}

/// Edit distance from `a` to `b`: number of substitutions, deletions, insertions and transpositions.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            rows[i][j] = if i == 0 || j == 0 {
                i + j
            } else {
                let changed = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
                let mut least = changed.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1);
                if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                    least = least.min(rows[i - 2][j - 2] + 1);
                }
                least
            };
        }
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_finger_finds_its_name_and_another_word_does_not() {
        let known = ["left_elbow", "right_elbow", "Wrist", ""];
        let meant = |name| nearest(name, known.into_iter());
        assert_eq!(meant("left_elbwo"), Some("left_elbow"));
        assert_eq!(meant("rigt_elbow"), Some("right_elbow"));
        assert_eq!(meant("wrist"), Some("Wrist"));
        assert_eq!(meant("gripper"), None);
    }

    #[test]
    fn distance_is_a_metric_on_near_words() {
        for (a, b, d) in
            [("", "", 0), ("", "ab", 2), ("ab", "ba", 1), ("kitten", "sitting", 3), ("abc", "abc", 0)]
        {
            assert_eq!((distance(a, b), distance(b, a)), (d, d));
        }
    }
}

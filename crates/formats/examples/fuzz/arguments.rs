//! The command line of the fuzzer. What it does not know it refuses: a run that did nothing would pass for one without failures.

use crate::seeds::READERS;

/// What to do.
#[derive(Debug, PartialEq)]
pub struct Arguments {
    pub reader: String,
    /// Minutes of processor time.
    pub minutes: f64,
    pub seed: u64,
    /// The one batch of a child that the fuzzer starts; none for the fuzzer itself.
    pub batch: Option<u64>,
}

/// How the program is called.
pub fn usage() -> String {
    format!("usage: fuzz READER [--minutes N] [--seed S]\nREADER is one of {}", READERS.join(", "))
}

/// Reads the words after the program's name; `None` if they ask for help.
pub fn read(words: &[String]) -> Result<Option<Arguments>, String> {
    if words.iter().any(|word| word == "--help" || word == "-h") {
        return Ok(None);
    }
    let (reader, mut rest) = words.split_first().ok_or("no reader is named")?;
    if !READERS.contains(&reader.as_str()) {
        return Err(format!("{reader} is no reader"));
    }
    let mut found = Arguments { reader: reader.clone(), minutes: 1.0, seed: 1, batch: None };
    while let Some((flag, after)) = rest.split_first() {
        if !["--minutes", "--seed", "--batch"].contains(&flag.as_str()) {
            return Err(format!("unknown {flag}"));
        }
        let (value, after) = after.split_first().ok_or(format!("{flag} needs a value"))?;
        match flag.as_str() {
            "--minutes" => found.minutes = minutes(value)?,
            "--seed" => found.seed = whole(flag, value)?,
            _ => found.batch = Some(whole(flag, value)?),
        }
        rest = after;
    }
    Ok(Some(found))
}

fn minutes(value: &str) -> Result<f64, String> {
    let minutes = value.parse().ok().filter(|m: &f64| m.is_finite() && *m > 0.0);
    minutes.ok_or(format!("--minutes {value}: give a positive number"))
}

fn whole(flag: &str, value: &str) -> Result<u64, String> {
    value.parse().map_err(|_| format!("{flag} {value}: give a whole number, zero or more"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str) -> Result<Option<Arguments>, String> {
        read(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn a_reader_its_minutes_and_its_seed_are_read() {
        let found = of("obj --seed 7 --minutes 0.5").unwrap().unwrap();
        assert_eq!(found, Arguments { reader: "obj".into(), minutes: 0.5, seed: 7, batch: None });
        assert_eq!(of("glb --batch 3").unwrap().unwrap().batch, Some(3));
        assert_eq!(of("obj --help"), Ok(None));
        assert_eq!(of("-h"), Ok(None));
    }

    #[test]
    fn what_would_do_nothing_or_something_else_is_refused() {
        for value in ["inf", "-1", "0", "nan", "abc"] {
            let refused = of(&format!("obj --minutes {value}")).unwrap_err();
            assert!(refused.contains("--minutes") && refused.contains(value), "{refused}");
        }
        for line in ["", "nosuch", "obj --foo", "obj --foo 1", "obj --minutes", "obj --seed -1", "obj stl"] {
            assert!(of(line).is_err(), "{line}");
        }
    }
}

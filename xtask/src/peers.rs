//! `cargo xtask peers [FOLDER…]`: the same models here and in MuJoCo, Pinocchio and Drake. With `--behave`, robots held at home and
//! grasps, next to MuJoCo.
//!
//! Run by hand; the last result on the scenes and the packages' models is committed in `docs/`.

use crate::bench::{PATCHES, build_program};
use crate::python_env;
use crate::stage::{Failure, Outcome, Stages};
use crate::wheel;
use std::path::{Path, PathBuf};

pub fn run(args: &[String]) -> Outcome {
    let behave = args.first().is_some_and(|word| word == "--behave");
    let args = if behave { &args[1..] } else { args };
    let invented = invented(args)?;
    if behave && invented.is_some() {
        return Err(Failure::usage("give --behave with folders or alone".to_string()));
    }
    let folders = match &invented {
        Some(_) => Vec::new(),
        None => args.iter().map(|folder| found(folder)).collect::<Outcome<Vec<PathBuf>>>()?,
    };
    let mut stages = Stages::default();
    let peers = python_env::for_peers(&mut stages)?;
    let builder = python_env::for_tests(&mut stages)?;
    wheel::build_and_install(&mut stages, &builder, &peers)?;
    if let Some(options) = invented {
        let mut script = peers.python();
        return stages.run("invented models", script.arg("validation/peers/invented.py").args(options));
    }
    if behave {
        if folders.is_empty() {
            python_env::unpack_models(&mut stages, &peers)?;
        }
        let mut script = peers.python();
        return stages.run("robots at home", script.arg("validation/peers/behave.py").args(folders));
    }
    let mut dynamics = peers.python();
    dynamics.arg("validation/peers/compare.py");
    if !folders.is_empty() {
        return stages.run("dynamics next to the peers", dynamics.args(folders));
    }
    python_env::unpack_models(&mut stages, &peers)?;
    let program = build_program(&mut stages, PATCHES)?;
    // All tables are written even if one of them shows a difference.
    let steps = stages.run("steps next to Drake", peers.python().arg("validation/peers/drake_steps.py"));
    let mut patches = peers.python();
    patches.arg("validation/peers/patches_static.py").env("STICTION_PATCHES", program);
    let patches = stages.run("patches next to Drake", &mut patches);
    stages.run("dynamics next to the peers", &mut dynamics).and(steps).and(patches)?;
    stages.summary("the peers agree; the tables are in docs/");
    Ok(())
}

/// Arguments of the script for `--invented N [--seed S]`, checked before simulators are installed.
fn invented(args: &[String]) -> Outcome<Option<Vec<String>>> {
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let number = |word: &str, least: u64| match word.parse::<u64>() {
        Ok(n) if n >= least => Ok(word.to_string()),
        _ => Err(Failure::usage(format!("{word} is not a whole number of at least {least}"))),
    };
    let (count, seed) = match words[..] {
        ["--invented", count] => (number(count, 1)?, "1".to_string()),
        ["--invented", count, "--seed", seed] | ["--seed", seed, "--invented", count] => {
            (number(count, 1)?, number(seed, 0)?)
        }
        _ if words.iter().any(|w| w.starts_with("--")) => {
            return Err(Failure::usage(
                "give --invented N [--seed S], --behave [FOLDER…], folders, or nothing".to_string(),
            ));
        }
        _ => return Ok(None),
    };
    Ok(Some(vec!["--count".into(), count, "--seed".into(), seed]))
}

/// The absolute path of a folder, checked before simulators are installed.
fn found(folder: &str) -> Outcome<PathBuf> {
    if !Path::new(folder).exists() {
        return Err(Failure::usage(format!("{folder} is not there: give folders with models, or none")));
    }
    std::path::absolute(folder).map_err(|e| Failure::usage(format!("{folder}: {e}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Outcome<Option<Vec<String>>> {
        invented(&text.split_whitespace().map(String::from).collect::<Vec<_>>())
    }

    #[test]
    fn invented_models_take_a_count_and_a_seed() {
        assert_eq!(read("--invented 20").unwrap().unwrap().join(" "), "--count 20 --seed 1");
        assert_eq!(read("--seed 7 --invented 20").unwrap().unwrap().join(" "), "--count 20 --seed 7");
        assert_eq!(read("models more").unwrap(), None);
        for wrong in ["--invented", "--invented 0", "--invented many", "--seed 3", "--invented 5 models"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}

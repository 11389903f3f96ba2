//! The commands in README and the book: each one's flags exist, and those that are quick are run.

use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Lines of the `sh` blocks of README and of all pages, with where they stand; a line that ends with `\` goes on.
fn commands() -> Vec<(String, String)> {
    let docs = std::fs::read_dir(root().join("docs")).unwrap().flatten().map(|f| f.path());
    let mut pages: Vec<PathBuf> = docs.filter(|f| f.extension().is_some_and(|e| e == "md")).collect();
    pages.push(root().join("README.md"));
    pages.sort();
    let mut found = Vec::new();
    for page in pages {
        let name = page.file_name().unwrap().to_string_lossy().into_owned();
        let (mut inside, mut line) = (false, String::new());
        for text in std::fs::read_to_string(&page).unwrap().lines() {
            if text.starts_with("```") {
                inside = text == "```sh";
            } else if inside {
                let text = text.split(" #").next().unwrap().trim();
                line += text.trim_end_matches('\\');
                if !text.ends_with('\\') {
                    found.extend(Some((name.clone(), std::mem::take(&mut line))).filter(|l| !l.1.is_empty()));
                }
            }
        }
    }
    assert!(found.len() > 30, "{}", found.len());
    found
}

/// The arguments of a call of the program, however it is called.
fn arguments(line: &str) -> Option<Vec<String>> {
    let rest = line.strip_prefix("stiction ").or(line.strip_prefix("cargo run --release -- "))?;
    Some(rest.split_whitespace().map(|word| word.trim_matches('"').to_owned()).collect())
}

fn program(arguments: &[&str]) -> (bool, String) {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("docs");
    std::fs::create_dir_all(&folder).unwrap();
    let output =
        Command::new(env!("CARGO_BIN_EXE_stiction")).args(arguments).current_dir(folder).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    (output.status.success(), text.into_owned())
}

#[test]
fn every_flag_of_every_command_exists() {
    let tasks = std::fs::read_to_string(root().join("xtask/src/main.rs")).unwrap();
    for (page, line) in commands() {
        if let Some(task) = line.strip_prefix("cargo xtask ") {
            let name = task.split_whitespace().next().unwrap();
            assert!(tasks.contains(&format!("\"{name}\" =>")), "{page}: {line}");
        }
        let Some(words) = arguments(&line) else { continue };
        let depth = if words[0] == "learn" { 2 } else { 1 };
        let mut help: Vec<&str> = words[..depth].iter().map(String::as_str).collect();
        help.push("--help");
        let (fine, text) = program(&help);
        assert!(fine, "{page}: {line}\n{text}");
        // A minus before a digit is a number.
        let is_flag =
            |word: &&String| word.starts_with('-') && word[1..].starts_with(|c: char| !c.is_ascii_digit());
        for flag in words.iter().filter(is_flag) {
            let flag = flag.split('=').next().unwrap();
            let known = text.split(|c: char| c.is_whitespace() || "[],<>=.".contains(c)).any(|w| w == flag);
            assert!(known, "{page}: {line}: there is no {flag}\n{text}");
        }
    }
}

#[test]
fn quick_commands_run() {
    let mut run = 0;
    for (page, line) in commands() {
        let Some(mut words) = arguments(&line) else { continue };
        // Scenes that are built in; others name files of the reader's.
        let built_in = words.len() > 1 && root().join("scenes").join(format!("{}.xml", words[1])).exists();
        if !built_in || !["run", "inspect"].contains(&words[0].as_str()) {
            continue;
        }
        if words[0] == "run" {
            if let Some(at) = words.iter().position(|w| w == "--time") {
                words.drain(at..at + 2);
            }
            words.extend(["--time".to_owned(), "0.02".to_owned()]);
        }
        let (fine, text) = program(&words.iter().map(String::as_str).collect::<Vec<_>>());
        assert!(fine, "{page}: {line}\n{text}");
        run += 1;
    }
    assert!(run >= 4, "{run}");
}

#[test]
fn every_reproduction_on_the_page_is_one() {
    let (_, known) = program(&["reproduce", "--help"]);
    let (fine, list) = program(&["reproduce"]);
    for (page, line) in commands() {
        if let Some(words) = arguments(&line).filter(|words| words[0] == "reproduce" && words.len() > 1) {
            let name = &words[1];
            assert!(
                name.starts_with('-') || list.contains(name.as_str()) || known.contains(name.as_str()),
                "{page}: {line} ({fine})\n{list}"
            );
        }
    }
}

//! The viewer's page (`web/`): built, compared with the committed one, and tested in a real browser.
//!
//! Needs Node and a Chromium. On Debian and Ubuntu, as root, they are installed if they are missing.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::stage::{Failure, Outcome, Stages};
use crate::{gallery, project, site};

const USAGE: &str =
    "usage: cargo xtask web [build | test [NAME...] | screenshots [NAME...] | gallery | site | measure]";

/// Oldest Node whose test runner and fetch the page's tools use.
const NODE: u32 = 18;

pub fn run(args: &[String]) -> Outcome {
    let mut stages = Stages::default();
    match args.split_first() {
        None => check(&mut stages)?,
        Some((what, [])) if what == "build" => {
            packages(&mut stages)?;
            stages.run("types of the page", &mut node(&["node_modules/typescript/bin/tsc", "--noEmit"])?)?;
            stages.run("build the page", &mut node(&["tools/build.mjs"])?)?;
        }
        Some((what, names)) if what == "test" => {
            packages(&mut stages)?;
            test(&mut stages, names)?;
        }
        Some((what, names)) if what == "screenshots" => {
            packages(&mut stages)?;
            let program = program(&mut stages)?;
            let browser = browser(&mut stages)?;
            let mut shots = node(&["tools/screenshots.mjs"])?;
            shots.args(names).env("STICTION_CHROMIUM", browser).env("STICTION_PROGRAM", program);
            stages.run("pictures for the docs", &mut shots)?;
        }
        Some((what, [])) if what == "gallery" => {
            packages(&mut stages)?;
            let folder = project::target().join("gallery");
            let program = program(&mut stages)?;
            gallery::record(&mut stages, &program, &folder)?;
            let list = folder.join("shots.json");
            fs::write(&list, gallery::shots(&folder))
                .map_err(|e| Failure::work(format!("cannot write {}: {e}", list.display())))?;
            let browser = browser(&mut stages)?;
            let mut shots = node(&["tools/gallery.mjs"])?;
            stages.run("pictures of the gallery", shots.arg(list).env("STICTION_CHROMIUM", browser))?;
            gallery::write_page()?;
        }
        Some((what, [])) if what == "site" => {
            packages(&mut stages)?;
            let browser = browser(&mut stages)?;
            site::build(&mut stages, &browser)?;
        }
        Some((what, [])) if what == "measure" => {
            packages(&mut stages)?;
            let browser = browser(&mut stages)?;
            let mut measure = node(&["tools/measure.mjs"])?;
            stages.run(
                "the site in a browser",
                measure.arg(site::folder()).env("STICTION_CHROMIUM", browser),
            )?;
        }
        _ => return Err(Failure::usage(USAGE)),
    }
    stages.summary("web: done");
    Ok(())
}

/// What CI checks: types, that the committed page is the one `web/` builds, and the tests.
pub fn check(stages: &mut Stages) -> Outcome {
    packages(stages)?;
    stages.run("types of the page", &mut node(&["node_modules/typescript/bin/tsc", "--noEmit"])?)?;
    stages.run("the page matches its source", &mut node(&["tools/build.mjs", "--check"])?)?;
    test(stages, &[])
}

fn test(stages: &mut Stages, names: &[String]) -> Outcome {
    let program = program(stages)?;
    let browser = browser(stages)?;
    let mut tests = node(&["tools/test.mjs"])?;
    if names.is_empty() || names.iter().any(|name| name == "site") {
        match site::module(stages)? {
            Some(module) => {
                site::write(stages, &module, None)?;
                tests.env("STICTION_SITE", site::folder()).env("STICTION_MODULE", module);
            }
            None => {
                println!("\nSKIPPED: the page that simulates was not tested: its target could not be fetched")
            }
        }
    }
    tests.args(names).env("STICTION_CHROMIUM", browser).env("STICTION_PROGRAM", program);
    stages.run("tests of the page in a browser", &mut tests)
}

/// `node` with arguments, in `web/`.
pub fn node(arguments: &[&str]) -> Outcome<Command> {
    let mut command = Command::new("node");
    let folder = project::root().join("web");
    for argument in arguments {
        if argument.starts_with('-') {
            command.arg(argument);
        } else {
            command.arg(folder.join(argument));
        }
    }
    // TypeScript looks for its project beside the file it is given, or here.
    if arguments.iter().any(|argument| argument.contains("tsc")) {
        command.arg("--project").arg(folder);
    }
    Ok(command)
}

/// The `stiction` program, for live tests and recordings of the scenes.
pub fn program(stages: &mut Stages) -> Outcome<PathBuf> {
    if let Some(chosen) = std::env::var_os("STICTION_PROGRAM") {
        return Ok(chosen.into());
    }
    stages.run(
        "build the program",
        project::cargo().args(["build", "--release", "--workspace", "--bin", "stiction"]),
    )?;
    Ok(project::target().join("release").join(format!("stiction{}", std::env::consts::EXE_SUFFIX)))
}

/// Installs the packages of `package-lock.json`, unless that was done before.
fn packages(stages: &mut Stages) -> Outcome {
    if !node_is_new_enough() {
        apt(stages, "Node", &["nodejs", "npm"])?;
        if !node_is_new_enough() {
            return Err(Failure::work(format!(
                "the page's tests need Node {NODE} or later, and npm\n  install them (https://nodejs.org), then run this again"
            )));
        }
    }
    let web = project::root().join("web");
    let lock = fs::read_to_string(web.join("package-lock.json"))
        .map_err(|e| Failure::work(format!("cannot read web/package-lock.json: {e}")))?;
    let stamp = web.join("node_modules/installed-lock.json");
    if fs::read_to_string(&stamp).ok().as_deref() == Some(&lock) {
        return Ok(());
    }
    let npm = if cfg!(windows) { "npm.cmd" } else { "npm" };
    let mut install = Command::new(npm);
    // Nothing that a package brings is run: esbuild's and TypeScript's programs lie ready in theirs.
    install.args(["--prefix", "web", "ci", "--ignore-scripts", "--no-audit", "--no-fund"]);
    stages.run("packages of the page", &mut install)?;
    fs::write(&stamp, lock).map_err(|e| Failure::work(format!("cannot write {}: {e}", stamp.display())))
}

fn node_is_new_enough() -> bool {
    let Ok(output) = Command::new("node").arg("--version").stderr(Stdio::null()).output() else {
        return false;
    };
    let version = String::from_utf8_lossy(&output.stdout);
    let major =
        version.trim().trim_start_matches('v').split('.').next().and_then(|word| word.parse::<u32>().ok());
    output.status.success() && major.is_some_and(|major| major >= NODE)
}

/// A Chromium: the one of `STICTION_CHROMIUM`, an installed one, or one from the distribution.
fn browser(stages: &mut Stages) -> Outcome<PathBuf> {
    if let Some(chosen) = std::env::var_os("STICTION_CHROMIUM") {
        return Ok(chosen.into());
    }
    if let Some(found) = find_browser() {
        return Ok(found);
    }
    // A bare machine has no letters: the names in the scene are drawn with a font.
    apt(stages, "a browser", &["chromium", "fonts-dejavu-core"])?;
    find_browser().ok_or_else(|| {
        Failure::work(
            "the page's tests need Chromium or Chrome, and none was found\n  install one (on Debian and Ubuntu: apt-get \
             install chromium), or name one: STICTION_CHROMIUM=/path/to/chromium cargo xtask web",
        )
    })
}

fn find_browser() -> Option<PathBuf> {
    let names =
        ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "chrome.exe"];
    let fixed = [
        "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
        "/Applications/Chromium.app/Contents/MacOS/Chromium",
        r"C:\Program Files\Google\Chrome\Application\chrome.exe",
    ];
    let path = std::env::var_os("PATH").unwrap_or_default();
    let on_path = std::env::split_paths(&path).flat_map(|folder| names.map(|name| folder.join(name)));
    on_path.chain(fixed.iter().map(PathBuf::from)).find(|candidate| candidate.is_file())
}

/// Installs packages of the distribution, as root with apt-get. Otherwise does nothing, and the caller reports what is
/// missing.
fn apt(stages: &mut Stages, what: &str, names: &[&str]) -> Outcome {
    if !Path::new("/usr/bin/apt-get").exists() || !is_root() {
        return Ok(());
    }
    stages.run(&format!("{what}: package lists"), Command::new("apt-get").args(["update", "-qq"]))?;
    let mut install = Command::new("apt-get");
    install
        .args(["install", "-y", "-qq", "--no-install-recommends"])
        .args(names)
        .env("DEBIAN_FRONTEND", "noninteractive");
    stages.run(&format!("{what}: install"), &mut install)
}

fn is_root() -> bool {
    Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}

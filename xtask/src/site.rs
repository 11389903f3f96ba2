//! The static site: the simulator as a WebAssembly module (`crates/browser`) inside the viewer's page, and a gallery of the
//! built-in scenes, which run in the reader's browser.

use std::path::{Path, PathBuf};

use crate::stage::{Failure, Outcome, Stages};
use crate::{platforms, project};

const TARGET: &str = "wasm32-unknown-unknown";

/// Vectors of two doubles, which all current browsers have.
const FLAGS: (&str, &str) = ("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS", "-Ctarget-feature=+simd128");

/// Where the site is written.
pub fn folder() -> PathBuf {
    project::target().join("site")
}

/// Builds the module; none if the standard library of the target cannot be had.
pub fn module(stages: &mut Stages) -> Outcome<Option<PathBuf>> {
    let mut build = project::cargo();
    build
        .args(["build", "--package", "stiction-browser", "--lib", "--profile", "browser"])
        .env(FLAGS.0, FLAGS.1);
    if !platforms::prepare(stages, &mut build, TARGET) {
        return Ok(None);
    }
    stages.run("the simulator for browsers", &mut build)?;
    Ok(Some(project::target().join(TARGET).join("browser/stiction_browser.wasm")))
}

/// Writes the site with the tools of `web/`; with a browser, also a picture of each scene.
pub fn write(stages: &mut Stages, module: &Path, browser: Option<&Path>) -> Outcome {
    let mut site = crate::web::node(&["tools/site.mjs"])?;
    site.arg(module).arg(folder()).env_remove("STICTION_CHROMIUM");
    if let Some(browser) = browser {
        site.env("STICTION_CHROMIUM", browser);
    }
    stages.run("the site", &mut site)
}

/// Builds and writes all of it, as `cargo xtask web site` does.
pub fn build(stages: &mut Stages, browser: &Path) -> Outcome {
    let module = module(stages)?.ok_or_else(|| {
        Failure::work(format!(
            "the standard library for browsers is not here and could not be fetched\n  rustup target add {TARGET}, then run this \
             again"
        ))
    })?;
    write(stages, &module, Some(browser))?;
    println!("\nopen {}, or serve the folder", folder().join("index.html").display());
    Ok(())
}

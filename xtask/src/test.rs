//! `cargo xtask test`: everything that must hold, in one build profile.

use crate::stage::{Failure, Outcome, Stages};
use crate::{deny, project, python_env, soak, web, wheel};
use std::process::Command;

pub fn run(args: &[String]) -> Outcome {
    let full = match args {
        [] => false,
        [flag] if flag == "--full" => true,
        _ => return Err(Failure::usage("usage: cargo xtask test [--full]")),
    };
    let mut stages = Stages::default();

    // The Python crate has no Rust tests (`test = false`): it is tested below, from Python, as the
    // wheel that users install. It takes part here all the same, so that cargo chooses the features
    // of all dependencies with it and the wheel needs nothing but its own crates compiled anew.
    let rust_tests = ["test", "--release", "--workspace", "--no-fail-fast"];
    stages.run("rust tests", project::cargo().args(rust_tests))?;

    let venv = python_env::for_tests(&mut stages)?;
    wheel::build_and_install(&mut stages, &venv, &venv)?;
    let program = project::target().join("release").join(format!("stiction{}", std::env::consts::EXE_SUFFIX));
    stages.run(
        "python tests",
        venv.python().args(["-m", "pytest", "-q", "crates/python/tests"]).env("STICTION_PROGRAM", &program),
    )?;

    web::check(&mut stages)?;

    if full {
        // Other random cases than those of every day, and more of them.
        let seeds = [("PROPTEST_RNG_SEED", "1"), ("STICTION_TEST_SCALE", "4")];
        stages
            .run("rust tests, other cases", project::cargo().args(rust_tests).arg("--tests").envs(seeds))?;
        let out = project::target().join("reproduce");
        stages.run("reproductions", Command::new(&program).args(["reproduce", "--all", "--out"]).arg(out))?;
        soak::stage(&mut stages, &["--minutes", "3"])?;
        deny::check(&mut stages)?;

        // A Ray cluster, learning environments and notebooks, apart from the environment that shows that numpy is enough.
        let extras = python_env::for_extras(&mut stages)?;
        wheel::install(&mut stages, &extras)?;
        stages
            .run("python extras", extras.python().args(["-m", "pytest", "-q", "crates/python/tests_full"]))?;
    }
    stages.summary("all tests passed");
    Ok(())
}

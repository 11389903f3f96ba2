//! `cargo xtask bench [NAME…]`: timings of ours and the peers', interleaved in one run.
//!
//! Each benchmark is a script in `validation/bench/`; its tables go to `docs/benchmarks/`.

use crate::stage::{Failure, Outcome, Stages};
use crate::{python_env, wheel};

const NAMES: [&str; 2] = ["dynamics", "clutter"];

pub fn run(args: &[String]) -> Outcome {
    if let Some(unknown) = args.iter().find(|name| !NAMES.contains(&name.as_str())) {
        return Err(Failure::usage(format!(
            "there is no benchmark `{unknown}`; there are: {}",
            NAMES.join(", ")
        )));
    }
    let mut stages = Stages::default();
    let peers = python_env::for_peers(&mut stages)?;
    let builder = python_env::for_tests(&mut stages)?;
    wheel::build_and_install(&mut stages, &builder, &peers)?;
    for name in NAMES {
        if args.is_empty() || args.iter().any(|wanted| wanted == name) {
            stages
                .run(&format!("bench {name}"), peers.python().arg(format!("validation/bench/{name}.py")))?;
        }
    }
    stages.summary("the tables are in docs/benchmarks/");
    Ok(())
}

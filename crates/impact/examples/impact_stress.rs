//! Random mechanisms: `cargo xtask soak --impacts [COUNT]`. Ends with an error where an outcome violates the inclusion, gains energy or leaves its
//! outer bound, or a solution is dropped.

#[path = "../tests/common/mod.rs"]
mod common;

fn main() -> std::process::ExitCode {
    let count = match std::env::args().nth(1).map(|text| text.parse()) {
        None => 2000,
        Some(Ok(count)) => count,
        Some(Err(_)) => {
            eprintln!("--impacts takes the number of mechanisms, 2000 by default");
            return std::process::ExitCode::from(2);
        }
    };
    let mut tally = common::soak::Tally::default();
    (0..count).for_each(|seed| tally.add(seed));
    for failure in &tally.failures {
        println!("{failure}");
    }
    println!(
        "{} mechanisms, {} outcomes, {} steps: {} failures; {} samples went on one contact after another, {} sequences cut, \
         worst violation {:.1e}, largest rise of energy {:.1e}, {} without a proof of their end, verdicts {:?}",
        tally.mechanisms,
        tally.outcomes,
        tally.steps,
        tally.failures.len(),
        tally.rerouted,
        tally.cut,
        tally.worst,
        tally.rise,
        tally.uncertain,
        tally.verdicts
    );
    std::process::ExitCode::from(u8::from(!tally.failures.is_empty()))
}

//! Energy of bodies that roll without slip, after two seconds: Euler's disk, a rattleback, and balls that roll down a slope, rigid
//! and soft. Prints a table.
//!
//! ```text
//! cargo run --release -p stiction --example rolling [-- NAME…]
//! ```

mod scenes;

use stiction::Options;

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    for scene in scenes::all() {
        if !wanted.is_empty() && !wanted.iter().any(|name| scene.name.contains(name.as_str())) {
            continue;
        }
        for step in [2e-3, 1e-3, 5e-4] {
            let options = Options { step, ..Options::default() };
            println!("{:<40} {:>4} ms {:>+9.4} %", scene.name, 1e3 * step, 100.0 * scene.drift(options, 2.0));
        }
        let controlled = Options { accuracy: Some(1e-3), ..Options::default() };
        println!("{:<40} accuracy 1e-3 {:>+9.4} %", scene.name, 100.0 * scene.drift(controlled, 2.0));
    }
}

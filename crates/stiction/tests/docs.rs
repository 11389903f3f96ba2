//! The Rust of the book, compiled: every line of its `rust` blocks stands here, in order.
#![allow(dead_code)]

mod getting_started {
    use stiction::{LoadOptions, Model, Options, Simulation};

    fn main() -> Result<(), Box<dyn std::error::Error>> {
        let model = Model::from_file("scenes/arm.xml".as_ref(), &LoadOptions::default())?;
        let q = model.default_q();
        let v = vec![0.0; model.nv()];
        let mass_matrix = model.mass_matrix(q)?;
        let bias = model.bias(q, &v)?;
        println!("{mass_matrix} {bias:?}");

        let mut simulation = Simulation::new(&model, Options { step: 1e-3, ..Options::default() })?;
        simulation.step(1000)?;
        println!("{:?}", simulation.state().q);
        Ok(())
    }

    #[test]
    fn it_runs_from_the_root() {
        std::env::set_current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).unwrap();
        main().unwrap();
    }
}

mod control {
    use stiction::control::{Controller, Part, Sample, Senses};

    /// Holds what is between the pads, tighter the heavier the wrist feels.
    struct Hold {
        pad: Part,
    }

    impl Controller for Hold {
        fn period(&self) -> f64 {
            0.004
        }

        fn senses(&self) -> Senses {
            Senses::all()
        }

        #[rustfmt::skip]
        fn control(&mut self, sample: &Sample<'_>, ctrl: &mut [f64], memory: &mut Vec<f64>) -> Result<(), String> {
            memory.resize(1, 0.0);
            let wanted = 2.0 + 3.0 * sample.sensor("wrist_force")?[2].abs();
            memory[0] += self.period() * (wanted - sample.normal_force(self.pad, Part::Any)?);
            ctrl[6] = -2.0 * (wanted + memory[0]);
            Ok(())
        }
    }
}

mod learned {
    fn learned(simulation: &mut stiction::Simulation) -> Result<(), Box<dyn std::error::Error>> {
        use std::sync::Arc;
        use stiction::contact_law::DacLaw;

        let law = DacLaw::from_bytes(&std::fs::read("box.safetensors")?)?;
        simulation.set_contact_law(Some(Arc::new(law)))?;
        simulation.step(800)?;
        Ok(())
    }
}

/// Lines without their indentation and without what the book does not show.
fn plain(text: &str) -> Vec<&str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty() && *line != "#[rustfmt::skip]").collect()
}

#[test]
fn every_rust_block_of_the_book_stands_in_this_file() {
    let here = plain(include_str!("docs.rs"));
    let docs = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs");
    let mut blocks = 0;
    for entry in
        std::fs::read_dir(docs).unwrap().flatten().filter(|e| e.path().extension().is_some_and(|e| e == "md"))
    {
        let text = std::fs::read_to_string(entry.path()).unwrap();
        for block in text.split("```rust\n").skip(1) {
            let block = plain(block.split("```").next().unwrap());
            let found = here.windows(block.len()).any(|lines| lines == block);
            assert!(
                found,
                "{}: this block is not in crates/stiction/tests/docs.rs, put it there:\n{block:#?}",
                entry.path().display()
            );
            blocks += 1;
        }
    }
    assert!(blocks >= 3);
}

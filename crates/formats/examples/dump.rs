//! Prints a model file as one line of JSON, for comparing with other readers.
//!
//! `cargo run --release -p stiction-formats --example dump --features fs -- MODEL [--fixed-base] [--strict]
//! [--package-path DIR]…`

use stiction_formats::{LoadOptions, load};

fn main() {
    let mut options = LoadOptions::default();
    let mut path = None;
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--fixed-base" => options.fixed_base = true,
            "--strict" => options.strict = true,
            "--package-path" => options.package_paths.extend(args.next()),
            _ => path = Some(arg),
        }
    }
    let Some(path) = path else {
        eprintln!("usage: dump MODEL [--fixed-base] [--strict] [--package-path DIR]");
        std::process::exit(2);
    };
    match load(&path, &options).map(|world| {
        let mut json = serde_json::to_value(&world).unwrap_or_default();
        json["nq"] = world.nq().into();
        json["nv"] = world.nv().into();
        json["nu"] = world.nu().into();
        json
    }) {
        Ok(json) => println!("{json}"),
        Err(error) => {
            eprintln!("{error}");
            std::process::exit(1);
        }
    }
}

//! The `stiction` program.

fn main() {}

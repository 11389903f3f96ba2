//! Names for what a file leaves unnamed: stable, and never one that the file uses itself.

use std::collections::BTreeSet;

/// Names in use.
#[derive(Debug, Default)]
pub struct Names(BTreeSet<String>);

impl Names {
    /// Starts with the names the file gives.
    pub fn new<'a>(given: impl Iterator<Item = &'a str>) -> Self {
        Self(given.filter(|n| !n.is_empty()).map(str::to_string).collect())
    }

    /// Takes a name; false if it is taken already.
    pub fn claim(&mut self, name: &str) -> bool {
        self.0.insert(name.to_string())
    }

    /// `wish`, or `wish_2`, `wish_3`… if it is taken.
    pub fn free(&mut self, wish: &str) -> String {
        let mut name = wish.to_string();
        let mut n = 2;
        while !self.0.insert(name.clone()) {
            name = format!("{wish}_{n}");
            n += 1;
        }
        name
    }
}

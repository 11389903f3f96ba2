//! Names for what a file leaves unnamed: stable, and never one that the file uses itself.

use std::collections::{BTreeMap, BTreeSet};

/// Names in use, and the number at which the search for a free one last ended, by wish.
#[derive(Debug, Default)]
pub struct Names(BTreeSet<String>, BTreeMap<String, usize>);

impl Names {
    /// Starts with the names the file gives.
    pub fn new<'a>(given: impl Iterator<Item = &'a str>) -> Self {
        Self(given.filter(|n| !n.is_empty()).map(str::to_string).collect(), BTreeMap::new())
    }

    /// Takes a name; false if it is taken already.
    pub fn claim(&mut self, name: &str) -> bool {
        self.0.insert(name.to_string())
    }

    /// `wish`, or `wish_2`, `wish_3`… if it is taken.
    pub fn free(&mut self, wish: &str) -> String {
        if self.0.insert(wish.to_string()) {
            return wish.to_string();
        }
        // Names are never given back: all below the last number are still taken.
        let n = self.1.entry(wish.to_string()).or_insert(2);
        loop {
            let name = format!("{wish}_{n}");
            *n += 1;
            if self.0.insert(name.clone()) {
                return name;
            }
        }
    }
}

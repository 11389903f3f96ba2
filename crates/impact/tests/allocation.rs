//! Sampling allocates for the set it returns, not for each sample.

mod common;

use stiction_base::counting_allocator::{CountingAllocator, process_allocations};
use stiction_impact::{Options, Problem, outcomes};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

#[test]
fn twice_the_samples_take_hardly_more_allocations() {
    for instant in [common::block(), common::random_instant(5, 4, 6, false)] {
        let problem = Problem::new(&instant).unwrap();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let count = |samples: usize| {
            let before = process_allocations();
            pool.install(|| outcomes(&problem, &Options { samples, ..Options::default() }).unwrap());
            process_allocations() - before
        };
        count(512);
        let (few, many) = (count(512), count(2048));
        // Arrays that grow, and one sampler for each part of the work that rayon splits off.
        assert!(many < few + 300, "{few} for 512 samples, {many} for 2048");
    }
}

//! Hashes, random numbers and files written whole, shared by all crates: the same bits on every machine and in every version.
//!
//! | file | content |
//! |---|---|
//! | `bounded_file.rs` | files read as a whole, up to a size |
//! | `fused.rs` | multiplication and addition in one instruction |
//! | `hash.rs` | FNV-1a of bytes |
//! | `checksum.rs` | a checksum at the end of saved bytes |
//! | `mutation.rs` | deliberate errors, to see which checks notice them; in no release |
//! | `nearest.rs` | the closest of several names, for messages |
//! | `plain.rs` | text without control characters, for messages |
//! | `random.rs` | SplitMix64: a stream of random numbers from a seed, and its mixing function |
//! | `whole_file.rs` | files that are written whole or not at all |
//! | `counting_allocator.rs` | an allocator for tests that counts allocations and limits memory |

pub mod bounded_file;
pub mod checksum;
pub mod counting_allocator;
pub mod fused;
pub mod hash;
pub mod mutation;
pub mod nearest;
pub mod plain;
pub mod random;
pub mod whole_file;

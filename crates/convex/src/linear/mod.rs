//! Block-sparse Cholesky factorisation: blocks are cliques.
//!
//! [`symbolic`] orders the blocks and finds the fill; [`cholesky`] holds the numbers; [`branches`] factors large
//! diagonal blocks along the branches of their trees; [`kernels`] are the dense loops on blocks. It does not use a
//! general sparse library, because the block sizes are known in advance (6×6 for a free body). Index work is per
//! block instead of per entry, and the inner loops have constant trip counts. For a single clique it reduces to the
//! factorisation of a tree.

pub mod branches;
pub mod cholesky;
pub mod kernels;
pub mod symbolic;

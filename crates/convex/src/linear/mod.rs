//! Block-sparse Cholesky factorisation: blocks are cliques.
//!
//! [`symbolic`] orders the blocks and finds the fill; [`cholesky`] holds the numbers; [`branches`] factors large
//! diagonal blocks along the branches of their trees; [`kernels`] are the dense loops on blocks. Written by hand rather than taken from a general sparse library: the blocks
//! are known beforehand (6×6 for a free body), so that index work is per block, not per number, and the
//! inner loops have constant trip counts. One clique makes it the factorisation of a tree.

pub mod branches;
pub mod cholesky;
pub mod kernels;
pub mod symbolic;

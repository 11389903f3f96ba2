//! Ordering and fill of a block-sparse Cholesky factor.
//!
//! Minimum degree on the graph of blocks, by explicit elimination on bit rows: eliminating a node joins
//! its neighbours into a clique, which is one OR per neighbour. Ties go to the lowest index, so that the
//! ordering is a pure function of the pattern. Memory is n²/8 bytes for n blocks of one island.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Blocks of at most this size are factored densely.
pub const SMALL: u32 = 6;

/// The pattern of a factor L and where its blocks lie in one array of values.
#[derive(Debug, Default, Clone)]
pub struct Symbolic {
    /// The key: block sizes, and couplings (row > column, sorted, unique).
    sizes: Vec<u32>,
    edges: Vec<(u32, u32)>,
    /// `order[j]` is the block eliminated j-th.
    pub order: Vec<u32>,
    /// `position[order[j]] = j`.
    pub position: Vec<u32>,
    /// Size of the j-th eliminated block.
    pub size_at: Vec<u32>,
    /// First scalar of the j-th eliminated block in a vector laid out in elimination order.
    pub start_at: Vec<u32>,
    /// First scalar of block b in a vector laid out in the blocks' own order.
    pub dof: Vec<u32>,
    /// Column j has its below-diagonal blocks at `column[j]..column[j+1]` of `rows` and `offsets`.
    pub column: Vec<u32>,
    /// Positions of the rows, ascending within a column.
    pub rows: Vec<u32>,
    /// Where each below-diagonal block starts in the values.
    pub offsets: Vec<u32>,
    /// Start of the diagonal block of column j; entry n is the length of all values.
    pub diagonal: Vec<u32>,
    /// Target of each update L_ij L_kjᵀ, in the order of the loops j, k, i ≥ k.
    pub targets: Vec<u32>,
    /// Number among the blocks of more than six, of the j-th eliminated block if it is one.
    pub large: Vec<Option<u32>>,
    /// All blocks are 6×6.
    pub uniform6: bool,
    scratch: Scratch,
}

#[derive(Debug, Default, Clone)]
struct Scratch {
    bits: Vec<u64>,
    pivot_row: Vec<u64>,
    degree: Vec<u32>,
    heap: BinaryHeap<Reverse<(u32, u32)>>,
    neighbours: Vec<u32>,
    starts: Vec<u32>,
}

impl Symbolic {
    /// Analyses the pattern, or does nothing when it equals the last one. `edges` are pairs (row, column)
    /// of coupled blocks with row > column, sorted and unique. Returns whether the last analysis was reused.
    pub fn analyze(&mut self, sizes: &[u32], edges: &[(u32, u32)]) -> bool {
        if self.sizes == sizes && self.edges == edges && !self.order.is_empty() {
            return true;
        }
        self.sizes.clear();
        self.sizes.extend_from_slice(sizes);
        self.edges.clear();
        self.edges.extend_from_slice(edges);
        self.uniform6 = sizes.iter().all(|&s| s == 6);
        self.eliminate();
        self.lay_out();
        self.find_targets();
        self.large.clear();
        self.large.resize(sizes.len(), None);
        let large = sizes.iter().enumerate().filter(|(_, size)| **size > SMALL);
        for (count, (block, _)) in large.enumerate() {
            self.large[self.position[block] as usize] = Some(count as u32);
        }
        false
    }

    /// Number of blocks.
    pub fn block_count(&self) -> usize {
        self.order.len()
    }

    /// Scalars in a vector.
    pub fn dofs(&self) -> usize {
        *self.dof.last().unwrap_or(&0) as usize
    }

    /// Length of the array of values.
    pub fn value_count(&self) -> usize {
        *self.diagonal.last().unwrap_or(&0) as usize
    }

    /// Maximum number of entries below the diagonal block of a column.
    pub fn largest_column(&self) -> usize {
        let numbers =
            |j: usize| (self.diagonal[j + 1] - self.diagonal[j] - self.size_at[j] * self.size_at[j]) as usize;
        (0..self.block_count()).map(numbers).max().unwrap_or(0)
    }

    /// Start of the diagonal block of block `b`.
    pub fn diagonal_offset(&self, b: usize) -> usize {
        self.diagonal[self.position[b] as usize] as usize
    }

    /// Start of the block coupling `a` and `b`, and whether its rows belong to `a`.
    /// The two must be coupled in the analysed pattern.
    pub fn coupling_offset(&self, a: usize, b: usize) -> (usize, bool) {
        let (pa, pb) = (self.position[a], self.position[b]);
        let (row, col) = (pa.max(pb), pa.min(pb));
        let range = self.column[col as usize] as usize..self.column[col as usize + 1] as usize;
        let k = self.rows[range.clone()].binary_search(&row).expect("coupled blocks");
        (self.offsets[range.start + k] as usize, pa > pb)
    }

    fn eliminate(&mut self) {
        let n = self.sizes.len();
        let words = n.div_ceil(64);
        let s = &mut self.scratch;
        s.bits.clear();
        s.bits.resize(n * words, 0);
        for &(r, c) in &self.edges {
            let (r, c) = (r as usize, c as usize);
            s.bits[r * words + c / 64] |= 1 << (c % 64);
            s.bits[c * words + r / 64] |= 1 << (r % 64);
        }
        let count = |row: &[u64]| row.iter().map(|w| w.count_ones()).sum::<u32>();
        s.degree.clear();
        s.heap.clear();
        for b in 0..n {
            s.degree.push(count(&s.bits[b * words..(b + 1) * words]));
            s.heap.push(Reverse((s.degree[b], b as u32)));
        }
        self.order.clear();
        self.position.clear();
        self.position.resize(n, u32::MAX);
        s.neighbours.clear();
        s.starts.clear();
        while let Some(Reverse((degree, pivot))) = s.heap.pop() {
            let p = pivot as usize;
            if self.position[p] != u32::MAX || degree != s.degree[p] {
                continue; // an entry made obsolete by a later degree
            }
            self.position[p] = self.order.len() as u32;
            self.order.push(pivot);
            s.starts.push(s.neighbours.len() as u32);
            s.pivot_row.clear();
            s.pivot_row.extend_from_slice(&s.bits[p * words..(p + 1) * words]);
            for w in 0..words {
                let mut word = s.pivot_row[w];
                while word != 0 {
                    let i = w * 64 + word.trailing_zeros() as usize;
                    word &= word - 1;
                    s.neighbours.push(i as u32);
                    let row = &mut s.bits[i * words..(i + 1) * words];
                    for (bit, pivot_bit) in row.iter_mut().zip(&s.pivot_row) {
                        *bit |= pivot_bit;
                    }
                    row[i / 64] &= !(1 << (i % 64));
                    row[p / 64] &= !(1 << (p % 64));
                    let degree = count(row);
                    if degree != s.degree[i] {
                        s.degree[i] = degree;
                        s.heap.push(Reverse((degree, i as u32)));
                    }
                }
            }
        }
        s.starts.push(s.neighbours.len() as u32);
    }

    fn lay_out(&mut self) {
        let n = self.sizes.len();
        self.dof.clear();
        let mut dof = 0;
        for &size in &self.sizes {
            self.dof.push(dof);
            dof += size;
        }
        self.dof.push(dof);
        self.size_at.clear();
        self.start_at.clear();
        let mut start = 0;
        self.column.clear();
        self.rows.clear();
        self.offsets.clear();
        self.diagonal.clear();
        let mut offset = 0;
        for j in 0..n {
            let size = self.sizes[self.order[j] as usize];
            self.size_at.push(size);
            self.start_at.push(start);
            start += size;
            self.diagonal.push(offset);
            offset += size * size;
            let first = self.rows.len();
            self.column.push(first as u32);
            let range = self.scratch.starts[j] as usize..self.scratch.starts[j + 1] as usize;
            self.rows.extend(self.scratch.neighbours[range].iter().map(|&b| self.position[b as usize]));
            self.rows[first..].sort_unstable();
            for k in first..self.rows.len() {
                self.offsets.push(offset);
                offset += size * self.sizes[self.order[self.rows[k] as usize] as usize];
            }
        }
        self.column.push(self.rows.len() as u32);
        self.diagonal.push(offset);
    }

    fn find_targets(&mut self) {
        self.targets.clear();
        for j in 0..self.block_count() {
            let below = self.column[j] as usize..self.column[j + 1] as usize;
            for k in below.clone() {
                let column = self.rows[k] as usize;
                self.targets.push(self.diagonal[column]);
                // Rows of `below` after k are a subset of that column's rows: one walk finds them all.
                let mut at = self.column[column] as usize;
                for i in k + 1..below.end {
                    while self.rows[at] != self.rows[i] {
                        at += 1;
                    }
                    self.targets.push(self.offsets[at]);
                }
            }
        }
    }
}

//! Arrays of a batch and its steps, on the host or on a GPU.
//!
//! The host steps the worlds one after another in one world's memory, with the same kernels of which a GPU runs many at a time.

use crate::error::GpuError;
use stiction::flat::{FlatModel, Header};

/// Numbers of `Layout` in the kernels: places of the fields, then the sizes of a world's two memories.
pub const LAYOUT: usize = 67;
/// Counts of a world that a step keeps.
pub const COUNTS: usize = 8;

/// Places of the fields in a world's memory.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Layout(pub [i32; LAYOUT]);

impl Layout {
    /// For a model of these sizes.
    pub fn new(header: &Header) -> Self {
        let mut layout = Self([0; LAYOUT]);
        // SAFETY: the kernels' `Layout` is as long (a test compares).
        #[allow(unsafe_code)]
        unsafe {
            stiction_gpu_layout(header, &mut layout);
        }
        layout
    }

    /// Numbers and integers of a world's memory.
    pub fn sizes(&self) -> (usize, usize) {
        (self.0[LAYOUT - 2] as usize, self.0[LAYOUT - 1] as usize)
    }
}

#[repr(C)]
struct Arrays {
    q: *mut f64,
    v: *mut f64,
    ctrl: *const f64,
    applied: *const f64,
    spring_pairs: *mut i32,
    springs: *mut f64,
    counts: *mut i32,
}

#[allow(unsafe_code)]
unsafe extern "C" {
    fn stiction_gpu_layout(header: *const Header, out: *mut Layout) -> i32;
    #[cfg(test)]
    fn stiction_gpu_header_size() -> i32;
    fn stiction_gpu_step(
        header: *const Header,
        layout: *const Layout,
        integers: *const i32,
        numbers: *const f64,
        arrays: *const Arrays,
        memory: *mut f64,
        integer_memory: *mut i32,
        from: i64,
        to: i64,
        steps: i32,
    );
}

/// An array of numbers of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Numbers {
    /// Positions, nq a world.
    Q,
    /// Velocities, nv a world.
    V,
    /// Controls, nu a world.
    Ctrl,
    /// Applied forces, nv a world.
    Applied,
    /// Springs of contacts, six numbers each.
    Springs,
}

/// An array of integers of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Integers {
    /// Pair of geoms of each spring.
    SpringPairs,
    /// [`COUNTS`] numbers a world.
    Counts,
}

/// Where a batch lives.
pub trait Backend: Send {
    /// Copies from an array, beginning at `at`.
    fn read(&self, of: Numbers, at: usize, out: &mut [f64]) -> Result<(), GpuError>;
    /// Copies to an array.
    fn write(&mut self, of: Numbers, at: usize, from: &[f64]) -> Result<(), GpuError>;
    /// Copies from an array of integers.
    fn read_integers(&self, of: Integers, at: usize, out: &mut [i32]) -> Result<(), GpuError>;
    /// Copies to an array of integers.
    fn write_integers(&mut self, of: Integers, at: usize, from: &[i32]) -> Result<(), GpuError>;
    /// Address of an array on a GPU.
    fn address(&self, of: Numbers) -> Option<u64>;
    /// Performs steps in every world.
    fn step(&mut self, steps: usize) -> Result<(), GpuError>;
}

/// The length of an array of numbers.
pub fn length(header: &Header, worlds: usize, of: Numbers) -> usize {
    let one = match of {
        Numbers::Q => header.nq,
        Numbers::V | Numbers::Applied => header.nv,
        Numbers::Ctrl => header.nu,
        Numbers::Springs => 6 * header.max_contacts,
    };
    worlds * one as usize
}

/// Arrays in the host's memory.
pub struct Host {
    flat: FlatModel,
    layout: Layout,
    worlds: usize,
    numbers: [Vec<f64>; 5],
    integers: [Vec<i32>; 2],
    memory: Vec<f64>,
    integer_memory: Vec<i32>,
}

impl Host {
    /// All zero.
    pub fn new(flat: &FlatModel, layout: Layout, worlds: usize) -> Self {
        let (numbers, integers) = layout.sizes();
        let all = [Numbers::Q, Numbers::V, Numbers::Ctrl, Numbers::Applied, Numbers::Springs];
        Self {
            numbers: all.map(|of| vec![0.0; length(&flat.header, worlds, of)]),
            integers: [vec![0; worlds * flat.header.max_contacts as usize], vec![0; worlds * COUNTS]],
            memory: vec![0.0; numbers],
            integer_memory: vec![0; integers],
            flat: flat.clone(),
            layout,
            worlds,
        }
    }
}

impl Backend for Host {
    fn read(&self, of: Numbers, at: usize, out: &mut [f64]) -> Result<(), GpuError> {
        out.copy_from_slice(&self.numbers[of as usize][at..at + out.len()]);
        Ok(())
    }

    fn write(&mut self, of: Numbers, at: usize, from: &[f64]) -> Result<(), GpuError> {
        self.numbers[of as usize][at..at + from.len()].copy_from_slice(from);
        Ok(())
    }

    fn read_integers(&self, of: Integers, at: usize, out: &mut [i32]) -> Result<(), GpuError> {
        out.copy_from_slice(&self.integers[of as usize][at..at + out.len()]);
        Ok(())
    }

    fn write_integers(&mut self, of: Integers, at: usize, from: &[i32]) -> Result<(), GpuError> {
        self.integers[of as usize][at..at + from.len()].copy_from_slice(from);
        Ok(())
    }

    fn address(&self, _: Numbers) -> Option<u64> {
        None
    }

    #[allow(unsafe_code)]
    fn step(&mut self, steps: usize) -> Result<(), GpuError> {
        let Self { flat, layout, worlds, numbers: [q, v, ctrl, applied, springs], .. } = self;
        let [spring_pairs, counts] = &mut self.integers;
        let arrays = Arrays {
            q: q.as_mut_ptr(),
            v: v.as_mut_ptr(),
            ctrl: ctrl.as_ptr(),
            applied: applied.as_ptr(),
            spring_pairs: spring_pairs.as_mut_ptr(),
            springs: springs.as_mut_ptr(),
            counts: counts.as_mut_ptr(),
        };
        // SAFETY: the arrays have the lengths that the header says, for this many worlds, and the memory that of the layout.
        unsafe {
            stiction_gpu_step(
                &flat.header,
                layout,
                flat.integers.as_ptr(),
                flat.numbers.as_ptr(),
                &arrays,
                self.memory.as_mut_ptr(),
                self.integer_memory.as_mut_ptr(),
                0,
                *worlds as i64,
                i32::try_from(steps).unwrap_or(i32::MAX),
            );
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[allow(unsafe_code)]
    fn the_kernels_have_the_same_structs() {
        let mut room = [Layout([0; LAYOUT]); 2];
        // SAFETY: twice the room of a layout.
        let (layout, header) =
            unsafe { (stiction_gpu_layout(&Header::default(), &mut room[0]), stiction_gpu_header_size()) };
        assert_eq!(layout as usize, size_of::<Layout>());
        assert_eq!(header as usize, size_of::<Header>());
    }
}

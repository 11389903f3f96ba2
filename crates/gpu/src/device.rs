//! Arrays of a batch and its steps on an NVIDIA GPU.
//!
//! The driver and NVRTC are found at run time. The kernels are compiled by NVRTC for the GPU at hand when the first batch is made.

use crate::backend::{Backend, COUNTS, Integers, Layout, Numbers, length};
use crate::error::GpuError;
use cudarc::driver::sys::CUdevice_attribute as Attribute;
use cudarc::driver::{
    CudaContext, CudaFunction, CudaSlice, CudaStream, DevicePtr, DeviceRepr, DriverError, LaunchConfig,
    PushKernelArg,
};
use cudarc::nvrtc::{CompileOptions, compile_ptx_with_opts};
use std::sync::Arc;
use stiction::flat::{FlatModel, Header};

/// The kernels in the order in which they use each other.
const KERNELS: [&str; 10] = [
    include_str!("../kernels/base.h"),
    include_str!("../kernels/model.h"),
    include_str!("../kernels/kinematics.h"),
    include_str!("../kernels/shapes.h"),
    include_str!("../kernels/detect.h"),
    include_str!("../kernels/problem.h"),
    include_str!("../kernels/factor.h"),
    include_str!("../kernels/newton.h"),
    include_str!("../kernels/step.h"),
    include_str!("../kernels/device.cu"),
];

/// Threads that step a world, and worlds that a multiprocessor steps at a time: few threads for small models, whose steps have little
/// to share; for large ones few worlds, whose memory then stays in the cache.
fn shape(header: &Header) -> (u32, usize) {
    if header.nv <= 48 { (32, 16) } else { (128, 4) }
}

impl From<DriverError> for GpuError {
    fn from(error: DriverError) -> Self {
        Self::Driver(error.to_string())
    }
}

#[repr(transparent)]
#[derive(Clone, Copy)]
struct HeaderArgument(Header);

/// Addresses of the arrays: `Arrays` of the kernels.
#[repr(C)]
#[derive(Clone, Copy)]
struct Addresses {
    q: u64,
    v: u64,
    ctrl: u64,
    applied: u64,
    spring_pairs: u64,
    springs: u64,
    counts: u64,
}

// SAFETY: plain numbers in C's layout, the same as in the kernels.
#[allow(unsafe_code)]
unsafe impl DeviceRepr for HeaderArgument {}
// SAFETY: as above.
#[allow(unsafe_code)]
unsafe impl DeviceRepr for Layout {}
// SAFETY: as above.
#[allow(unsafe_code)]
unsafe impl DeviceRepr for Addresses {}

/// Arrays in a GPU's memory.
pub struct Gpu {
    stream: Arc<CudaStream>,
    kernel: CudaFunction,
    header: Header,
    layout: Layout,
    worlds: usize,
    /// Worlds that are stepped at a time.
    slots: usize,
    lanes: u32,
    tables: (CudaSlice<i32>, CudaSlice<f64>),
    numbers: [CudaSlice<f64>; 5],
    integers: [CudaSlice<i32>; 2],
    memory: (CudaSlice<f64>, CudaSlice<i32>),
    addresses: Addresses,
}

/// Whether the libraries are there that a GPU is used with.
#[allow(unsafe_code)]
fn libraries() -> Result<(), GpuError> {
    // SAFETY: these only try to open the libraries.
    let (driver, compiler) =
        unsafe { (cudarc::driver::sys::is_culib_present(), cudarc::nvrtc::sys::is_culib_present()) };
    match (driver, compiler) {
        (false, _) => Err(GpuError::Missing("the NVIDIA driver")),
        (_, false) => Err(GpuError::Missing("NVRTC")),
        _ => Ok(()),
    }
}

impl Gpu {
    /// All zero.
    pub fn new(flat: &FlatModel, layout: Layout, worlds: usize, index: usize) -> Result<Self, GpuError> {
        libraries()?;
        let context = CudaContext::new(index)?;
        let attribute = |of| context.attribute(of);
        let major = attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?;
        let minor = attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?;
        let processors = attribute(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)? as usize;
        let (lanes, blocks) = shape(&flat.header);
        let options = CompileOptions {
            options: vec![
                format!("--gpu-architecture=compute_{major}{minor}"),
                "--std=c++17".into(),
                format!("-DLANES={lanes}"),
                format!("-DBLOCKS={blocks}"),
            ],
            ..CompileOptions::default()
        };
        let code = compile_ptx_with_opts(KERNELS.concat(), options)
            .map_err(|error| GpuError::Compile(error.to_string()))?;
        let kernel = context.load_module(code)?.load_function("stiction_step")?;
        // That of PyTorch and others, so that what they write and read keeps its place among steps.
        let stream = context.default_stream();
        let header = flat.header;
        let slots = worlds.min(processors * blocks).max(1);
        let (numbers, integers) = layout.sizes();
        let room = |_: DriverError| GpuError::Memory { worlds: slots, bytes: 8 * numbers + 4 * integers };
        let memory = (
            stream.alloc_zeros(numbers * slots).map_err(room)?,
            stream.alloc_zeros(integers * slots).map_err(room)?,
        );
        let array = |of| stream.alloc_zeros::<f64>(length(&header, worlds, of).max(1));
        let numbers = [
            array(Numbers::Q)?,
            array(Numbers::V)?,
            array(Numbers::Ctrl)?,
            array(Numbers::Applied)?,
            array(Numbers::Springs)?,
        ];
        let springs = header.max_contacts as usize * worlds;
        let integers = [stream.alloc_zeros(springs.max(1))?, stream.alloc_zeros((COUNTS * worlds).max(1))?];
        let address = |k: usize| numbers[k].device_ptr(&stream).0;
        let of_integers = |k: usize| integers[k].device_ptr(&stream).0;
        let addresses = Addresses {
            q: address(0),
            v: address(1),
            ctrl: address(2),
            applied: address(3),
            spring_pairs: of_integers(0),
            springs: address(4),
            counts: of_integers(1),
        };
        let tables = (padded(&stream, &flat.integers)?, padded(&stream, &flat.numbers)?);
        stream.synchronize()?;
        Ok(Self {
            stream,
            kernel,
            header,
            layout,
            worlds,
            slots,
            lanes,
            tables,
            numbers,
            integers,
            memory,
            addresses,
        })
    }
}

/// A copy on the GPU, of one number at least.
fn padded<T: DeviceRepr + Copy + Default>(
    stream: &Arc<CudaStream>,
    from: &[T],
) -> Result<CudaSlice<T>, GpuError> {
    Ok(if from.is_empty() { stream.clone_htod(&[T::default()])? } else { stream.clone_htod(from)? })
}

impl Backend for Gpu {
    fn read(&self, of: Numbers, at: usize, out: &mut [f64]) -> Result<(), GpuError> {
        if !out.is_empty() {
            let from = self.numbers[of as usize].slice(at..at + out.len());
            self.stream.memcpy_dtoh(&from, out)?;
            self.stream.synchronize()?;
        }
        Ok(())
    }

    fn write(&mut self, of: Numbers, at: usize, from: &[f64]) -> Result<(), GpuError> {
        if !from.is_empty() {
            let mut to = self.numbers[of as usize].slice_mut(at..at + from.len());
            self.stream.memcpy_htod(from, &mut to)?;
        }
        Ok(())
    }

    fn read_integers(&self, of: Integers, at: usize, out: &mut [i32]) -> Result<(), GpuError> {
        if !out.is_empty() {
            let from = self.integers[of as usize].slice(at..at + out.len());
            self.stream.memcpy_dtoh(&from, out)?;
            self.stream.synchronize()?;
        }
        Ok(())
    }

    fn write_integers(&mut self, of: Integers, at: usize, from: &[i32]) -> Result<(), GpuError> {
        if !from.is_empty() {
            let mut to = self.integers[of as usize].slice_mut(at..at + from.len());
            self.stream.memcpy_htod(from, &mut to)?;
        }
        Ok(())
    }

    fn address(&self, of: Numbers) -> Option<u64> {
        let a = &self.addresses;
        Some(match of {
            Numbers::Q => a.q,
            Numbers::V => a.v,
            Numbers::Ctrl => a.ctrl,
            Numbers::Applied => a.applied,
            Numbers::Springs => a.springs,
        })
    }

    #[allow(unsafe_code)]
    fn step(&mut self, steps: usize) -> Result<(), GpuError> {
        let config = LaunchConfig {
            grid_dim: (self.slots as u32, 1, 1),
            block_dim: (self.lanes, 1, 1),
            shared_mem_bytes: 0,
        };
        let header = HeaderArgument(self.header);
        let (worlds, slots, steps) = (self.worlds as i32, self.slots as i32, steps as i32);
        let (memory, integer_memory) = &mut self.memory;
        let mut launch = self.stream.launch_builder(&self.kernel);
        launch.arg(&header).arg(&self.layout).arg(&self.tables.0).arg(&self.tables.1).arg(&self.addresses);
        launch.arg(memory).arg(integer_memory).arg(&worlds).arg(&slots).arg(&steps);
        // SAFETY: the arguments are those of the kernel, and the arrays have the lengths that the header says.
        unsafe { launch.launch(config) }?;
        Ok(())
    }
}

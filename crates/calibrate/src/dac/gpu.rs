//! Training on a GPU (feature `gpu`): the same steps as `network.rs`, a pass over the data in one launch.
//!
//! These networks are so small that a framework's launch for every product would cost more than the product. Here a launch
//! takes all steps of a pass (`descend.cu`); the host only shuffles and watches the loss. The kernels are compiled when they are
//! first needed by NVRTC, which like the driver is found at run time: building needs no CUDA.

use super::network::{Descent, FitOptions, Fitted, Start, Task, descend_by};
use cudarc::driver::sys::{CUdevice_attribute, CUfunction_attribute_enum};
use cudarc::driver::{
    CudaContext, CudaFunction, CudaSlice, CudaStream, DeviceRepr, DriverError, LaunchConfig, PushKernelArg,
};
use std::sync::Arc;
use stiction_dac::{Layer, Mlp};

/// Samples of a batch that a block has; `S` of the kernels.
const SAMPLES: usize = 16;
/// Room of a row of samples; `PAD` of the kernels.
const PAD: usize = 20;
/// Layers at most; `MOST` of the kernels.
const MOST: usize = 6;
const THREADS: usize = 256;

/// A GPU that cannot train.
#[derive(Debug, thiserror::Error)]
pub enum GpuError {
    /// A library that is not there.
    #[error("{0} cannot be loaded: install NVIDIA's driver and CUDA's NVRTC, or train without --gpu")]
    Missing(&'static str),
    /// The kernels do not compile here.
    #[error("the kernels do not compile on this machine: {0}")]
    Compile(String),
    /// The driver refused.
    #[error("the GPU failed: {0}")]
    Driver(#[from] DriverError),
    /// A network that does not fit.
    #[error("a network of layers {0:?} does not fit the GPU's memory of a block: train it without --gpu")]
    TooLarge(Vec<usize>),
}

/// A GPU, ready to train.
pub struct Gpu {
    context: Arc<CudaContext>,
    pass: CudaFunction,
    loss: CudaFunction,
    /// Shared memory of a block, bytes.
    room: usize,
}

/// Sizes of the layers, as the kernels have them.
#[repr(C)]
#[derive(Clone, Copy)]
struct Shape {
    layers: i32,
    sizes: [i32; MOST + 1],
}

// SAFETY: plain numbers in C's layout, the same as `Shape` of the kernels.
#[allow(unsafe_code)]
unsafe impl DeviceRepr for Shape {}

/// Whether the libraries are there that a GPU is used with.
#[allow(unsafe_code)]
pub fn libraries() -> Result<(), GpuError> {
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
    /// The first GPU there is.
    pub fn new() -> Result<Self, GpuError> {
        libraries()?;
        let context = CudaContext::new(0)?;
        let code = cudarc::nvrtc::compile_ptx(include_str!("descend.cu"))
            .map_err(|e| GpuError::Compile(e.to_string()))?;
        let module = context.load_module(code)?;
        let (pass, loss) = (module.load_function("pass")?, module.load_function("loss")?);
        let most = CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN;
        let room = context.attribute(most)? as usize;
        for kernel in [&pass, &loss] {
            let name = CUfunction_attribute_enum::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
            kernel.set_attribute(name, room as i32)?;
        }
        Ok(Self { context, pass, loss, room })
    }

    /// Its name.
    pub fn name(&self) -> String {
        self.context.name().unwrap_or_else(|_| "a GPU".into())
    }

    /// Trains a network as [`super::network::fit`] does, but for rounding.
    pub fn fit(
        &self,
        task: &Task,
        options: &FitOptions,
        progress: impl FnMut(usize, f64),
    ) -> Result<(Mlp, Fitted), GpuError> {
        let Start { layers, order, watched, random } = Start::new(task, options);
        self.context.bind_to_thread()?;
        let mut descent = Training::new(self, task, &layers, &watched, options.batch.max(1))?;
        descend_by(&mut descent, order, random, options, progress)
    }
}

/// One network on the GPU.
struct Training<'a> {
    gpu: &'a Gpu,
    stream: Arc<CudaStream>,
    shape: Shape,
    classes: i32,
    blocks: usize,
    room: u32,
    x: CudaSlice<f32>,
    y: CudaSlice<f32>,
    weight: CudaSlice<f32>,
    watched: CudaSlice<i32>,
    order: CudaSlice<i32>,
    w: CudaSlice<f32>,
    moments: [CudaSlice<f32>; 2],
    shares: CudaSlice<f32>,
}

impl<'a> Training<'a> {
    fn new(
        gpu: &'a Gpu,
        task: &Task,
        start: &[Layer],
        watched: &[usize],
        batch: usize,
    ) -> Result<Self, GpuError> {
        let mut sizes = vec![task.x.nrows()];
        sizes.extend(start.iter().map(|l| l.outputs));
        // What the kernels lay out in shared memory.
        let rows: usize = sizes[..start.len()].iter().map(|s| s + 1).sum();
        let wide = sizes.iter().max().copied().unwrap_or(0);
        let padded: usize = sizes.windows(2).map(|s| (s[0] + 1) * (s[1] + 1)).sum();
        let room = 4 * (2 * rows * PAD + 2 * wide * PAD + THREADS + padded);
        let most = CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT;
        let blocks = batch.div_ceil(SAMPLES);
        let resident = gpu.context.attribute(most)? as usize;
        if start.len() > MOST || room > gpu.room || blocks > resident {
            return Err(GpuError::TooLarge(sizes));
        }
        let mut shape = Shape { layers: start.len() as i32, sizes: [0; MOST + 1] };
        for (to, size) in shape.sizes.iter_mut().zip(&sizes) {
            *to = *size as i32;
        }
        // A layer is (inputs + 1) rows of outputs, the last its bias.
        let mut w = Vec::new();
        for layer in start {
            for i in 0..layer.inputs {
                w.extend((0..layer.outputs).map(|o| layer.weights[o * layer.inputs + i]));
            }
            w.extend(&layer.bias);
        }
        let stream = gpu.context.new_stream()?;
        let numbers = |columns: &[usize]| columns.iter().map(|c| *c as i32).collect::<Vec<i32>>();
        Ok(Self {
            shape,
            classes: i32::from(task.classes),
            blocks,
            room: room as u32,
            x: stream.clone_htod(task.x.as_slice())?,
            y: stream.clone_htod(task.y.as_slice())?,
            weight: stream.clone_htod(&task.weight)?,
            watched: stream.clone_htod(&numbers(watched))?,
            order: stream.alloc_zeros(task.x.ncols().max(1))?,
            moments: [stream.alloc_zeros(w.len())?, stream.alloc_zeros(w.len())?],
            shares: stream.alloc_zeros(w.len() * blocks)?,
            w: stream.clone_htod(&w)?,
            stream,
            gpu,
        })
    }

    fn launch(&self, blocks: usize) -> LaunchConfig {
        LaunchConfig {
            grid_dim: (blocks as u32, 1, 1),
            block_dim: (THREADS as u32, 1, 1),
            shared_mem_bytes: self.room,
        }
    }
}

impl Descent for Training<'_> {
    type Error = GpuError;

    #[allow(unsafe_code)]
    fn pass(&mut self, order: &[usize], batch: usize, rates: &[f32]) -> Result<(), GpuError> {
        let columns: Vec<i32> = order.iter().map(|c| *c as i32).collect();
        self.stream.memcpy_htod(&columns, &mut self.order.slice_mut(..columns.len()))?;
        let rates = self.stream.clone_htod(rates)?;
        let mut gates = self.stream.alloc_zeros::<u32>(1)?;
        let (count, batch) = (columns.len() as i32, batch as i32);
        let config = self.launch(self.blocks);
        let [m, v] = &mut self.moments;
        let mut launch = self.stream.launch_builder(&self.gpu.pass);
        launch.arg(&self.shape).arg(&self.x).arg(&self.y).arg(&self.weight).arg(&self.order);
        launch.arg(&count).arg(&batch).arg(&self.classes).arg(&rates).arg(&mut self.w).arg(m).arg(v);
        launch.arg(&mut self.shares).arg(&mut gates);
        // SAFETY: the arguments are those of `pass`; columns are within the task, and the launch is cooperative, so that its
        // blocks may wait for each other.
        unsafe { launch.launch_cooperative(config) }?;
        Ok(())
    }

    #[allow(unsafe_code)]
    fn loss(&mut self) -> Result<f64, GpuError> {
        let blocks = self.watched.len().div_ceil(SAMPLES).clamp(1, 64);
        let mut out = self.stream.alloc_zeros::<f32>(2 * blocks)?;
        let (count, config) = (self.watched.len() as i32, self.launch(blocks));
        let mut launch = self.stream.launch_builder(&self.gpu.loss);
        launch.arg(&self.shape).arg(&self.x).arg(&self.y).arg(&self.weight).arg(&self.watched);
        launch.arg(&count).arg(&self.classes).arg(&self.w).arg(&mut out);
        // SAFETY: the arguments are those of `loss`; columns are within the task.
        unsafe { launch.launch(config) }?;
        let parts = self.stream.clone_dtoh(&out)?;
        let sum = |first: usize| parts.iter().skip(first).step_by(2).map(|x| f64::from(*x)).sum::<f64>();
        Ok(sum(0) / sum(1).max(1e-12))
    }

    fn layers(&self) -> Result<Vec<Layer>, GpuError> {
        let w = self.stream.clone_dtoh(&self.w)?;
        let mut at = 0;
        let sizes = &self.shape.sizes[..=self.shape.layers as usize];
        let layer = |s: &[i32]| {
            let (inputs, outputs) = (s[0] as usize, s[1] as usize);
            let here = &w[at..at + (inputs + 1) * outputs];
            at += here.len();
            let weights =
                (0..outputs).flat_map(|o| (0..inputs).map(move |i| here[i * outputs + o])).collect();
            Layer { inputs, outputs, weights, bias: here[inputs * outputs..].to_vec() }
        };
        Ok(sizes.windows(2).map(layer).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dac::network::fit;
    use nalgebra::DMatrix;
    use stiction_base::random::Random;

    /// Runs where there is a GPU; elsewhere it can only say that there is none.
    #[test]
    fn a_gpu_learns_what_the_cpu_learns() {
        let gpu = match Gpu::new() {
            Ok(gpu) => gpu,
            Err(error) => {
                assert!(matches!(error, GpuError::Missing(_) | GpuError::Driver(_)), "{error}");
                return;
            }
        };
        let mut random = Random::new(3);
        let n = 3001;
        let x = DMatrix::from_fn(3, n, |_, _| (2.0 * random.unit() - 1.0) as f32);
        for classes in [false, true] {
            let y = DMatrix::from_fn(2, n, |r, c| {
                let product = x[(0, c)] * x[(1, c)] + 0.3 * x[(2, c)];
                if classes { f32::from((product > 0.0) == (r == 0)) } else { product * (r as f32 + 0.5) }
            });
            let held = (0..n).map(|i| i % 10 == 0).collect();
            let weight = (0..n).map(|i| 0.5 + (i % 7) as f32).collect();
            let task = Task { x: x.clone(), y, weight, held, classes };
            let options =
                FitOptions { hidden: vec![24, 17], epochs: 4, batch: 100, rate: 3e-3, patience: 9, seed: 1 };
            let (mut ours, mut theirs) = (Vec::new(), Vec::new());
            let (net, _) = gpu.fit(&task, &options, |_, loss| ours.push(loss)).expect("it trains");
            let (again, _) = gpu.fit(&task, &options, |_, _| {}).expect("it trains");
            assert!(net == again, "training is a function of its seed");
            let _ = fit(&task, &options, |_, loss| theirs.push(loss));
            for (a, b) in ours.iter().zip(&theirs) {
                assert!((a - b).abs() < 1e-3 * b, "{ours:?} {theirs:?}");
            }
        }
    }
}

//! Many worlds of one model, stepped together on a GPU.

use crate::backend::{Backend, COUNTS, Host, Integers, Layout, Numbers, length};
use crate::error::GpuError;
use stiction::flat::FlatModel;
use stiction::state::State;
use stiction::{Model, Options};

/// Where worlds are stepped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Device {
    /// On the processor, by the host build of the kernels: slow, to test and to compare.
    Host,
    /// On the GPU of this number.
    Gpu(usize),
}

/// Memory of a world.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Room {
    /// Most contact points at a time. By default six for each geom that collides, and 32.
    pub contacts: Option<usize>,
}

/// What steps did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Steps, over all worlds, whose solve did not reach its tolerance or that had no room; 0 if all is well.
    pub unconverged: u64,
    /// Worlds that met a number that is not finite. They stay in their last good states.
    pub not_finite: u64,
    /// Worlds that met more contacts than they have room for.
    pub no_room: u64,
    /// Worlds in which two boxes apart by less than 10 µm met corner against corner, whose points the kernels do not have.
    pub no_shape: u64,
    /// Newton iterations, over all worlds and steps.
    pub iterations: u64,
    /// Solves repeated for friction.
    pub friction_passes: u64,
    /// Contact points in the last step, over all worlds.
    pub contacts: u64,
}

/// Worlds of one model, stepped together on a GPU.
pub struct GpuBatch {
    model: Model,
    options: Options,
    flat: FlatModel,
    worlds: usize,
    device: Device,
    backend: Box<dyn Backend>,
    /// Time of all worlds, s.
    time: f64,
}

impl GpuBatch {
    /// `worlds` worlds at the model's default state. What the GPU does not support is an error with the whole list.
    pub fn new(
        model: &Model,
        worlds: usize,
        options: Options,
        device: Device,
        room: Room,
    ) -> Result<Self, GpuError> {
        let geoms = model.world().geoms.len();
        let flat = FlatModel::new(model, &options, room.contacts.unwrap_or(6 * geoms + 32))?;
        let layout = Layout::new(&flat.header);
        let backend: Box<dyn Backend> = match device {
            Device::Host => Box::new(Host::new(&flat, layout, worlds)),
            #[cfg(feature = "cuda")]
            Device::Gpu(index) => Box::new(crate::device::Gpu::new(&flat, layout, worlds, index)?),
            #[cfg(not(feature = "cuda"))]
            Device::Gpu(_) => return Err(GpuError::NotBuilt),
        };
        let mut batch = Self { model: model.clone(), options, flat, worlds, device, backend, time: 0.0 };
        let state = model.default_state();
        batch.set_positions(&state.q.repeat(worlds))?;
        Ok(batch)
    }

    /// The model.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The options of all worlds.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Where the worlds are.
    pub fn device(&self) -> Device {
        self.device
    }

    /// Number of worlds.
    pub fn len(&self) -> usize {
        self.worlds
    }

    /// Whether there are no worlds.
    pub fn is_empty(&self) -> bool {
        self.worlds == 0
    }

    /// Time of all worlds, s: that of their steps.
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Bytes of a world's scratch memory.
    pub fn bytes_of_a_world(&self) -> usize {
        let (numbers, integers) = Layout::new(&self.flat.header).sizes();
        8 * numbers + 4 * integers
    }

    /// Performs `steps` steps in every world and reports them.
    pub fn step(&mut self, steps: usize) -> Result<Report, GpuError> {
        self.launch(steps)?;
        self.report()
    }

    /// Begins `steps` steps in every world without waiting for them. What reads the worlds later waits.
    pub fn launch(&mut self, steps: usize) -> Result<(), GpuError> {
        self.backend.step(steps)?;
        self.time += steps as f64 * self.options.step;
        Ok(())
    }

    fn counts(&self) -> Result<Vec<i32>, GpuError> {
        let mut counts = vec![0; COUNTS * self.worlds];
        self.backend.read_integers(Integers::Counts, 0, &mut counts)?;
        Ok(counts)
    }

    /// What the steps since the last report did, once they are done.
    pub fn report(&mut self) -> Result<Report, GpuError> {
        let mut report = Report::default();
        let mut counts = self.counts()?;
        for world in counts.chunks_exact_mut(COUNTS) {
            let [_, status, iterations, passes, contacts, unconverged, ..] = *world else { continue };
            let has = |bit: i32| u64::from(status & bit != 0);
            report.unconverged += unconverged as u64;
            report.not_finite += has(2);
            report.no_room += has(4);
            report.no_shape += has(16);
            report.iterations += iterations as u64;
            report.friction_passes += passes as u64;
            report.contacts += contacts as u64;
            [1, 2, 3, 5].into_iter().for_each(|k| world[k] = 0);
        }
        self.backend.write_integers(Integers::Counts, 0, &counts)?;
        Ok(report)
    }

    fn read(&self, of: Numbers) -> Result<Vec<f64>, GpuError> {
        let mut out = vec![0.0; length(&self.flat.header, self.worlds, of)];
        self.backend.read(of, 0, &mut out)?;
        Ok(out)
    }

    fn write(&mut self, what: &'static str, of: Numbers, from: &[f64]) -> Result<(), GpuError> {
        let needed = length(&self.flat.header, self.worlds, of);
        if from.len() != needed {
            return Err(GpuError::Length { what, given: from.len(), needed });
        }
        self.backend.write(of, 0, from)
    }

    /// Positions of all worlds, nq numbers each.
    pub fn positions(&self) -> Result<Vec<f64>, GpuError> {
        self.read(Numbers::Q)
    }

    /// Velocities of all worlds, nv numbers each.
    pub fn velocities(&self) -> Result<Vec<f64>, GpuError> {
        self.read(Numbers::V)
    }

    /// Controls of all worlds, nu numbers each.
    pub fn controls(&self) -> Result<Vec<f64>, GpuError> {
        self.read(Numbers::Ctrl)
    }

    /// Forces applied to the coordinates of all worlds, nv numbers each.
    pub fn applied(&self) -> Result<Vec<f64>, GpuError> {
        self.read(Numbers::Applied)
    }

    /// Sets the positions of all worlds.
    pub fn set_positions(&mut self, q: &[f64]) -> Result<(), GpuError> {
        self.write("qpos", Numbers::Q, q)
    }

    /// Sets the velocities of all worlds.
    pub fn set_velocities(&mut self, v: &[f64]) -> Result<(), GpuError> {
        self.write("qvel", Numbers::V, v)
    }

    /// Sets the controls of all worlds, nu numbers each, held until they are changed.
    pub fn set_controls(&mut self, ctrl: &[f64]) -> Result<(), GpuError> {
        self.write("ctrl", Numbers::Ctrl, ctrl)
    }

    /// Sets the forces applied to the coordinates of all worlds, nv numbers each.
    pub fn set_applied(&mut self, applied: &[f64]) -> Result<(), GpuError> {
        self.write("applied", Numbers::Applied, applied)
    }

    /// Contact points of each world in the last step.
    pub fn contact_counts(&self) -> Result<Vec<i32>, GpuError> {
        Ok(self.counts()?.chunks_exact(COUNTS).map(|c| c[4]).collect())
    }

    /// Addresses of positions, velocities and controls in the GPU's memory, for other programs that share it; none on the host.
    pub fn addresses(&self) -> Option<[u64; 3]> {
        let [q, v, ctrl] = [Numbers::Q, Numbers::V, Numbers::Ctrl].map(|of| self.backend.address(of));
        Some([q?, v?, ctrl?])
    }

    /// Puts a world into a state of the model: positions, velocities, controls, applied forces and the springs of its contacts.
    pub fn set_state(&mut self, world: usize, state: &State) -> Result<(), GpuError> {
        if world >= self.worlds {
            return Err(GpuError::World(world));
        }
        let h = self.flat.header;
        let [nq, nv, nu, room] = [h.nq, h.nv, h.nu, h.max_contacts].map(|n| n as usize);
        for (what, of, n, from) in [
            ("qpos", Numbers::Q, nq, &state.q),
            ("qvel", Numbers::V, nv, &state.v),
            ("ctrl", Numbers::Ctrl, nu, &state.ctrl),
            ("applied", Numbers::Applied, nv, &state.applied),
        ] {
            if from.len() != n {
                return Err(GpuError::Length { what, given: from.len(), needed: n });
            }
            self.backend.write(of, n * world, from)?;
        }
        let (mut pairs, mut numbers) = self.flat.springs(&self.model, state);
        pairs.truncate(room);
        numbers.truncate(6 * room);
        self.backend.write_integers(Integers::SpringPairs, room * world, &pairs)?;
        self.backend.write(Numbers::Springs, 6 * room * world, &numbers)?;
        let mut counts = [0; COUNTS];
        counts[0] = pairs.len() as i32;
        self.backend.write_integers(Integers::Counts, COUNTS * world, &counts)
    }

    /// The state of a world.
    pub fn state(&self, world: usize) -> Result<State, GpuError> {
        if world >= self.worlds {
            return Err(GpuError::World(world));
        }
        let h = self.flat.header;
        let mut state = self.model.default_state();
        state.time = self.time;
        let [nq, nv, nu, room] = [h.nq, h.nv, h.nu, h.max_contacts].map(|n| n as usize);
        self.backend.read(Numbers::Q, nq * world, &mut state.q)?;
        self.backend.read(Numbers::V, nv * world, &mut state.v)?;
        self.backend.read(Numbers::Ctrl, nu * world, &mut state.ctrl)?;
        self.backend.read(Numbers::Applied, nv * world, &mut state.applied)?;
        let mut counts = [0; COUNTS];
        self.backend.read_integers(Integers::Counts, COUNTS * world, &mut counts)?;
        let springs = counts[0] as usize;
        let (mut pairs, mut numbers) = (vec![0; springs], vec![0.0; 6 * springs]);
        self.backend.read_integers(Integers::SpringPairs, room * world, &mut pairs)?;
        self.backend.read(Numbers::Springs, 6 * room * world, &mut numbers)?;
        state.stretches = self.flat.stretches(&self.model, &pairs, &numbers);
        Ok(state)
    }
}

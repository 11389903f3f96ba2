//! `stiction.view`: the live page of a simulation.
//!
//! A thread of the viewer's own steps the simulation while a page says play, as a Python thread that calls `sim.step`
//! would: it takes the simulation's lock for a few milliseconds at a time, reads the arrays before and writes them after.
//! Whoever else wants the simulation meanwhile waits for these milliseconds.

use crate::errors::{BusyError, FileError, InputError};
use crate::fork::{Origin, of_parent};
use crate::recording::{joints, record_error};
use crate::simulation::Simulation;
use pyo3::exceptions::{PyKeyboardInterrupt, PyUserWarning};
use pyo3::prelude::*;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;
use stiction_viewer::{Live, LiveError, LiveOptions};

/// What the viewer's thread and the simulation share.
pub struct Shared {
    pub live: Mutex<Live>,
    /// Whether the viewer's thread has the simulation, or is about to.
    pub busy: AtomicBool,
    stop: AtomicBool,
    url: String,
}

/// Name of viewers' threads.
pub const THREAD: &str = "stiction-viewer";

impl Shared {
    pub fn url(&self) -> &str {
        &self.url
    }
}

/// A live page of a simulation, from stiction.view. It is served until close() or the end of the program; as a
/// context manager, until the end of the block.
#[pyclass(frozen, module = "stiction")]
pub struct Viewer {
    simulation: Py<Simulation>,
    shared: Arc<Shared>,
    thread: Mutex<Option<JoinHandle<()>>>,
    origin: Origin,
}

#[pymethods]
impl Viewer {
    /// Address of the page, for a browser.
    #[getter]
    fn url(&self) -> &str {
        &self.shared.url
    }

    /// Number of pages that are connected.
    #[getter]
    fn clients(&self, py: Python<'_>) -> usize {
        // Whoever has it may be waiting for the interpreter, in a controller.
        py.detach(|| self.shared.live.lock().unwrap_or_else(PoisonError::into_inner).server().clients())
    }

    /// Whether the page is served.
    #[getter]
    fn running(&self) -> bool {
        !self.shared.stop.load(Ordering::Relaxed)
    }

    /// Waits until the viewer is closed by another thread, or Ctrl-C closes it.
    fn wait(&self, py: Python<'_>) -> PyResult<()> {
        while self.running() {
            py.detach(|| std::thread::sleep(Duration::from_millis(50)));
            if let Err(error) = py.check_signals() {
                self.close(py)?;
                return if error.is_instance_of::<PyKeyboardInterrupt>(py) { Ok(()) } else { Err(error) };
            }
        }
        Ok(())
    }

    /// Stops serving the page. The simulation does not change.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        if self.origin.left() {
            return Err(of_parent("this page"));
        }
        self.shared.stop.store(true, Ordering::Relaxed);
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        py.detach(|| thread.map(JoinHandle::join));
        self.simulation.get().forget_viewer(&self.shared);
        Ok(())
    }

    fn __enter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, py: Python<'_>, _exception: &Bound<'_, PyAny>) -> PyResult<()> {
        self.close(py)
    }

    fn __repr__(&self) -> String {
        format!("<stiction.Viewer at {}{}>", self.url(), if self.running() { "" } else { ", closed" })
    }
}

/// Serves a live page of a simulation and opens it in the browser.
///
/// Parameters
/// ----------
/// sim : Simulation
///     A stiction.Simulation. The page shows its state and its steps, and has controls to run, pause, step and reset it (to its
///     present state), to change its speed and its controls, and to apply forces.
/// port : int, optional
///     Port to listen on; 0 takes a free one.
/// address : str, optional
///     Address to listen on. Anyone who can reach it can watch and control the simulation; any address but the local one is a
///     warning.
/// open : bool, optional
///     Whether to open the browser.
/// block : bool, optional
///     True waits until Ctrl-C; False returns at once, and the page is served until close() or the end of the program.
/// paused : bool, optional
///     False lets the simulation run in real time from the beginning.
/// name : str, optional
///     Title of the page; the model's name by default.
/// joints : list of str, optional
///     Names of joints to plot; all by default, unless there are too many.
///
/// Returns
/// -------
/// Viewer
///     A stiction.Viewer.
///
/// Raises
/// ------
/// OSError
///     If the address is not available.
/// RuntimeError
///     If the simulation has a page already.
#[pyfunction]
#[pyo3(signature = (sim, port=0, address="127.0.0.1", open=true, block=false, paused=true, name=None, joints=None))]
pub fn view(
    py: Python<'_>,
    sim: Py<Simulation>,
    port: u16,
    address: &str,
    open: bool,
    block: bool,
    paused: bool,
    name: Option<String>,
    joints: Option<Vec<String>>,
) -> PyResult<Py<Viewer>> {
    let ip: IpAddr = address.parse().map_err(|_| {
        InputError::new_err(format!("address = \"{address}\": give an IP address, such as 127.0.0.1"))
    })?;
    let options = LiveOptions {
        name: name.unwrap_or_else(|| sim.get().model_of().inner.world().name.clone()),
        address: ip,
        port,
        paused,
        joints: self::joints(joints),
        ..LiveOptions::default()
    };
    let shared = sim.get().with_state(py, |inner| {
        Live::start(inner, &options).map_err(|error| match error {
            LiveError::Listen { .. } => FileError::new_err(error.to_string()),
            LiveError::Rate(_) => InputError::new_err(error.to_string()),
            LiveError::Record(error) => record_error(error),
        })
    })?;
    let (url, address) = (shared.url(), shared.server().address());
    let shared = Arc::new(Shared {
        live: Mutex::new(shared),
        busy: AtomicBool::new(false),
        stop: AtomicBool::new(false),
        url: url.clone(),
    });
    sim.get().adopt_viewer(&shared).map_err(|url| {
        BusyError::new_err(format!("this simulation is on a page already, {url}: close that viewer first"))
    })?;
    let (own, simulation) = (shared.clone(), sim.clone_ref(py));
    let builder = std::thread::Builder::new().name(THREAD.into());
    let thread = builder.spawn(move || drive(&own, simulation))?;
    let viewer = Py::new(
        py,
        Viewer { simulation: sim, shared, thread: Mutex::new(Some(thread)), origin: Origin::here() },
    )?;
    if !ip.is_loopback() {
        let text = format!("anyone who can reach {address} can watch and control this simulation");
        let text = std::ffi::CString::new(text)?;
        PyErr::warn(py, &py.get_type::<PyUserWarning>(), &text, 1)?;
    }
    if open {
        py.import("webbrowser")?.call_method1("open", (&url,))?;
    }
    if block {
        viewer.get().wait(py)?;
    }
    Ok(viewer)
}

/// The viewer's thread: obeys the pages until the viewer is closed or the interpreter ends.
fn drive(shared: &Shared, simulation: Py<Simulation>) {
    while !shared.stop.load(Ordering::Relaxed) {
        let pause = Python::try_attach(|py| simulation.get().tick(py, shared));
        match pause {
            Some(pause) => std::thread::sleep(pause),
            None => {
                // The interpreter is ending: what it owns must not be touched any more.
                std::mem::forget(simulation);
                return;
            }
        }
    }
    // Dropped while attached: a reference that falls otherwise waits for the next call of the interpreter.
    let mut simulation = Some(simulation);
    if Python::try_attach(|_| drop(simulation.take())).is_none() {
        std::mem::forget(simulation);
    }
}

//! `stiction.view`: the live page of a simulation.
//!
//! A thread of the viewer's own steps the simulation while a page says play, as a Python thread that calls `sim.step`
//! would: it takes the simulation's lock for a few milliseconds at a time, reads the arrays before and writes them after.
//! Whoever else wants the simulation meanwhile waits for these milliseconds.

use crate::errors::{BusyError, FileError, InputError, InputTypeError};
use crate::fork::{Origin, of_parent};
use crate::recording::{escaped, finite, frame, joints, record_error};
use crate::simulation::Simulation;
use pyo3::exceptions::{PyKeyboardInterrupt, PyUserWarning};
use pyo3::prelude::*;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;
use stiction_viewer::{Live, LiveError, LiveOptions, UserChannel, Widget};

/// What the viewer's thread and the simulation share.
pub struct Shared {
    pub live: Mutex<Live>,
    /// Whether the viewer's thread has the simulation, or is about to.
    pub busy: AtomicBool,
    stop: AtomicBool,
    url: String,
    /// What to call when a slider or button is used, by its number.
    callbacks: Mutex<Vec<Option<Py<PyAny>>>>,
}

/// Name of viewers' threads.
pub const THREAD: &str = "stiction-viewer";

impl Shared {
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The page; whoever has it may be waiting for the interpreter, in a controller.
    fn with_live<T: Send>(&self, py: Python<'_>, look: impl FnOnce(&mut Live) -> T + Send) -> T {
        py.detach(|| look(&mut self.live.lock().unwrap_or_else(PoisonError::into_inner)))
    }

    /// Calls what belongs to the sliders and buttons that were used, with no lock held.
    fn call_back(&self, py: Python<'_>) {
        let used = self.with_live(py, |live| {
            let used = live.used_widgets();
            used.into_iter().map(|i| (i, live.widget(i).cloned())).collect::<Vec<_>>()
        });
        for (index, widget) in used {
            let callbacks = self.callbacks.lock().unwrap_or_else(PoisonError::into_inner);
            let callback = callbacks.get(index).and_then(|c| c.as_ref().map(|c| c.clone_ref(py)));
            drop(callbacks);
            let Some(callback) = callback else { continue };
            let outcome = match widget {
                Some(Widget::Slider { value, .. }) => callback.call1(py, (value,)),
                _ => callback.call0(py),
            };
            if let Err(error) = outcome {
                error.write_unraisable(py, Some(callback.bind(py)));
            }
        }
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
        self.shared.with_live(py, |live| live.server().clients())
    }

    /// Whether the page is served.
    #[getter]
    fn running(&self) -> bool {
        !self.shared.stop.load(Ordering::Relaxed)
    }

    /// Puts a slider on the page.
    ///
    /// Parameters
    /// ----------
    /// name : str
    ///     What the page calls it.
    /// low, high : float
    ///     Its ends.
    /// value : float, optional
    ///     Where it stands; in the middle by default.
    /// unit : str, optional
    ///     Unit that the page shows.
    /// on_change : callable, optional
    ///     Called with the value when somebody moves it, on the viewer's thread between steps; it may use the simulation.
    ///
    /// Returns
    /// -------
    /// Slider
    ///     A stiction.Slider: its value follows the page and may be set.
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     For ends that make no sense, or a name that is there already.
    #[pyo3(signature = (name, low, high, value=None, *, unit="", on_change=None))]
    fn add_slider<'py>(
        slf: &Bound<'py, Self>,
        name: String,
        low: f64,
        high: f64,
        value: Option<f64>,
        unit: &str,
        on_change: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let value = value.unwrap_or(0.5 * (low + high));
        let widget = Widget::Slider { name: name.clone(), low, high, value, unit: unit.into() };
        let index = slf.get().add(slf.py(), widget, on_change)?;
        slf.py().import("stiction._view")?.getattr("Slider")?.call1((slf, index, name))
    }

    /// Puts a button on the page.
    ///
    /// Parameters
    /// ----------
    /// name : str
    ///     What the page calls it.
    /// on_press : callable, optional
    ///     Called without arguments when somebody presses it, on the viewer's thread between steps; it may use the simulation.
    ///
    /// Returns
    /// -------
    /// Button
    ///     A stiction.Button, which counts its presses.
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     For a name that is there already.
    #[pyo3(signature = (name, *, on_press=None))]
    fn add_button<'py>(
        slf: &Bound<'py, Self>,
        name: String,
        on_press: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let widget = Widget::Button { name: name.clone(), presses: 0 };
        let index = slf.get().add(slf.py(), widget, on_press)?;
        slf.py().import("stiction._view")?.getattr("Button")?.call1((slf, index, name))
    }

    /// Shows a number among the plots. It is held until it is set again; the first call for a channel starts the plots anew. After
    /// that it may be called in controllers.
    ///
    /// Parameters
    /// ----------
    /// channel : str
    ///     Its name.
    /// value : float
    ///     In the unit of the channel.
    /// unit : str, optional
    ///     Unit of a new channel.
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     For a value that is not finite.
    #[pyo3(signature = (channel, value, *, unit=""))]
    fn log(&self, py: Python<'_>, channel: &str, value: f64, unit: &str) -> PyResult<()> {
        finite(value)?;
        if !self.shared.with_live(py, |live| live.logs(channel)) {
            let channel = UserChannel { name: channel.into(), unit: unit.into() };
            self.simulation.get().with_state(py, |inner| {
                let channel = &channel;
                self.shared.with_live(py, move |live| live.add_channel(inner, channel)).map_err(record_error)
            })?;
        }
        self.shared.with_live(py, |live| live.log(channel, value)).map_err(record_error)
    }

    /// Where a slider stands, or how often a button was pressed.
    fn _widget_value(&self, py: Python<'_>, index: usize) -> f64 {
        self.shared.with_live(py, |live| live.widget(index).map_or(0.0, Widget::value))
    }

    /// Moves a slider.
    fn _set_widget(&self, py: Python<'_>, index: usize, value: f64) -> PyResult<()> {
        finite(value)?;
        self.shared.with_live(py, |live| live.set_widget(index, value));
        Ok(())
    }

    /// The page inline in a notebook that runs in a browser on this machine.
    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        if !self.running() {
            return escaped(py, &self.__repr__());
        }
        Ok(frame(&format!("src=\"{}\"", escaped(py, self.url())?)))
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
        let callbacks =
            std::mem::take(&mut *self.shared.callbacks.lock().unwrap_or_else(PoisonError::into_inner));
        drop(callbacks);
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

impl Viewer {
    fn add(&self, py: Python<'_>, widget: Widget, callback: Option<Py<PyAny>>) -> PyResult<usize> {
        if let Some(callback) = &callback
            && !callback.bind(py).is_callable()
        {
            return Err(InputTypeError::new_err("give a function to call, or None"));
        }
        let index = self.shared.with_live(py, |live| live.add_widget(widget)).map_err(InputError::new_err)?;
        let mut callbacks = self.shared.callbacks.lock().unwrap_or_else(PoisonError::into_inner);
        callbacks.resize_with(index, || None);
        callbacks.push(callback);
        Ok(index)
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
        callbacks: Mutex::new(Vec::new()),
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
        let pause = Python::try_attach(|py| {
            let pause = simulation.get().tick(py, shared);
            shared.call_back(py);
            pause
        });
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

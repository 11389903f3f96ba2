//! `stiction.Renderer`: pictures as arrays.

use crate::errors::{InputError, InputTypeError, detached};
use crate::films::picture_error;
use crate::model::Model;
use crate::simulation::Simulation;
use numpy::{IntoPyArray, PyArray2, PyArray3, PyArrayMethods};
use pyo3::prelude::*;
use std::sync::{Mutex, PoisonError};
use stiction_picture::{FreeCamera, Look, Marks, PictureError, Shapes, Viewpoint};

/// Draws pictures, depth (m) and segmentation of simulations of one model, without a screen or a graphics card.
///
/// Parameters
/// ----------
/// model : Model
///     A stiction.Model.
/// width, height : int, optional
///     Size of the pictures, pixels.
/// shapes : {"visual", "collision"}, optional
///     Which geoms are drawn.
/// patches : bool, optional
///     Whether contact patches are drawn, by pressure.
/// forces : bool, optional
///     Whether contact forces are drawn as arrows.
/// ground : bool, optional
///     Whether a grid is drawn under a scene that has no ground.
///
/// Raises
/// ------
/// ValueError
///     For a size that cannot be drawn.
///
/// Examples
/// --------
///     renderer = st.Renderer(model, 640, 480)
///     rgb = renderer.render(sim)
///     near = renderer.depth(sim, camera="wrist") < 0.3
#[pyclass(frozen, module = "stiction")]
pub struct Renderer {
    model: Py<Model>,
    inner: Mutex<stiction_picture::Renderer>,
    look: Look,
    size: [usize; 2],
}

#[pymethods]
impl Renderer {
    #[new]
    #[pyo3(
        signature = (model, width=640, height=480, *, shapes="visual", patches=true, forces=false, ground=true)
    )]
    fn new(
        py: Python<'_>,
        model: Py<Model>,
        #[pyo3(from_py_with = crate::indices::whole)] width: usize,
        #[pyo3(from_py_with = crate::indices::whole)] height: usize,
        shapes: &str,
        patches: bool,
        forces: bool,
        ground: bool,
    ) -> PyResult<Self> {
        let shapes = match shapes {
            "visual" => Shapes::Visual,
            "collision" => Shapes::Collision,
            other => {
                return Err(InputError::new_err(format!(
                    "shapes = \"{other}\": give \"visual\" or \"collision\""
                )));
            }
        };
        let most = stiction_picture::picture::MOST_PIXELS;
        if ![width, height].iter().all(|n| (1..=most).contains(n)) {
            return Err(picture_error(&PictureError::Size { width, height, most }));
        }
        let look = Look { shapes, marks: Marks { patches, forces }, reference_ground: ground };
        let inner = {
            let model = model.get().inner.clone();
            detached(py, move || stiction_picture::Renderer::new(&model, look))?
        };
        Ok(Self { model, inner: Mutex::new(inner), look, size: [width, height] })
    }

    fn __getnewargs_ex__(&self, py: Python<'_>) -> PyResult<(NewArguments, Py<PyAny>)> {
        let keywords = pyo3::types::PyDict::new(py);
        let shapes = if self.look.shapes == Shapes::Visual { "visual" } else { "collision" };
        keywords.set_item("shapes", shapes)?;
        keywords.set_item("patches", self.look.marks.patches)?;
        keywords.set_item("forces", self.look.marks.forces)?;
        keywords.set_item("ground", self.look.reference_ground)?;
        Ok(((self.model.clone_ref(py), self.size[0], self.size[1]), keywords.into_any().unbind()))
    }

    /// Width of the pictures, pixels.
    #[getter]
    fn width(&self) -> usize {
        self.size[0]
    }

    /// Height of the pictures, pixels.
    #[getter]
    fn height(&self) -> usize {
        self.size[1]
    }

    /// The present state in colour.
    ///
    /// Parameters
    /// ----------
    /// sim : Simulation
    ///     A stiction.Simulation of the model, or of a variant of it.
    /// camera : str, int or FreeCamera, optional
    ///     A camera of the model, or a free one. By default everything that moves fills the picture; this camera stays where it was at
    ///     the first picture, until refit().
    ///
    /// Returns
    /// -------
    /// numpy.ndarray
    ///     Red, green and blue, shape (height, width, 3), uint8, from the top.
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     For an unknown camera, or a simulation of another model.
    #[pyo3(signature = (sim, camera=None))]
    fn render<'py>(
        &self,
        py: Python<'py>,
        sim: &Bound<'py, Simulation>,
        camera: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray3<u8>>> {
        let [width, height] = self.size;
        let picture =
            self.drawn(py, sim, camera, |inner, sim, view| inner.picture(sim, view, width, height))?;
        picture.rgb.into_pyarray(py).reshape([height, width, 3])
    }

    /// Distances along the camera's axis in the present state, at the middle of each pixel.
    ///
    /// Parameters
    /// ----------
    /// sim : Simulation
    ///     A stiction.Simulation of the model, or of a variant of it.
    /// camera : str, int or FreeCamera, optional
    ///     As in render.
    ///
    /// Returns
    /// -------
    /// numpy.ndarray
    ///     Depth, m, shape (height, width), float32; infinite where nothing is seen.
    #[pyo3(signature = (sim, camera=None))]
    fn depth<'py>(
        &self,
        py: Python<'py>,
        sim: &Bound<'py, Simulation>,
        camera: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let [width, height] = self.size;
        let sight = self.drawn(py, sim, camera, |inner, sim, view| inner.sight(sim, view, width, height))?;
        sight.depth.into_pyarray(py).reshape([height, width])
    }

    /// Which geom is seen at the middle of each pixel in the present state.
    ///
    /// Parameters
    /// ----------
    /// sim : Simulation
    ///     A stiction.Simulation of the model, or of a variant of it.
    /// camera : str, int or FreeCamera, optional
    ///     As in render.
    ///
    /// Returns
    /// -------
    /// numpy.ndarray
    ///     Ids of geoms, in the order of Model.geom_names, shape (height, width), int32; −1 where nothing is seen.
    #[pyo3(signature = (sim, camera=None))]
    fn segmentation<'py>(
        &self,
        py: Python<'py>,
        sim: &Bound<'py, Simulation>,
        camera: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray2<i32>>> {
        let [width, height] = self.size;
        let sight = self.drawn(py, sim, camera, |inner, sim, view| inner.sight(sim, view, width, height))?;
        sight.geoms.into_pyarray(py).reshape([height, width])
    }

    /// The camera from which everything that moves is seen, to be turned or moved.
    ///
    /// Parameters
    /// ----------
    /// sim : Simulation
    ///     A stiction.Simulation of the model.
    ///
    /// Returns
    /// -------
    /// FreeCamera
    ///     A stiction.FreeCamera; its _replace changes single numbers.
    fn fitted<'py>(&self, py: Python<'py>, sim: &Bound<'py, Simulation>) -> PyResult<Bound<'py, PyAny>> {
        let camera = self.drawn(py, sim, None, |inner, sim, _| Ok(inner.fitted(sim)))?;
        let FreeCamera { target, distance, azimuth, elevation, field_of_view } = camera;
        let class = py.import("stiction._results")?.getattr("FreeCamera")?;
        class.call1((target.to_vec(), distance, azimuth, elevation, field_of_view))
    }

    /// Fits the default camera anew at the next picture.
    fn refit(&self) {
        self.lock().refit();
    }

    fn __repr__(&self) -> String {
        let name = &self.model.get().inner.world().name;
        format!("<stiction.Renderer of \"{name}\", {} × {} pixels>", self.size[0], self.size[1])
    }
}

/// What makes the same renderer, for pickle.
type NewArguments = (Py<Model>, usize, usize);

impl Renderer {
    fn lock(&self) -> std::sync::MutexGuard<'_, stiction_picture::Renderer> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Draws the present state, what Python wrote to the arrays included.
    fn drawn<T: Send>(
        &self,
        py: Python<'_>,
        sim: &Bound<'_, Simulation>,
        camera: Option<&Bound<'_, PyAny>>,
        draw: impl FnOnce(
            &mut stiction_picture::Renderer,
            &stiction::Simulation,
            &Viewpoint,
        ) -> Result<T, PictureError>
        + Send,
    ) -> PyResult<T> {
        let view = viewpoint(camera)?;
        sim.get().with_state(py, |simulation| {
            let drawn = detached(py, move || draw(&mut self.lock(), simulation, &view))?;
            drawn.map_err(|error| picture_error(&error))
        })
    }
}

/// A camera of the model, or a free one.
pub fn viewpoint(camera: Option<&Bound<'_, PyAny>>) -> PyResult<Viewpoint> {
    let Some(camera) = camera else { return Ok(Viewpoint::Fitted) };
    if let Ok(name) = camera.extract::<String>() {
        return Ok(Viewpoint::Camera(name));
    }
    if let Ok(number) = camera.extract::<usize>() {
        return Ok(Viewpoint::Camera(number.to_string()));
    }
    let wrong = || {
        InputTypeError::new_err(format!(
            "camera = {camera}: give the name or number of a camera of the model, or a stiction.FreeCamera"
        ))
    };
    let (target, distance, azimuth, elevation, field_of_view) =
        camera.extract::<([f64; 3], f64, f64, f64, f64)>().map_err(|_| wrong())?;
    let camera = FreeCamera { target, distance, azimuth, elevation, field_of_view };
    camera.check().map_err(|error| picture_error(&error))?;
    Ok(Viewpoint::Free(camera))
}

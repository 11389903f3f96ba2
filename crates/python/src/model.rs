//! `stiction.Model`: a compiled model.
//!
//! Here: reading, writing and varying it. `names`: what it holds; `dynamics`: dynamics at single states; `frames`: poses and
//! Jacobians there.

mod dynamics;
mod frames;
mod names;

pub use names::{body_of, unknown};

use crate::arrays::vector;
use crate::changes::Changes;
use crate::errors::{InputError, detached, load_error};
use crate::scratch::Scratch;
use crate::stepping::interruptible;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};
use std::path::PathBuf;
use std::sync::Mutex;
use stiction::{Format, LoadOptions};

/// A compiled model: bodies, joints, shapes and actuators, ready to compute with.
///
/// Made by Model.from_file, Model.from_string or Model.from_scene. It never changes, so simulations and
/// threads can share it. It pickles, meshes included.
///
/// q has nq numbers and v has nv, laid out as MuJoCo's qpos and qvel. Units are SI, angles in radians.
/// Bodies, joints, geoms and actuators have ids: their indices in body_names (0 is the world),
/// joint_names, geom_names and actuator_names.
#[pyclass(frozen, module = "stiction")]
pub struct Model {
    pub inner: stiction::Model,
    scratch: Mutex<Scratch>,
}

impl From<stiction::Model> for Model {
    fn from(inner: stiction::Model) -> Self {
        Self { scratch: Mutex::new(Scratch::new(&inner)), inner }
    }
}

#[pymethods]
impl Model {
    /// Reads a model file: MJCF (.xml), URDF (.urdf), SDFormat (.sdf) or model directives (.dmd.yaml).
    ///
    /// Parameters
    /// ----------
    /// path : str or path-like
    ///     The file, or the name of a built-in scene (see stiction.scenes()) if no such file exists.
    /// fixed_base : bool, optional
    ///     Fix the roots of a URDF or SDFormat model to the world; by default they are free.
    /// strict : bool, optional
    ///     Raise an error for the first unsupported element instead of listing it in warnings.
    /// package_paths : list of str or path-like, optional
    ///     Folders of ROS packages, or folders that contain them, for package:// addresses.
    /// convex_parts : int, optional
    ///     Cut every collision mesh that is not convex into at most this many convex parts, 1 to 1024. How far they differ from
    ///     the mesh is one of the warnings. By default meshes collide as the file says.
    ///
    /// Returns
    /// -------
    /// Model
    ///     The model.
    ///
    /// Raises
    /// ------
    /// ModelError
    ///     , which names the file, the element and the remedy.
    /// ValueError
    ///     For a number of convex parts out of range.
    #[staticmethod]
    #[pyo3(signature = (path, fixed_base=false, strict=false, package_paths=Vec::new(), convex_parts=None),
           text_signature = "(path, fixed_base=False, strict=False, package_paths=[], convex_parts=None)")]
    fn from_file(
        py: Python<'_>,
        path: PathBuf,
        fixed_base: bool,
        strict: bool,
        package_paths: Vec<PathBuf>,
        convex_parts: Option<u32>,
    ) -> PyResult<Self> {
        let options = load_options(fixed_base, strict, &package_paths, convex_parts)?;
        let scene = path.to_str().filter(|_| !path.exists()).and_then(stiction::scenes::text);
        let inner = interruptible(py, move || match scene {
            Some(text) => stiction::Model::from_string(text, Format::Mjcf, &options),
            None => stiction::Model::from_file(&path, &options),
        })?;
        Ok(inner.map_err(load_error)?.into())
    }

    /// Reads a model from text.
    ///
    /// Parameters
    /// ----------
    /// text : str
    ///     The content of a model file.
    /// format : {"mjcf", "urdf", "sdf", "dmd"}, optional
    ///     "mjcf", "urdf", "sdf" or "dmd" (model directives).
    /// fixed_base, strict, package_paths, convex_parts : bool, list of str or path-like, or int, optional
    ///     As for from_file. Mesh files are looked up from the current folder.
    ///
    /// Returns
    /// -------
    /// Model
    ///     The model.
    ///
    /// Raises
    /// ------
    /// ModelError
    ///     , which names the element and the remedy.
    /// ValueError
    ///     For an unknown format.
    #[staticmethod]
    #[pyo3(signature = (text, format="mjcf", fixed_base=false, strict=false, package_paths=Vec::new(), convex_parts=None),
           text_signature = "(text, format='mjcf', fixed_base=False, strict=False, package_paths=[], convex_parts=None)")]
    fn from_string(
        py: Python<'_>,
        text: &str,
        format: &str,
        fixed_base: bool,
        strict: bool,
        package_paths: Vec<PathBuf>,
        convex_parts: Option<u32>,
    ) -> PyResult<Self> {
        let format = match format {
            "mjcf" => Format::Mjcf,
            "urdf" => Format::Urdf,
            "sdf" => Format::Sdf,
            "dmd" => Format::Dmd,
            other => {
                let text = format!(
                    "unknown format \"{other}\": choose mjcf, urdf or sdf (or dmd for model directives)"
                );
                return Err(InputError::new_err(text));
            }
        };
        let options = load_options(fixed_base, strict, &package_paths, convex_parts)?;
        let text = text.to_string();
        let inner = interruptible(py, move || stiction::Model::from_string(&text, format, &options))?;
        Ok(inner.map_err(load_error)?.into())
    }

    /// Loads a built-in scene.
    ///
    /// Parameters
    /// ----------
    /// name : str
    ///     One of stiction.scenes().
    ///
    /// Returns
    /// -------
    /// Model
    ///     The model.
    ///
    /// Raises
    /// ------
    /// ModelError
    ///     For an unknown name.
    #[staticmethod]
    fn from_scene(py: Python<'_>, name: &str) -> PyResult<Self> {
        let inner = detached(py, || stiction::Model::from_scene(name))?;
        Ok(inner.map_err(load_error)?.into())
    }

    /// A variant of this model: the same bodies, joints and geoms with other properties. This model does not change; states of one are
    /// states of the other.
    ///
    /// Parameters
    /// ----------
    /// gravity : array_like, optional
    ///     Acceleration of gravity in the world, m/s², shape (3,).
    /// mass : dict, optional
    ///     Dict from bodies (names or ids, "*" for all) to masses, kg; rotational inertia follows in proportion.
    /// friction : dict, optional
    ///     Dict from geoms (names or ids, "*" for all) to coefficients of friction, static and dynamic.
    /// static_friction : dict, optional
    ///     The same for static friction alone.
    /// stiffness : dict, optional
    ///     The same for stiffness of point contact, N/m.
    /// dissipation : dict, optional
    ///     The same for Hunt & Crossley dissipation, s/m.
    /// relaxation_time : dict, optional
    ///     The same for that of linear dissipation (contact="sap"), s.
    /// modulus : dict, optional
    ///     The same for the modulus of compliant geoms, Pa.
    /// restitution : dict, optional
    ///     The same for the restitution of impacts at contact points, 0 to 1. Two geoms have the smaller one, or that of the one with any.
    /// size : dict, optional
    ///     The same for factors on the size of primitive geoms, about their own frames. Masses do not change. The rotational inertia of
    ///     a body is scaled if this is its only geom and lies at its centre of mass; otherwise it does not change, which is a warning
    ///     in warnings.
    /// collides : dict, optional
    ///     Dict from geoms to whether they have contacts; False switches off those of explicit pairs too.
    /// damping : dict, optional
    ///     Dict from joints (names or ids, "*" for all) to viscous damping, N s/m or N m s/rad.
    /// friction_loss : dict, optional
    ///     The same for dry friction, N or N m.
    /// armature : dict, optional
    ///     The same for inertia added on the diagonal of the mass matrix, kg or kg m².
    /// kp : dict, optional
    ///     Dict from actuators (names or ids, "*" for all position servos) to the gain of a position servo, N/m or N m/rad.
    /// kv : dict, optional
    ///     The same for the gain of a velocity servo or the damping of a position servo, N s/m or N m s/rad.
    /// strength : dict, optional
    ///     Dict from actuators to factors on their force and its limits.
    /// active : dict, optional
    ///     Dict from equalities (names or ids, "*" for all) to whether they act.
    ///
    /// Returns
    /// -------
    /// Model
    ///     The variant.
    ///
    /// Raises
    /// ------
    /// ModelError
    ///     For a change that is not possible.
    /// ValueError
    ///     For a wrong name or number.
    ///
    /// Examples
    /// --------
    ///     moon = model.varied(gravity=[0, 0, -1.62], friction={"floor": 0.3})
    #[pyo3(
        signature = (**changes),
        text_signature = "($self, *, gravity=None, mass=None, friction=None, static_friction=None, stiffness=None, \
                          dissipation=None, relaxation_time=None, modulus=None, restitution=None, size=None, collides=None, \
                          damping=None, friction_loss=None, armature=None, kp=None, kv=None, strength=None, active=None)"
    )]
    fn varied(&self, py: Python<'_>, changes: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let variation = Changes::read(self, changes, 1)?.variation(0);
        Ok(detached(py, || self.inner.varied(&variation))?.map_err(load_error)?.into())
    }

    /// Writes the model as one flat file for other programs. It loads back to the same masses, poses and dynamics.
    ///
    /// Parameters
    /// ----------
    /// path : str or path-like
    ///     A file .xml (MJCF) or .urdf (URDF); the meshes of a URDF are written beside it.
    ///
    /// Returns
    /// -------
    /// list of str
    ///     What the format cannot express and the effect of that, a list of sentences.
    ///
    /// Raises
    /// ------
    /// ModelError
    ///     For a model that the format cannot express at all.
    /// OSError
    ///     If the file cannot be written.
    fn save(&self, path: PathBuf) -> PyResult<Vec<String>> {
        crate::export::save(&self.inner, &path)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let restore = py.import("stiction")?.getattr("_restore_model")?;
        Ok((restore, PyTuple::new(py, [PyBytes::new(py, &self.inner.to_bytes())])?))
    }

    fn __copy__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __deepcopy__(slf: Py<Self>, _memo: &Bound<'_, PyDict>) -> Py<Self> {
        slf
    }

    fn __repr__(&self) -> String {
        let (world, model) = (self.inner.world(), &self.inner);
        let (bodies, joints) = (world.bodies.len() - 1, model.multibody().joints().len());
        format!(
            "<stiction.Model \"{}\": {bodies} bodies, {joints} joints, nq {}, nv {}, nu {}>",
            world.name,
            model.nq(),
            model.nv(),
            model.nu()
        )
    }
}

impl Model {
    /// A vector, or zeros where none is given.
    fn or_zeros(&self, what: &str, given: Option<&Bound<'_, PyAny>>, length: usize) -> PyResult<Vec<f64>> {
        given.map_or(Ok(vec![0.0; length]), |values| Ok(vector(what, values)?.to_vec()))
    }

    /// Computes in the kept memory; in fresh one if another call is using that.
    fn with_scratch<T>(&self, compute: impl FnOnce(&mut Scratch) -> PyResult<T>) -> PyResult<T> {
        match self.scratch.try_lock() {
            Ok(mut scratch) => compute(&mut scratch),
            Err(_) => compute(&mut Scratch::new(&self.inner)),
        }
    }
}

pub fn load_options(
    fixed_base: bool,
    strict: bool,
    package_paths: &[PathBuf],
    convex_parts: Option<u32>,
) -> PyResult<LoadOptions> {
    if let Some(n) = convex_parts.filter(|n| !(1..=1024).contains(n)) {
        return Err(InputError::new_err(format!("convex_parts = {n}: give 1 to 1024, or None")));
    }
    let package_paths = package_paths.iter().map(|p| p.to_string_lossy().into_owned()).collect();
    Ok(LoadOptions { fixed_base, strict, package_paths, convex_parts, ..LoadOptions::default() })
}

/// Names of the built-in scenes, for Model.from_scene.
#[pyfunction]
pub fn scenes() -> Vec<&'static str> {
    stiction::scenes::all().iter().map(|s| s.name).collect()
}

/// Unpickles a model.
#[pyfunction]
pub fn _restore_model(py: Python<'_>, bytes: &[u8]) -> PyResult<Model> {
    let bytes = bytes.to_vec();
    let inner = interruptible(py, move || stiction::Model::from_bytes(&bytes))?;
    Ok(inner.map_err(load_error)?.into())
}

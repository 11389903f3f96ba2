//! `stiction.World`: models and meshes of any format composed into one model.

use crate::arrays::finite_vector;
use crate::errors::{InputError, InputTypeError, load_error};
use crate::mocap::rotation;
use crate::model::{Model, load_options};
use crate::stepping::interruptible;
use nalgebra::UnitQuaternion;
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use stiction::files::Disk;
use stiction::model::{Pose, Vec3};
use stiction::{Base, Composition, Format, LoadError, LoadOptions, MeshObject, Placement, is_mesh};

/// A world that robots, objects and meshes of any format are added to.
///
/// Parameters
/// ----------
/// name : str, optional
///     Name of the model.
///
/// Notes
/// -----
/// Each call of add returns the world, so that calls can follow each other:
///
///     world = st.World().ground()
///     world.add("robot.urdf", name="arm", base="fixed").add("mug.obj", position=[0.5, 0, 0.2], friction=0.8)
///     model = world.build()
///
/// Names of what is added begin with its own name and a slash: "arm/elbow".
#[pyclass(frozen, module = "stiction")]
pub struct World {
    inner: Mutex<Composition>,
    parts: Mutex<Vec<String>>,
}

#[pymethods]
impl World {
    #[new]
    #[pyo3(signature = (name="world"))]
    fn new(name: &str) -> Self {
        Self { inner: Mutex::new(Composition::new(name)), parts: Mutex::new(Vec::new()) }
    }

    /// Adds a model or a mesh.
    ///
    /// Parameters
    /// ----------
    /// source : str or path-like or Model
    ///     A model file (.xml, .urdf, .sdf, .dmd.yaml), a mesh file (.stl, .obj, .dae, .gltf, .glb, .msh, .vtk), the name of a built-in
    ///     scene if no such file exists, or a stiction.Model.
    /// name : str, optional
    ///     Put before every name of a model, with a slash; the name of a mesh's body, by default that of its file.
    /// position, quaternion : array_like, optional
    ///     Pose of its origin in the frame of to, m, shape (3,), and w first, shape (4,).
    /// to : str, optional
    ///     Body or site that the pose refers to and that carries the model unless base is "free"; the world by default.
    /// frame : str, optional
    ///     Body or site of the model that is placed in place of its origin.
    /// base : {"as given", "fixed", "free"}, optional
    ///     "as given" by the file, "fixed", or "free".
    /// strict, package_paths : bool or list of str or path-like, optional
    ///     Of a model file, as for Model.from_file.
    /// scale : float, optional
    ///     Of a mesh file, a factor on its coordinates, such as 0.001 for millimetres.
    /// mass : float, optional
    ///     Of a mesh file, kg; by default that of its density.
    /// density : float, optional
    ///     Of a mesh file, kg/m³.
    /// hull : bool, optional
    ///     Of a mesh file, whether it collides as its convex hull instead of its surface.
    /// friction : float, optional
    ///     Of a mesh file, coefficient of friction, static and dynamic.
    /// modulus : float, optional
    ///     Of a mesh file, the modulus of a pressure field, Pa: the mesh is then compliant, filled with tetrahedra if the file has none. A
    ///     .vtk file whose field is a pressure is compliant without it.
    ///
    /// Returns
    /// -------
    /// World
    ///     This world.
    ///
    /// Raises
    /// ------
    /// ModelError
    ///     If it cannot be added, and then nothing is.
    /// ValueError
    ///     For a wrong argument.
    ///
    /// Notes
    /// -----
    /// Gravity and other options are those of the first model; the step is the shortest that a model asks for.
    #[pyo3(
        signature = (source, name="", position=None, quaternion=None, *, to="", frame="", base="as given", strict=false,
                     package_paths=Vec::new(), scale=None, mass=None, density=None, hull=None, friction=None, modulus=None),
        text_signature = "($self, source, name='', position=None, quaternion=None, *, to='', frame='', base='as given', \
                          strict=False, package_paths=[], scale=None, mass=None, density=None, hull=None, friction=None, \
                          modulus=None)"
    )]
    fn add<'py>(
        slf: &Bound<'py, Self>,
        source: &Bound<'py, PyAny>,
        name: &str,
        position: Option<&Bound<'py, PyAny>>,
        quaternion: Option<&Bound<'py, PyAny>>,
        to: &str,
        frame: &str,
        base: &str,
        strict: bool,
        package_paths: Vec<PathBuf>,
        scale: Option<f64>,
        mass: Option<f64>,
        density: Option<f64>,
        hull: Option<bool>,
        friction: Option<f64>,
        modulus: Option<f64>,
    ) -> PyResult<Bound<'py, Self>> {
        let (py, this) = (slf.py(), slf.get());
        let base = match base {
            "as given" => Base::AsGiven,
            "fixed" => Base::Fixed,
            "free" => Base::Free,
            other => {
                let text = format!("unknown base \"{other}\": choose as given, fixed or free");
                return Err(InputError::new_err(text));
            }
        };
        let placement = Placement {
            name: name.into(),
            pose: pose(position, quaternion)?,
            to: to.into(),
            frame: frame.into(),
            base,
        };
        let numbers = [scale, mass, density, friction, modulus];
        let of_mesh = numbers.iter().any(Option::is_some) || hull.is_some();
        let source = Source::read(source)?;
        let is_mesh = matches!(&source, Source::File(path) if is_mesh(path));
        if of_mesh && !is_mesh {
            return Err(InputError::new_err(
                "scale, mass, density, hull, friction and modulus are for mesh files: leave them out, or vary the model that is built",
            ));
        }
        if is_mesh && (strict || !package_paths.is_empty()) {
            return Err(InputError::new_err(
                "strict and package_paths are for model files: leave them out for a mesh",
            ));
        }
        for (what, value) in [("scale", scale), ("mass", mass), ("density", density), ("modulus", modulus)] {
            if let Some(value) = value.filter(|v| !(*v > 0.0 && v.is_finite())) {
                return Err(InputError::new_err(format!("{what} = {value}: give a positive number")));
            }
        }
        if let Some(mu) = friction.filter(|mu| !(*mu >= 0.0 && mu.is_finite())) {
            return Err(InputError::new_err(format!("friction = {mu}: give zero or a positive number")));
        }
        let mut object = MeshObject::default();
        object.scale *= scale.unwrap_or(1.0);
        object.mass = mass;
        object.density = density.unwrap_or(object.density);
        object.hull = hull.unwrap_or(object.hull);
        (object.contact.static_friction, object.contact.dynamic_friction) = (friction, friction);
        object.contact.hydroelastic_modulus = modulus;
        let options = load_options(false, strict, &package_paths, None)?;
        let (label, mut composition) = (source.label(), this.lock().clone());
        let composed = interruptible(py, move || {
            source.add_to(&mut composition, &options, &object, &placement).map(|()| composition)
        })?;
        *this.lock() = composed.map_err(load_error)?;
        this.parts.lock().unwrap_or_else(PoisonError::into_inner).push(label);
        Ok(slf.clone())
    }

    /// Adds a ground: a half-space, called "ground".
    ///
    /// Parameters
    /// ----------
    /// height : float, optional
    ///     m.
    /// friction : float, optional
    ///     Coefficient of friction, static and dynamic; the default of geoms if None.
    ///
    /// Returns
    /// -------
    /// World
    ///     This world.
    ///
    /// Raises
    /// ------
    /// ModelError
    ///     If there is a ground already, or for a number that makes no sense.
    #[pyo3(signature = (height=0.0, friction=None))]
    fn ground<'py>(slf: &Bound<'py, Self>, height: f64, friction: Option<f64>) -> PyResult<Bound<'py, Self>> {
        let mut composition = slf.get().lock();
        composition.ground(height, friction).map_err(|error| load_error(error.into()))?;
        drop(composition);
        slf.get().parts.lock().unwrap_or_else(PoisonError::into_inner).push("ground".into());
        Ok(slf.clone())
    }

    /// The model of what was added so far. More can be added afterwards, for another model.
    ///
    /// Returns
    /// -------
    /// Model
    ///     A stiction.Model.
    ///
    /// Raises
    /// ------
    /// ModelError
    ///     If it cannot be compiled.
    fn build(&self, py: Python<'_>) -> PyResult<Model> {
        let composition = self.lock().clone();
        let built = interruptible(py, move || stiction::Model::new(composition.build()?))?;
        Ok(built.map_err(load_error)?.into())
    }

    fn __repr__(&self) -> String {
        let parts = self.parts.lock().unwrap_or_else(PoisonError::into_inner);
        format!("<stiction.World of {}>", if parts.is_empty() { "nothing".into() } else { parts.join(", ") })
    }
}

impl World {
    fn lock(&self) -> MutexGuard<'_, Composition> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What is added.
enum Source {
    Model(stiction::Model),
    Scene(&'static str, String),
    File(String),
}

impl Source {
    fn read(given: &Bound<'_, PyAny>) -> PyResult<Self> {
        if let Ok(model) = given.cast::<Model>() {
            return Ok(Self::Model(model.get().inner.clone()));
        }
        let Ok(path) = given.extract::<PathBuf>() else {
            return Err(InputTypeError::new_err(format!(
                "{given}: give a model or mesh file, the name of a scene, or a stiction.Model"
            )));
        };
        let name = path.to_string_lossy().into_owned();
        Ok(match stiction::scenes::text(&name).filter(|_| !path.exists()) {
            Some(text) => Self::Scene(text, name),
            None => Self::File(name),
        })
    }

    fn label(&self) -> String {
        match self {
            Self::Model(model) => model.world().name.clone(),
            Self::Scene(_, name) | Self::File(name) => name.clone(),
        }
    }

    fn add_to(
        self,
        composition: &mut Composition,
        options: &LoadOptions,
        object: &MeshObject,
        placement: &Placement,
    ) -> Result<(), LoadError> {
        let label = self.label();
        match self {
            Self::Model(model) => composition.add(model.world().clone(), &label, placement)?,
            Self::Scene(text, _) => {
                let model = stiction::Model::from_string(text, Format::Mjcf, options)?;
                composition.add(model.world().clone(), &label, placement)?;
            }
            Self::File(path) if is_mesh(&path) => composition.add_mesh(&path, &Disk, object, placement)?,
            Self::File(path) => composition.add_file(&path, &Disk, options, placement)?,
        }
        Ok(())
    }
}

/// A pose from a position and a quaternion, each the default if it is not given.
fn pose(position: Option<&Bound<'_, PyAny>>, quaternion: Option<&Bound<'_, PyAny>>) -> PyResult<Pose> {
    let position = match position {
        Some(given) => Vec3::from_row_slice(&finite_vector("position", given, 3)?),
        None => Vec3::zeros(),
    };
    let turn = match quaternion {
        Some(given) => rotation(&finite_vector("quaternion", given, 4)?)?,
        None => UnitQuaternion::identity(),
    };
    Ok(Pose::from_parts(position.into(), turn))
}

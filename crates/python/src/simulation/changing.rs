//! The model, gravity and options of a simulation, and how they are changed.

use super::Simulation;
use crate::arrays::three;
use crate::changes::Changes;
use crate::errors::option_error;
use crate::model::Model;
use crate::options::{keywords, number, options_and_law};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use stiction::Variation;

#[pymethods]
impl Simulation {
    /// The model; after a change by gravity or vary, a variant of the one given at construction.
    #[getter]
    pub(super) fn model(&self, py: Python<'_>) -> Py<Model> {
        self.variant().as_ref().unwrap_or(&self.model).clone_ref(py)
    }

    /// Acceleration of gravity in the world, m/s², shape (3,); may be set. To change one number, set all three.
    #[getter]
    fn gravity<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let gravity = self.lock()?.model().world().options.gravity;
        let array = PyArray1::from_slice(py, gravity.as_slice());
        // Read-only, so that sim.gravity[2] = 0 is an error instead of having no effect.
        array.getattr("flags")?.setattr("writeable", false)?;
        Ok(array.into_any())
    }

    #[setter]
    fn set_gravity(&self, py: Python<'_>, values: &Bound<'_, PyAny>) -> PyResult<()> {
        let gravity = Some(three("gravity", Some(values))?);
        self.change(py, &Variation { gravity, ..Variation::default() })
    }

    /// Changes gravity, masses, contact properties, sizes, damping or gains from the next step on, or switches contacts and equalities.
    /// The arguments and their units are those of Model.varied; earlier changes stay in effect. This allocates memory: do not call it
    /// in every step.
    ///
    ///     sim.vary(friction={"floor": 0.3}, mass={"cube": 0.5})
    ///     sim.vary(active={"grasp": True}, collides={"cube": False})      # switches a weld on and the contacts of a geom off
    ///
    /// Raises
    /// ------
    /// ModelError
    ///     For a change that is not possible.
    /// ValueError
    ///     For a wrong name or number; then nothing changes.
    #[pyo3(
        signature = (**changes),
        text_signature = "($self, *, gravity=None, mass=None, friction=None, static_friction=None, stiffness=None, \
                          dissipation=None, relaxation_time=None, modulus=None, restitution=None, size=None, collides=None, \
                          damping=None, friction_loss=None, armature=None, kp=None, kv=None, strength=None, active=None)"
    )]
    fn vary(&self, py: Python<'_>, changes: Option<&Bound<'_, PyDict>>) -> PyResult<()> {
        let variation = Changes::read(self.model.get(), changes, 1)?.variation(0);
        self.change(py, &variation)
    }

    /// The options as a dict: Simulation(model, **sim.options) makes a simulation like this one.
    #[getter]
    pub(super) fn options<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let inner = self.lock()?;
        keywords(py, inner.options(), inner.contact_law())
    }

    /// Changes options from the next step on; the others stay as they are. The arguments are those of Simulation.
    ///
    ///     sim.set_options(step=5e-4, margin=1e-3)         # steps of half a millisecond, contacts kept from 1 mm on
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     For an option outside its range, and then nothing changes.
    #[pyo3(
        signature = (**options),
        text_signature = "($self, *, step=..., contact=..., contact_from=..., stiction_tolerance=..., regularization=..., \
                          relative_tolerance=..., margin=..., normal_law=..., speculative=..., tangential_springs=..., \
                          max_iterations=..., friction_passes=..., tessellation=..., accuracy=..., max_step=..., method=..., \
                          integrator=..., adhesion=...)"
    )]
    fn set_options(&self, py: Python<'_>, options: Option<&Bound<'_, PyDict>>) -> PyResult<()> {
        let wanted = self.options(py)?;
        if let Some(options) = options {
            wanted.update(options.as_mapping())?;
        }
        let step = wanted.get_item("step")?.expect("one of the options");
        let step = number("step", &step)?;
        wanted.del_item("step")?;
        let (options, law) = options_and_law(&self.model.get().inner, Some(step), Some(&wanted))?;
        let mut inner = self.lock()?;
        let before = (inner.options().clone(), inner.contact_law().cloned());
        let mut change = |options, law| {
            // A law asks for steps of fixed length: it goes before the options change, and comes after.
            inner.set_contact_law(None)?;
            inner.set_options(options)?;
            inner.set_contact_law(law)
        };
        change(options, law).map_err(|error| {
            let back = change(before.0, before.1);
            debug_assert!(back.is_ok(), "they were in force before");
            option_error(error)
        })
    }
}

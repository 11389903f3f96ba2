//! `stiction.Solid`: tetrahedra and a pressure field from a surface.

use crate::arrays::vector;
use crate::errors::{InputError, ModelError};
use crate::stepping::interruptible;
use nalgebra::Vector3;
use numpy::ndarray::Array2;
use numpy::{IntoPyArray, PyArray1, PyArray2, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::path::PathBuf;
use stiction::geometry::field::{Boundary, Core, FieldKind, FieldOptions, Normalization, Region, Stiffening};
use stiction::geometry::mesher::MesherOptions;
use stiction::geometry::solid::{FillOptions, FillReport, fill};
use stiction::geometry::surface::ClosedSurface;
use stiction::mesh_files;
use stiction::model::{Mesh, Tetrahedra};

/// Vertices and triangles.
type Triangles = (Vec<Vector3<f64>>, Vec<[u32; 3]>);

/// Tetrahedra with a pressure field, made from a closed surface by Solid.from_mesh.
///
/// The pressure at a vertex is modulus times its extent: 0 on the surface, up to 1 at the core. save() writes a .vtk file
/// that a model file can use as the mesh of a compliant geom.
#[pyclass(frozen, module = "stiction")]
pub struct Solid {
    inner: stiction::geometry::solid::Solid,
    report: Py<PyDict>,
}

#[pymethods]
impl Solid {
    /// Fills a closed surface with tetrahedra and a field.
    ///
    /// Parameters
    /// ----------
    /// mesh : str or path-like or tuple of array_like, array_like
    ///     A file (.stl, .obj, .msh), or a tuple of vertices (n, 3) and triangles (m, 3).
    /// modulus : float, optional
    ///     Hydroelastic modulus, Pa.
    /// scale : float, optional
    ///     Coordinates are multiplied by it; 0.001 for millimetres.
    /// resolution : float, optional
    ///     Edge length at the surface, m; found automatically if None. Thin walls are resolved finer.
    /// interior : float, optional
    ///     Largest edge length inside, m.
    /// field : {"distance", "laplace", "poisson"}, optional
    ///     "distance" (depth divided by the half thickness), "laplace" (needs a core or a rigid part), "poisson".
    /// core : float or str or path-like or tuple of array_like, array_like, optional
    ///     The rigid core: a depth in m, or a surface (a file or a tuple).
    /// normalize : {"local", "global"}, optional
    ///     "local" divides a field without a core by the local half thickness, "global" by the largest one.
    /// rigid, insulated : list of str, optional
    ///     Parts of the surface attached to something rigid, or without flux: "+x", "-x", … for faces whose normal is within 45 degrees
    ///     of that direction, "sides", or a box "x0,y0,z0,x1,y1,z1".
    /// stiffening : float, optional
    ///     K of M(e) = modulus / (1 - k e), from 0 to below 1.
    ///
    /// Returns
    /// -------
    /// Solid
    ///     The solid.
    ///
    /// Raises
    /// ------
    /// ModelError
    ///     With the reason if the surface cannot be filled with the required quality.
    #[staticmethod]
    #[pyo3(signature = (mesh, modulus=1e7, *, scale=1.0, resolution=None, interior=None, field="distance", core=None,
                        normalize="local", rigid=Vec::new(), insulated=Vec::new(), stiffening=0.0),
           text_signature = "(mesh, modulus=1e7, *, scale=1.0, resolution=None, interior=None, field='distance', core=None, \
                             normalize='local', rigid=(), insulated=(), stiffening=0.0)")]
    fn from_mesh(
        py: Python<'_>,
        mesh: &Bound<'_, PyAny>,
        modulus: f64,
        scale: f64,
        resolution: Option<f64>,
        interior: Option<f64>,
        field: &str,
        core: Option<&Bound<'_, PyAny>>,
        normalize: &str,
        rigid: Vec<String>,
        insulated: Vec<String>,
        stiffening: f64,
    ) -> PyResult<Self> {
        let (vertices, triangles) = surface(mesh, scale)?;
        let kind = match field {
            "distance" => FieldKind::Distance,
            "laplace" => FieldKind::Laplace,
            "poisson" => FieldKind::Poisson,
            other => return Err(choice("field", other, "distance, laplace or poisson")),
        };
        let normalization = match normalize {
            "local" => Normalization::Local,
            "global" => Normalization::Global,
            other => return Err(choice("normalize", other, "local or global")),
        };
        let core = match core {
            None => Core::None,
            Some(given) => match given.extract::<f64>() {
                Ok(depth) => Core::Depth(depth),
                Err(_) => {
                    let (vertices, triangles) = surface(given, scale)?;
                    let (core, _) = ClosedSurface::new(&vertices, &triangles).map_err(refused)?;
                    Core::Surface(Box::new(core))
                }
            },
        };
        let mut regions = Vec::new();
        for (list, boundary) in [(&insulated, Boundary::Insulated), (&rigid, Boundary::Rigid)] {
            for text in list {
                let named = Region::named(text).map_err(|e| InputError::new_err(e.to_string()))?;
                regions.extend(named.into_iter().map(|r| (r, boundary)));
            }
        }
        let stiffening = match stiffening {
            0.0 => Stiffening::Linear,
            k => Stiffening::Hyperbolic { k },
        };
        let options = FillOptions {
            mesher: MesherOptions { resolution, interior, ..MesherOptions::default() },
            field: FieldOptions { kind, core, normalization, regions, stiffening, ..FieldOptions::default() },
        };
        let made = interruptible(py, move || -> Result<_, String> {
            let (filled, report) =
                fill(&vertices, &triangles, &options, &mut |_| {}).map_err(|e| e.to_string())?;
            Ok((filled.solid(modulus).map_err(|e| e.to_string())?, report))
        })?;
        let (inner, report) = made.map_err(refused)?;
        Ok(Self { inner, report: report_dict(py, &report)?.unbind() })
    }

    /// For pickle.
    #[staticmethod]
    fn _restore(
        vertices: PyReadonlyArray2<'_, f64>,
        tetrahedra: PyReadonlyArray2<'_, u32>,
        extents: &Bound<'_, PyAny>,
        modulus: f64,
        report: Py<PyDict>,
    ) -> PyResult<Self> {
        if vertices.as_array().ncols() != 3 || tetrahedra.as_array().ncols() != 4 {
            return Err(refused("vertices have shape (n, 3) and tetrahedra (m, 4)"));
        }
        let rows = vertices.as_array();
        let vertices = rows.rows().into_iter().map(|r| Vector3::new(r[0], r[1], r[2])).collect();
        let cells = tetrahedra.as_array();
        let cells = cells.rows().into_iter().map(|r| [r[0], r[1], r[2], r[3]]).collect();
        let extents = vector("extents", extents)?.to_vec();
        let made = stiction::geometry::solid::Solid::from_tets(vertices, cells, extents, modulus);
        Ok(Self { inner: made.map_err(refused)?.0, report })
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let (py, this) = (slf.py(), slf.get());
        let parts =
            (this.vertices(py), this.tetrahedra(py), this.extents(py), this.inner.modulus(), &this.report);
        Ok((py.get_type::<Self>().getattr("_restore")?, parts.into_pyobject(py)?))
    }

    /// Vertices, m, shape (n, 3).
    #[getter]
    fn vertices<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<f64>> {
        table(py, self.inner.vertices().iter().map(|v| [v.x, v.y, v.z]))
    }

    /// Corners of the tetrahedra, shape (m, 4).
    #[getter]
    fn tetrahedra<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<u32>> {
        table(py, self.inner.tets().iter().copied())
    }

    /// Outer triangles, counter-clockwise seen from outside, shape (k, 3).
    #[getter]
    fn surface<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<u32>> {
        table(py, self.inner.surface().iter().copied())
    }

    /// Pressure over the largest pressure at the vertices, shape (n,).
    #[getter]
    fn extents<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, self.inner.extents())
    }

    /// Pressure where the extent is 1, Pa.
    #[getter]
    fn modulus(&self) -> f64 {
        self.inner.modulus()
    }

    /// Volume, m³.
    #[getter]
    fn volume(&self) -> f64 {
        self.inner.volume()
    }

    /// Numbers about the mesh: resolution, dihedral angles (degrees), volume_error, deviation, characteristic_length…
    #[getter]
    fn report<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.report.bind(py).copy()
    }

    /// Defects that were found in the surface and repaired, a list of sentences.
    #[getter]
    fn notes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.report.bind(py).as_any().get_item("notes")
    }

    /// Writes a legacy VTK file: coordinates in m, pressure at the vertices in Pa.
    ///
    /// Parameters
    /// ----------
    /// path : str or path-like
    ///     A .vtk file.
    ///
    /// Raises
    /// ------
    /// OSError
    ///     If it cannot be written.
    fn save(&self, path: PathBuf) -> PyResult<()> {
        let tetrahedra = Tetrahedra {
            cells: self.inner.tets().to_vec(),
            extents: Some(self.inner.extents().to_vec()),
            modulus: Some(self.inner.modulus()),
        };
        let vertices = self.inner.vertices().to_vec();
        let mesh = Mesh { name: "solid".into(), vertices, tetrahedra: Some(tetrahedra), ..Mesh::default() };
        let text = mesh_files::write_vtk(&mesh).map_err(InputError::new_err)?;
        Ok(stiction_base::whole_file::write(&path, text.as_bytes())?)
    }

    fn __repr__(&self) -> String {
        let (tets, volume) = (self.inner.tets().len(), self.inner.volume());
        format!("<stiction.Solid: {tets} tetrahedra, {volume:.3e} m³, {:.3e} Pa>", self.inner.modulus())
    }
}

fn refused(error: impl ToString) -> PyErr {
    ModelError::new_err(error.to_string())
}

fn choice(what: &str, given: &str, known: &str) -> PyErr {
    InputError::new_err(format!("unknown {what} \"{given}\": choose {known}"))
}

/// Rows as an array.
fn table<'py, T: numpy::Element + Copy, const N: usize>(
    py: Python<'py>,
    rows: impl ExactSizeIterator<Item = [T; N]>,
) -> Bound<'py, PyArray2<T>> {
    let count = rows.len();
    let data: Vec<T> = rows.flatten().collect();
    Array2::from_shape_vec((count, N), data)
        .unwrap_or_else(|_| Array2::from_shape_fn((0, N), |_| unreachable!()))
        .into_pyarray(py)
}

/// A surface from a file or from arrays.
fn surface(given: &Bound<'_, PyAny>, scale: f64) -> PyResult<Triangles> {
    if !(scale > 0.0 && scale.is_finite()) {
        return Err(InputError::new_err(format!("scale is {scale}: give a positive number")));
    }
    let (mut vertices, triangles) = if let Ok(parts) = given.cast::<PyTuple>() {
        let numpy = given.py().import("numpy")?;
        let wanted = "mesh: give a file, or a tuple of vertices (n, 3) and triangles (m, 3)";
        if parts.len() != 2 {
            return Err(InputError::new_err(wanted));
        }
        let array = |k: usize, kind: &str| -> PyResult<Bound<'_, PyAny>> {
            numpy.call_method1("ascontiguousarray", (parts.get_item(k)?, kind))
        };
        let shape = |_| InputError::new_err(wanted);
        let points = array(0, "f8")?;
        let points: PyReadonlyArray2<'_, f64> = points.extract().map_err(|_: PyErr| shape(()))?;
        let faces = array(1, "i8")?;
        let faces: PyReadonlyArray2<'_, i64> = faces.extract().map_err(|_: PyErr| shape(()))?;
        let (points, faces) = (points.as_array(), faces.as_array());
        if points.ncols() != 3 || faces.ncols() != 3 {
            return Err(shape(()));
        }
        let index = |i: i64| {
            u32::try_from(i)
                .map_err(|_| InputError::new_err(format!("mesh: a triangle refers to vertex {i}")))
        };
        let vertices = points.rows().into_iter().map(|r| Vector3::new(r[0], r[1], r[2])).collect();
        let triangles: PyResult<Vec<[u32; 3]>> =
            faces.rows().into_iter().map(|r| Ok([index(r[0])?, index(r[1])?, index(r[2])?])).collect();
        (vertices, triangles?)
    } else {
        let path: PathBuf = given.extract()?;
        let bytes = stiction_base::bounded_file::read(&path)?;
        let name = path.to_string_lossy();
        let mesh = mesh_files::read(&name, &bytes).map_err(|e| refused(format!("{name}: {e}")))?;
        (mesh.vertices, mesh.triangles)
    };
    vertices.iter_mut().for_each(|v: &mut Vector3<f64>| *v *= scale);
    Ok((vertices, triangles))
}

fn report_dict<'py>(py: Python<'py>, report: &FillReport) -> PyResult<Bound<'py, PyDict>> {
    let (m, f) = (&report.mesh, &report.field);
    let out = PyDict::new(py);
    for (name, value) in [
        ("resolution", m.resolution),
        ("dihedral_min", m.quality.dihedral_min),
        ("dihedral_max", m.quality.dihedral_max),
        ("deviation", m.deviation),
        ("lost_area", m.lost_area),
        ("thinnest_wall", m.thinnest_wall),
        ("depth", f.depth),
        ("characteristic_length", f.characteristic_length),
    ] {
        out.set_item(name, value)?;
    }
    out.set_item("volume_error", m.volume_error)?;
    for (name, value) in [
        ("tetrahedra", f.tets),
        ("triangles", m.triangles),
        ("components", m.components),
        ("core_vertices", f.core_vertices),
        ("layers", f.layers),
    ] {
        out.set_item(name, value)?;
    }
    out.set_item("notes", report.notes())?;
    Ok(out)
}

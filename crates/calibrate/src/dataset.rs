//! Recorded tosses: the motion of one model, sample by sample, many times; and their files.
//!
//! **Format, version 1** (`.npz`, read with `np.load`):
//!
//! | array | shape | what |
//! |---|---|---|
//! | `header` | text | JSON: `format` = "stiction-tosses", `version` = 1, `model`, `nq`, `nv`, `source`, `licence`, `velocities` ("recorded" or "differences"), `notes` (anything) |
//! | `toss` | n | number of the toss a row belongs to; the rows of a toss are together |
//! | `time` | n | time in s, rising within a toss |
//! | `q` | n × nq | positions in the layout of [`stiction::State`] (a free body: x y z, qw qx qy qz), m and rad |
//! | `v` | n × nv | velocities (a free body: linear in world, angular in the body frame), m/s and rad/s |
//!
//! Further arrays may follow (impulses, classes); they are read and written unchanged.
//! A file of a later version is an error; version 1 stays readable.
//!
//! Recordings of real objects come as they are: a plain `.npy` table (toss, time, positions, velocities) or a
//! [CSV](crate::csv) of poses.

use crate::csv;
use crate::error::DataError;
use crate::npy::{Array, Values};
use crate::npz::{self, Arrays};
use serde::{Deserialize, Serialize};
use std::path::Path;
use stiction::Model;

/// What `format` says in the header of a dataset.
pub const FORMAT: &str = "stiction-tosses";
/// The version written, and the latest one read.
pub const VERSION: u32 = 1;

/// One sample.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// Time, s.
    pub time: f64,
    /// Positions, as the model lays them out.
    pub q: Vec<f64>,
    /// Velocities, as the model lays them out.
    pub v: Vec<f64>,
}

/// One toss.
#[derive(Clone, Debug, PartialEq)]
pub struct Toss {
    /// Its number in the file.
    pub number: usize,
    /// Its samples, in order of time.
    pub samples: Vec<Sample>,
}

/// Where velocities come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Velocities {
    /// They were in the file.
    #[default]
    Recorded,
    /// They were fitted to the positions: see [`csv`].
    Differences,
}

/// Description of a dataset.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// [`FORMAT`].
    pub format: String,
    /// [`VERSION`].
    pub version: u32,
    /// What was tossed: a scene's name or file.
    pub model: String,
    /// Positions of a sample.
    pub nq: usize,
    /// Velocities of a sample.
    pub nv: usize,
    /// Where the data come from: a paper, a file, the command that made them.
    #[serde(default)]
    pub source: String,
    /// Under which terms they may be used.
    #[serde(default)]
    pub licence: String,
    /// Where velocities come from.
    #[serde(default)]
    pub velocities: Velocities,
    /// Further notes: ranges, seeds, sizes.
    #[serde(default)]
    pub notes: serde_json::Value,
}

impl Header {
    /// A header of this version.
    pub fn new(model: impl Into<String>, nq: usize, nv: usize) -> Self {
        Self {
            format: FORMAT.into(),
            version: VERSION,
            model: model.into(),
            nq,
            nv,
            source: String::new(),
            licence: String::new(),
            velocities: Velocities::Recorded,
            notes: serde_json::Value::Null,
        }
    }
}

/// Tosses of one model.
#[derive(Clone, Debug, PartialEq)]
pub struct Dataset {
    /// Its description.
    pub header: Header,
    /// The tosses, in the file's order.
    pub tosses: Vec<Toss>,
    /// Further arrays of the file, by name.
    pub extra: Arrays,
}

impl Dataset {
    /// Reads tosses of a model from a dataset (`.npz`), a plain table (`.npy`) or a CSV of poses (`.csv`).
    pub fn read(path: &Path, model: &Model) -> Result<Self, DataError> {
        let (nq, nv) = (model.nq(), model.nv());
        let name = model.world().name.clone();
        let mut dataset = match extension(path).as_str() {
            "npz" => {
                let dataset = Self::read_npz(path)?;
                let (found_q, found_v) = (dataset.header.nq, dataset.header.nv);
                if (found_q, found_v) != (nq, nv) {
                    let what = format!(
                        "it holds {found_q} positions and {found_v} velocities a sample (of {}), but the model {name} has \
                         {nq} and {nv}: give the model it was recorded with",
                        dataset.header.model
                    );
                    return Err(DataError::file(path, what));
                }
                dataset
            }
            "npy" => {
                let array = Array::from_npy(&bytes(path)?, path)?;
                Self {
                    header: Header::new(name, nq, nv),
                    tosses: from_table(&array, nq, nv, path)?,
                    extra: Arrays::new(),
                }
            }
            "csv" => {
                let text = String::from_utf8(bytes(path)?)
                    .map_err(|_| DataError::file(path, "it is not text; save it as CSV in UTF-8"))?;
                let (tosses, velocities) = csv::read(&text, model, path)?;
                let header = Header { velocities, ..Header::new(name, nq, nv) };
                Self { header, tosses, extra: Arrays::new() }
            }
            other => {
                let what = format!("files ending in \"{other}\" are not read; give .npz, .npy or .csv");
                return Err(DataError::file(path, what));
            }
        };
        dataset.normalize(model, path)?;
        Ok(dataset)
    }

    /// Reads a dataset (`.npz`) of any model.
    pub fn read_npz(path: &Path) -> Result<Self, DataError> {
        Self::from_npz(&bytes(path)?, path)
    }

    /// Reads a dataset from the bytes of an `.npz` file; `file` is for messages.
    pub fn from_npz(bytes: &[u8], file: &Path) -> Result<Self, DataError> {
        let mut arrays = npz::from_npz(bytes, file)?;
        let wrong = |what: String| DataError::file(file, what);
        let Some(Array { values: Values::Text(text), .. }) = arrays.remove("header") else {
            return Err(wrong("it has no header: it is not a dataset of tosses".into()));
        };
        #[derive(Deserialize)]
        struct Version {
            format: String,
            version: u32,
        }
        let version: Version =
            serde_json::from_str(&text).map_err(|e| wrong(format!("its header is damaged: {e}")))?;
        if version.format != FORMAT {
            return Err(wrong(format!("it holds {}, not {FORMAT}", version.format)));
        }
        if version.version > VERSION {
            let found = version.version;
            return Err(wrong(format!(
                "it is of version {found}; this program reads up to {VERSION}: use a newer one"
            )));
        }
        let header: Header =
            serde_json::from_str(&text).map_err(|e| wrong(format!("its header is damaged: {e}")))?;
        let (nq, nv) = (header.nq, header.nv);
        let mut take = |name: &str, shape: &dyn Fn(&[usize]) -> bool| match arrays.remove(name) {
            Some(array) if shape(&array.shape) => {
                array.reals().ok_or_else(|| wrong(format!("its array {name} is not of numbers")))
            }
            Some(array) => {
                Err(wrong(format!("its array {name} has the shape {:?}, which does not fit", array.shape)))
            }
            None => Err(wrong(format!("it has no array {name}"))),
        };
        let toss = take("toss", &|s| s.len() == 1)?;
        let rows = toss.len();
        let time = take("time", &|s| *s == [rows])?;
        let q = take("q", &|s| *s == [rows, nq])?;
        let v = take("v", &|s| *s == [rows, nv])?;
        let row = |i: usize| (toss[i], time[i], &q[i * nq..(i + 1) * nq], &v[i * nv..(i + 1) * nv]);
        let tosses = collect(rows, row, file, 0)?;
        Ok(Self { header, tosses, extra: arrays })
    }

    /// Writes an `.npz` file.
    pub fn write(&self, path: &Path) -> Result<(), DataError> {
        stiction_base::whole_file::write(path, &self.to_npz()).map_err(|e| DataError::unwritten(path, e))
    }

    /// The bytes of an `.npz` file.
    pub fn to_npz(&self) -> Vec<u8> {
        let mut arrays = self.extra.clone();
        let samples = || self.tosses.iter().flat_map(|t| t.samples.iter().map(|s| (t.number, s)));
        let header = serde_json::to_string(&self.header).expect("a header is plain");
        arrays.insert("header".into(), Array::text(header));
        arrays.insert("toss".into(), Array::whole(samples().map(|(n, _)| n as i64).collect()));
        arrays.insert("time".into(), Array::list(samples().map(|(_, s)| s.time).collect()));
        let table = |columns: usize, values: Vec<f64>| {
            let shape = vec![samples().count(), columns];
            Array { shape, values: Values::Real(values) }
        };
        let q = samples().flat_map(|(_, s)| s.q.iter().copied()).collect();
        arrays.insert("q".into(), table(self.header.nq, q));
        let v = samples().flat_map(|(_, s)| s.v.iter().copied()).collect();
        arrays.insert("v".into(), table(self.header.nv, v));
        npz::to_npz(&arrays)
    }

    /// Number of samples.
    pub fn samples(&self) -> usize {
        self.tosses.iter().map(|t| t.samples.len()).sum()
    }

    /// Makes quaternions of unit length; one far from it is no quaternion.
    fn normalize(&mut self, model: &Model, file: &Path) -> Result<(), DataError> {
        for toss in &mut self.tosses {
            for sample in &mut toss.samples {
                let mut unit = sample.q.clone();
                model.multibody().normalize(&mut unit);
                let far = unit.iter().zip(&sample.q).position(|(u, q)| (u - q).abs() > 0.01);
                if let Some(k) = far {
                    let what = format!(
                        "toss {} at {} s: the quaternion at position {k} is not of unit length; are the columns in the order \
                         x y z, qw qx qy qz?",
                        toss.number, sample.time
                    );
                    return Err(DataError::file(file, what));
                }
                sample.q = unit;
            }
        }
        Ok(())
    }
}

/// Sorts a table's rows (toss, time, positions, velocities) into tosses.
pub fn from_table(table: &Array, nq: usize, nv: usize, file: &Path) -> Result<Vec<Toss>, DataError> {
    let columns = 2 + nq + nv;
    let &[rows, found] = &table.shape[..] else {
        let what = format!("its shape is {:?}; a table of rows and columns is needed", table.shape);
        return Err(DataError::file(file, what));
    };
    if found != columns {
        let what = format!(
            "{found} columns where this model needs {columns}: toss, time, {nq} positions, {nv} velocities"
        );
        return Err(DataError::file(file, what));
    }
    let values = table.reals().ok_or_else(|| DataError::file(file, "it holds text, not numbers"))?;
    let row = |i: usize| {
        let row = &values[i * columns..(i + 1) * columns];
        (row[0], row[1], &row[2..2 + nq], &row[2 + nq..])
    };
    collect(rows, row, file, 0)
}

/// Sorts rows (toss, time, positions, velocities) into tosses; `first` is what the first row is called.
pub(crate) fn collect<'a>(
    rows: usize,
    row: impl Fn(usize) -> (f64, f64, &'a [f64], &'a [f64]),
    file: &Path,
    first: usize,
) -> Result<Vec<Toss>, DataError> {
    let mut tosses: Vec<Toss> = Vec::new();
    let mut seen = std::collections::BTreeSet::new();
    for i in 0..rows {
        let wrong = |what: String| DataError::Row { file: file.into(), row: first + i, what };
        let (number, time, q, v) = row(i);
        if !(time.is_finite() && q.iter().chain(v).all(|x| x.is_finite())) {
            return Err(wrong("it holds a number that is not finite; leave such samples out".into()));
        }
        if !(number >= 0.0 && number.fract() == 0.0 && number < 1e15) {
            return Err(wrong(format!("{number} is no number of a toss; they are 0, 1, 2…")));
        }
        let number = number as usize;
        let sample = Sample { time, q: q.to_vec(), v: v.to_vec() };
        match tosses.last_mut() {
            Some(last) if last.number == number => {
                if last.samples.last().is_some_and(|s| s.time >= time) {
                    return Err(wrong(format!(
                        "the time {time} s does not come after the one before; sort by time"
                    )));
                }
                last.samples.push(sample);
            }
            _ => {
                if !seen.insert(number) {
                    return Err(wrong(format!("toss {number} goes on after another; sort by toss")));
                }
                tosses.push(Toss { number, samples: vec![sample] });
            }
        }
    }
    if tosses.is_empty() {
        return Err(DataError::file(file, "it holds no samples"));
    }
    Ok(tosses)
}

fn extension(path: &Path) -> String {
    path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default()
}

fn bytes(path: &Path) -> Result<Vec<u8>, DataError> {
    stiction_base::bounded_file::read(path).map_err(|error| DataError::unread(path, error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn example(tosses: usize, samples: usize) -> Dataset {
        let toss = |number: usize| Toss {
            number,
            samples: (0..samples)
                .map(|k| Sample {
                    time: k as f64 / 148.0,
                    q: vec![0.1 * k as f64, number as f64, 0.3, 1.0, 0.0, 0.0, 0.0],
                    v: vec![k as f64; 6],
                })
                .collect(),
        };
        Dataset {
            header: Header::new("cube", 7, 6),
            tosses: (0..tosses).map(toss).collect(),
            extra: Arrays::new(),
        }
    }

    proptest! {
        #[test]
        fn a_dataset_reads_back(tosses in 1usize..5, samples in 1usize..9) {
            let mut dataset = example(tosses, samples);
            dataset.extra.insert("impulse".into(), Array::table(3, vec![0.5; 3 * samples]));
            dataset.header.notes = serde_json::json!({ "seed": 7 });
            let back = Dataset::from_npz(&dataset.to_npz(), Path::new("d.npz")).expect("it reads");
            prop_assert_eq!(back, dataset);
        }
    }

    fn refused(dataset: &Dataset) -> String {
        Dataset::from_npz(&dataset.to_npz(), Path::new("d.npz")).expect_err("it must be refused").to_string()
    }

    #[test]
    fn what_does_not_fit_is_refused_with_the_place() {
        let mut later = example(1, 2);
        later.header.version = VERSION + 1;
        assert!(refused(&later).contains("newer"));
        let mut other = example(1, 2);
        other.header.format = "something".into();
        assert!(refused(&other).contains("something"));
        let mut backwards = example(2, 3);
        backwards.tosses[1].samples[2].time = 0.0;
        assert!(refused(&backwards).contains("row 5"));
        let mut hole = example(1, 3);
        hole.tosses[0].samples[1].q[2] = f64::NAN;
        assert!(refused(&hole).contains("row 1"));
        let mut wide = example(1, 3);
        wide.header.nq = 8;
        assert!(refused(&wide).contains("array q"));
    }

    #[test]
    fn a_table_of_another_model_is_refused_by_its_columns() {
        let table = Array::table(15, vec![0.0; 30]);
        let error = from_table(&table, 8, 7, Path::new("elbow.npy")).expect_err("a column too few");
        assert!(error.to_string().contains("15 columns where this model needs 17"), "{error}");
    }
}

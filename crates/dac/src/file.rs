//! A law as a safetensors file.
//!
//! Tensors `<kind>.classifier.<layer>.weight` and `.bias`, `<kind>.regressor.…` (F32, weights as outputs × inputs),
//! and in F64 `<kind>.inputs.mean|scale|low|high`, `<kind>.correction.mean|scale`, `<kind>.ratios.low|high`,
//! `<kind>.speeds`; `<kind>` is `point`, `line` or `surface`, and a kind may be absent; `friction` (F64). The metadata has
//! one entry, `stiction`: a JSON object with `format`, `version`, `kind` = "dac", `symmetry`, `provenance` and, from version 2 on,
//! `checksum`.

use crate::error::WeightsError;
use crate::features::feature_count;
use crate::law::{Class, DacLaw, Expert, Limits, Scaling};
use crate::mlp::{Layer, Mlp};
use crate::patch::PatchKind;
use crate::symmetry::Symmetry;
use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensors};
use serde_json::{Value, json};
use stiction_base::hash::Fnv1a;

const FORMAT: &str = "stiction-contact";
const VERSION: u64 = 2;
/// Stands in the header while the checksum is computed.
const NO_CHECKSUM: &str = "0000000000000000";

/// The header's entry of a checksum.
fn entry(sum: &str) -> String {
    format!("\"checksum\":\"{sum}\"")
}

/// The FNV-1a hash of the header, without the checksum, and of all tensors in the order of their names.
fn checksum<'a>(header: &str, mut tensors: Vec<(&'a str, &'a [u8])>) -> String {
    tensors.sort_unstable();
    let mut hash = Fnv1a::default();
    hash.add(header.as_bytes());
    for (name, bytes) in tensors {
        hash.add(name.as_bytes());
        hash.add(bytes);
    }
    format!("{:016x}", hash.value())
}

impl DacLaw {
    /// The bytes of a file.
    pub fn to_bytes(&self) -> Result<Vec<u8>, WeightsError> {
        let mut tensors: Vec<(String, Dtype, Vec<usize>, Vec<u8>)> = Vec::new();
        for (kind, expert) in PatchKind::ALL.iter().zip(&self.experts) {
            let Some(e) = expert else { continue };
            let kind = kind.name();
            for (name, net) in [("classifier", &e.classifier), ("regressor", &e.regressor)] {
                for (k, layer) in net.layers().iter().enumerate() {
                    let floats = |x: &[f32]| x.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>();
                    let shape = vec![layer.outputs, layer.inputs];
                    tensors.push((
                        format!("{kind}.{name}.{k}.weight"),
                        Dtype::F32,
                        shape,
                        floats(&layer.weights),
                    ));
                    let shape = vec![layer.outputs];
                    tensors.push((format!("{kind}.{name}.{k}.bias"), Dtype::F32, shape, floats(&layer.bias)));
                }
            }
            let speeds = vec![e.speeds.0, e.speeds.1];
            for (name, values) in [
                ("inputs.mean", &e.inputs.mean),
                ("inputs.scale", &e.inputs.scale),
                ("inputs.low", &e.seen.low),
                ("inputs.high", &e.seen.high),
                ("correction.mean", &e.correction.mean),
                ("correction.scale", &e.correction.scale),
                ("ratios.low", &e.ratios.low),
                ("ratios.high", &e.ratios.high),
                ("speeds", &speeds),
            ] {
                let bytes = values.iter().flat_map(|v| v.to_le_bytes()).collect();
                tensors.push((format!("{kind}.{name}"), Dtype::F64, vec![values.len()], bytes));
            }
        }
        tensors.push(("friction".into(), Dtype::F64, vec![1], self.friction.to_le_bytes().to_vec()));
        let corrupt = |e: &dyn std::fmt::Display| WeightsError::Corrupt(e.to_string());
        let views: Result<Vec<_>, _> = tensors
            .iter()
            .map(|(name, dtype, shape, bytes)| {
                TensorView::new(*dtype, shape.clone(), bytes).map(|view| (name.clone(), view))
            })
            .collect();
        let header = json!({
            "format": FORMAT, "version": VERSION, "kind": "dac",
            "symmetry": self.symmetry.name(), "provenance": self.provenance, "checksum": NO_CHECKSUM,
        });
        let blank = header.to_string();
        let sum = checksum(&blank, tensors.iter().map(|t| (t.0.as_str(), t.3.as_slice())).collect());
        let header = blank.replacen(&entry(NO_CHECKSUM), &entry(&sum), 1);
        // One entry, so that the order of a hash map has nothing to decide.
        let metadata = [("stiction".to_string(), header)].into_iter().collect();
        safetensors::serialize(views.map_err(|e| corrupt(&e))?, Some(metadata)).map_err(|e| corrupt(&e))
    }

    /// Reads the bytes of a file, and checks every size and number.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, WeightsError> {
        let corrupt = |e: &dyn std::fmt::Display| WeightsError::Corrupt(e.to_string());
        let (_, metadata) = SafeTensors::read_metadata(bytes).map_err(|e| corrupt(&e))?;
        let tensors = SafeTensors::deserialize(bytes).map_err(|e| corrupt(&e))?;
        let header = metadata.metadata().as_ref().and_then(|m| m.get("stiction"));
        let foreign = |what: &str| WeightsError::Foreign(what.into());
        let header = header.ok_or_else(|| foreign("its metadata has no \"stiction\" entry"))?;
        let written = header;
        let header: Value = serde_json::from_str(header).map_err(|e| corrupt(&e))?;
        if header["format"] != FORMAT {
            return Err(foreign("its format is another"));
        }
        if header["kind"] != "dac" {
            return Err(foreign(&format!("its kind is {}", header["kind"])));
        }
        let version = header["version"].as_u64().unwrap_or(0);
        if !(1..=VERSION).contains(&version) {
            return Err(WeightsError::Version { given: version, known: VERSION });
        }
        let missing = |_| WeightsError::Missing("friction".into());
        let friction = tensors.tensor("friction").map_err(missing)?;
        let friction = friction.data().try_into().map_or(f64::NAN, f64::from_le_bytes);
        if !(friction >= 0.0 && friction.is_finite()) {
            let allowed = "friction must be a finite number, zero or more";
            return Err(WeightsError::Value { name: "friction".into(), value: friction, allowed });
        }
        let symmetry = header["symmetry"].as_str().and_then(Symmetry::from_name);
        let symmetry = symmetry.ok_or_else(|| foreign("its symmetry is unknown"))?;
        let mut experts = [None, None, None];
        for (kind, expert) in PatchKind::ALL.iter().zip(&mut experts) {
            if tensors.names().iter().any(|n| n.starts_with(&format!("{}.", kind.name()))) {
                *expert = Some(Reader { tensors: &tensors, kind: *kind }.expert()?);
            }
        }
        // Files of version 1 have none.
        if version >= 2 {
            let sum = header["checksum"].as_str().unwrap_or_default();
            let views = tensors.tensors();
            let all = views.iter().map(|(name, view)| (name.as_str(), view.data())).collect();
            if sum.len() != NO_CHECKSUM.len()
                || checksum(&written.replacen(&entry(sum), &entry(NO_CHECKSUM), 1), all) != sum
            {
                return Err(corrupt(&"its checksum is wrong"));
            }
        }
        Ok(Self { friction, symmetry, experts, provenance: header["provenance"].clone() })
    }
}

struct Reader<'a> {
    tensors: &'a SafeTensors<'a>,
    kind: PatchKind,
}

impl Reader<'_> {
    fn expert(&self) -> Result<Expert, WeightsError> {
        let inputs = feature_count(self.kind);
        let outputs = self.kind.friction_count();
        let speeds = self.numbers("speeds", 2)?;
        Ok(Expert {
            inputs: Scaling {
                mean: self.numbers("inputs.mean", inputs)?,
                scale: self.scales("inputs.scale", inputs)?,
            },
            seen: self.limits("inputs", inputs)?,
            speeds: (speeds[0], speeds[1]),
            classifier: self.network("classifier", inputs, Class::ALL.len())?,
            regressor: self.network("regressor", inputs, outputs)?,
            correction: Scaling {
                mean: self.numbers("correction.mean", outputs)?,
                scale: self.scales("correction.scale", outputs)?,
            },
            ratios: self.limits("ratios", outputs)?,
        })
    }

    fn tensor(
        &self,
        name: &str,
        dtype: Dtype,
        shape: &[Option<usize>],
    ) -> Result<TensorView<'_>, WeightsError> {
        let name = format!("{}.{name}", self.kind.name());
        let Ok(tensor) = self.tensors.tensor(&name) else { return Err(WeightsError::Missing(name)) };
        let fits = tensor.shape().len() == shape.len()
            && tensor.shape().iter().zip(shape).all(|(a, b)| b.is_none_or(|b| b == *a));
        if tensor.dtype() != dtype || !fits {
            let needed: Vec<_> = shape.iter().map(|s| s.map_or("any".into(), |s| s.to_string())).collect();
            return Err(WeightsError::Tensor {
                name,
                given: format!("{:?} {:?}", tensor.dtype(), tensor.shape()),
                needed: format!("{dtype:?} [{}]", needed.join(", ")),
            });
        }
        Ok(tensor)
    }

    fn numbers(&self, name: &str, count: usize) -> Result<Vec<f64>, WeightsError> {
        let tensor = self.tensor(name, Dtype::F64, &[Some(count)])?;
        let number = |b: &[u8]| b.try_into().map_or(f64::NAN, f64::from_le_bytes);
        let values: Vec<f64> = tensor.data().chunks_exact(8).map(number).collect();
        match values.iter().find(|x| !x.is_finite()) {
            Some(&value) => Err(self.value(name, value, "the numbers must be finite")),
            None => Ok(values),
        }
    }

    fn scales(&self, name: &str, count: usize) -> Result<Vec<f64>, WeightsError> {
        let values = self.numbers(name, count)?;
        match values.iter().find(|x| **x < 0.0) {
            Some(&value) => Err(self.value(name, value, "a deviation is zero or more")),
            None => Ok(values),
        }
    }

    fn limits(&self, name: &str, count: usize) -> Result<Limits, WeightsError> {
        let low = self.numbers(&format!("{name}.low"), count)?;
        let high = self.numbers(&format!("{name}.high"), count)?;
        match low.iter().zip(&high).find(|(l, h)| l > h) {
            Some((&value, _)) => Err(self.value(&format!("{name}.low"), value, "it must not exceed high")),
            None => Ok(Limits { low, high }),
        }
    }

    fn network(&self, name: &str, inputs: usize, outputs: usize) -> Result<Mlp, WeightsError> {
        let floats = |t: &TensorView| -> Vec<f32> {
            t.data().chunks_exact(4).map(|b| b.try_into().map_or(f32::NAN, f32::from_le_bytes)).collect()
        };
        let mut layers: Vec<Layer> = Vec::new();
        loop {
            let k = layers.len();
            let (weight, bias) = (format!("{name}.{k}.weight"), format!("{name}.{k}.bias"));
            if k > 0 && self.tensors.tensor(&format!("{}.{weight}", self.kind.name())).is_err() {
                break;
            }
            let before = layers.last().map_or(inputs, |l| l.outputs);
            let w = self.tensor(&weight, Dtype::F32, &[None, Some(before)])?;
            let rows = w.shape()[0];
            let b = self.tensor(&bias, Dtype::F32, &[Some(rows)])?;
            layers.push(Layer { inputs: before, outputs: rows, weights: floats(&w), bias: floats(&b) });
        }
        let net = Mlp::new(&format!("{}.{name}", self.kind.name()), layers)?;
        if net.outputs() != outputs {
            return Err(WeightsError::Tensor {
                name: format!("{}.{name}", self.kind.name()),
                given: format!("a network of {} outputs", net.outputs()),
                needed: format!("one of {outputs}"),
            });
        }
        Ok(net)
    }

    fn value(&self, name: &str, value: f64, allowed: &'static str) -> WeightsError {
        WeightsError::Value { name: format!("{}.{name}", self.kind.name()), value, allowed }
    }
}

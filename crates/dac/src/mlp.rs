//! Feed-forward inference: y = W x + b, with x σ(x) (SiLU) between layers.

use crate::error::WeightsError;

/// One layer.
#[derive(Clone, Debug, PartialEq)]
pub struct Layer {
    /// Number of inputs.
    pub inputs: usize,
    /// Number of outputs.
    pub outputs: usize,
    /// Weights, one row an output.
    pub weights: Vec<f32>,
    /// Bias of each output.
    pub bias: Vec<f32>,
}

/// A network.
#[derive(Clone, Debug, PartialEq)]
pub struct Mlp {
    layers: Vec<Layer>,
}

impl Mlp {
    /// Checks that the layers fit together and hold finite numbers.
    pub fn new(name: &str, layers: Vec<Layer>) -> Result<Self, WeightsError> {
        if layers.is_empty() {
            return Err(WeightsError::Missing(format!("{name}.0.weight")));
        }
        for (k, layer) in layers.iter().enumerate() {
            let tensor = |what: &str, given: String, needed: String| WeightsError::Tensor {
                name: format!("{name}.{k}.{what}"),
                given,
                needed,
            };
            let before = if k == 0 { layer.inputs } else { layers[k - 1].outputs };
            if layer.inputs != before || layer.weights.len() != layer.inputs * layer.outputs {
                let given = format!("{} × {}", layer.outputs, layer.inputs);
                return Err(tensor("weight", given, format!("{} × {before}", layer.outputs)));
            }
            if layer.bias.len() != layer.outputs {
                let (given, needed) = (layer.bias.len().to_string(), layer.outputs.to_string());
                return Err(tensor("bias", given, needed));
            }
            if let Some(&value) = layer.weights.iter().chain(&layer.bias).find(|x| !x.is_finite()) {
                return Err(WeightsError::Value {
                    name: format!("{name}.{k}"),
                    value: value.into(),
                    allowed: "weights must be finite",
                });
            }
        }
        Ok(Self { layers })
    }

    /// The layers, first to last.
    pub fn layers(&self) -> &[Layer] {
        &self.layers
    }

    /// Number of inputs.
    pub fn inputs(&self) -> usize {
        self.layers.first().map_or(0, |l| l.inputs)
    }

    /// Number of outputs.
    pub fn outputs(&self) -> usize {
        self.layers.last().map_or(0, |l| l.outputs)
    }

    /// The outputs for inputs `x`.
    pub fn evaluate(&self, x: &[f64]) -> Vec<f64> {
        let mut x = x.to_vec();
        let mut y = Vec::new();
        for (k, layer) in self.layers.iter().enumerate() {
            y.clear();
            for (row, bias) in layer.weights.chunks_exact(layer.inputs.max(1)).zip(&layer.bias) {
                let sum = row.iter().zip(&x).map(|(w, x)| f64::from(*w) * x).sum::<f64>() + f64::from(*bias);
                y.push(if k + 1 < self.layers.len() { silu(sum) } else { sum });
            }
            std::mem::swap(&mut x, &mut y);
        }
        x
    }
}

fn silu(x: f64) -> f64 {
    x / (1.0 + (-x).exp())
}

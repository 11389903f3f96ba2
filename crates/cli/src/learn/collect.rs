//! `stiction learn collect`: tosses of a body by the rigid reference, as a dataset.

use super::at_least_one;
use crate::failure::{Failure, print};
use crate::outlet;
use crate::scene::ReadOptions;
use clap::{Args, ValueEnum};
use std::path::{Path, PathBuf};
use stiction::Model;
use stiction_calibrate::Dataset;
use stiction_calibrate::dac::{Case, Reference, TossBody, instances};
use stiction_dac::Symmetry;

/// Arguments of `stiction learn collect`.
#[derive(Args)]
pub struct CollectArguments {
    #[command(flatten)]
    case: CaseArguments,
    /// The dataset to write (.npz)
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
    /// Number of tosses
    #[arg(long, default_value_t = 1000, allow_negative_numbers = true)]
    tosses: usize,
    /// Maximum number of 2 ms steps per toss; a toss ends when it comes to rest
    #[arg(long, default_value_t = 800, allow_negative_numbers = true)]
    steps: usize,
    /// Seed of the initial states
    #[arg(long, default_value_t = 1, allow_negative_numbers = true)]
    seed: u64,
}

/// Symmetry of friction in the plane of contact.
#[derive(Clone, Copy, ValueEnum)]
enum SymmetryName {
    /// Any direction may differ
    None,
    /// Mirrored along x and along y
    Mirror,
    /// Also the same along x and along y
    Square,
    /// The same in every direction
    Round,
}

/// The body that is tossed and the floor.
#[derive(Args)]
pub struct CaseArguments {
    /// A case (box, prism, box-2d, anisotropic, link), or a model whose first body is a box or a convex mesh
    pub case: String,
    /// Friction of the floor: one number, or one along x and one along y, separated by a comma [default: the case's, or 0.4]
    #[arg(long, value_name = "MU[,MU]", value_delimiter = ',', num_args = 1, allow_hyphen_values = true)]
    friction: Vec<f64>,
    /// Symmetry of the floor's friction [default: the case's, or that of --friction]
    #[arg(long, value_enum)]
    symmetry: Option<SymmetryName>,
    #[command(flatten)]
    read: ReadOptions,
}

impl CaseArguments {
    /// Reads recorded tosses of the case's body.
    pub fn recorded(&self, path: &Path) -> Result<Dataset, Failure> {
        if Case::named(&self.case).is_some() {
            return Dataset::read_npz(path).map_err(Failure::input);
        }
        Dataset::read(path, &self.read.load(&self.case)?).map_err(Failure::input)
    }

    /// The model, where the case is one.
    pub fn model(&self) -> Result<Model, Failure> {
        if Case::named(&self.case).is_some() {
            return Err(Failure::input(
                "recorded tosses are compared with a model: give one in place of a case",
            ));
        }
        self.read.load(&self.case)
    }

    /// The friction along x and along y, if it is given.
    fn floor(&self) -> Result<Option<[f64; 2]>, Failure> {
        let friction = match *self.friction.as_slice() {
            [] => return Ok(None),
            [both] => [both, both],
            [x, y] => [x, y],
            _ => {
                let what = "--friction has more than two numbers: give one, or one along x and one along y";
                return Err(Failure::input(what));
            }
        };
        match friction.iter().find(|mu| !(**mu >= 0.0 && mu.is_finite())) {
            Some(mu) => {
                let what = format!("--friction {mu} is not allowed: give finite numbers, zero or more");
                Err(Failure::input(what))
            }
            None => Ok(Some(friction)),
        }
    }

    /// The case, or one made of a model with the box's ranges.
    pub fn load(&self) -> Result<Case, Failure> {
        let mut case = match Case::named(&self.case) {
            Some(case) => case,
            None => {
                let model = self.read.load(&self.case)?;
                let body = TossBody::from_model(&model).map_err(Failure::input)?;
                let like = Case::all().swap_remove(0);
                Case { name: "model", summary: "the first body of a model", body, ..like }
            }
        };
        if let Some(friction) = self.floor()? {
            case.reference = Reference { friction };
            case.symmetry = if friction[0] == friction[1] { Symmetry::Square } else { Symmetry::Mirror };
        }
        if let Some(symmetry) = self.symmetry {
            case.symmetry = match symmetry {
                SymmetryName::None => Symmetry::None,
                SymmetryName::Mirror => Symmetry::Mirror,
                SymmetryName::Square => Symmetry::Square,
                SymmetryName::Round => Symmetry::Round,
            };
        }
        Ok(case)
    }
}

/// Simulates tosses and writes them.
pub fn collect(arguments: &CollectArguments) -> Result<(), Failure> {
    at_least_one(arguments.tosses, "--tosses")?;
    at_least_one(arguments.steps, "--steps")?;
    let case = arguments.case.load()?;
    outlet::file(&arguments.out, "--out")?;
    let (tosses, steps) = (arguments.tosses, arguments.steps);
    let mut dataset =
        instances::collect(&case, &case.reference, tosses, steps, arguments.seed).map_err(Failure::work)?;
    if case.name == "model" {
        dataset.header.model.clone_from(&arguments.case.case);
    }
    dataset.write(&arguments.out).map_err(Failure::work)?;
    let samples = dataset.samples();
    print(&format!("{}: {tosses} tosses, {samples} samples\n", arguments.out.display()))
}

//! Settings of the continuous method.

use crate::error::OptionError;

/// Integrator of continuous time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Integrator {
    /// Radau IIA of order 5, implicit: for stiff contact. The dissertation's choice.
    #[default]
    Radau,
    /// Dormand and Prince's pair of order 5(4), explicit: for soft or no contact at high accuracy.
    DormandPrince,
    /// Bogacki and Shampine's pair of order 3(2), explicit: for soft or no contact at low accuracy.
    BogackiShampine,
}

impl Integrator {
    /// Its name on the command line and in Python.
    pub fn name(self) -> &'static str {
        match self {
            Self::Radau => "radau",
            Self::DormandPrince => "dormand-prince",
            Self::BogackiShampine => "bogacki-shampine",
        }
    }

    /// Parses a name.
    pub fn from_name(name: &str) -> Result<Self, OptionError> {
        [Self::Radau, Self::DormandPrince, Self::BogackiShampine]
            .into_iter()
            .find(|i| i.name() == name)
            .ok_or_else(|| OptionError::Integrator(name.into()))
    }
}

fn range(option: &'static str, value: f64, fine: bool, allowed: &'static str) -> Result<(), OptionError> {
    if fine && value.is_finite() { Ok(()) } else { Err(OptionError::Range { option, value, allowed }) }
}

/// Friction model.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum TractionFriction {
    /// Viscous up to the stiction tolerance v_c, Coulomb's beyond (PFC eq. 5.16): −μ p v/max(‖v‖, v_c).
    #[default]
    Cutoff,
    /// −μ p v/√(‖v‖² + v_c²): smooth, and the law of the convex Lagged model without its impact regularisation, which
    /// converges to it as δt → 0.
    Soft,
    /// True Coulomb friction in series with springs and dampers, one six-component state per patch (PFC 6.2).
    /// Sticking contacts do not creep.
    Springs(TangentialCompliance),
}

/// Tangential compliance of patches: k = k̄ p and c = c̄ p (PFC eq. 6.17, 6.18), so that slip begins at the same stretch
/// under any pressure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TangentialCompliance {
    /// 1/k̄, m: the surface yields by μ times this before it slips.
    pub stretch: f64,
    /// τ = c/k, s.
    pub relaxation_time: f64,
}

impl TangentialCompliance {
    /// Checks both values. Springs without damping are for convex steps only.
    pub(crate) fn check(&self, undamped: bool) -> Result<(), OptionError> {
        let (stretch, tau) = (self.stretch, self.relaxation_time);
        range("tangential stretch", stretch, stretch > 0.0, "a positive number of metres")?;
        let allowed =
            if undamped { "zero or a positive number of seconds" } else { "a positive number of seconds" };
        range("tangential relaxation time", tau, tau > 0.0 || undamped && tau == 0.0, allowed)
    }
}

impl Default for TangentialCompliance {
    /// 0.1 mm, and approximately critical damping of a body at rest under gravity, 2 √(stretch/g) = 6 ms.
    fn default() -> Self {
        Self { stretch: 1e-4, relaxation_time: 6e-3 }
    }
}

/// Settings of the continuous method.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContinuousOptions {
    /// Integrator.
    pub integrator: Integrator,
    /// Friction model.
    pub friction: TractionFriction,
    /// Largest suction at a separating surface, Pa (PFC eq. 5.10 with −adhesion in place of 0); usually 0.
    pub adhesion: f64,
}

impl ContinuousOptions {
    /// Checks every value.
    pub(crate) fn check(&self) -> Result<(), OptionError> {
        range("adhesion", self.adhesion, self.adhesion >= 0.0, "zero or a positive number of Pa")?;
        if let TractionFriction::Springs(springs) = self.friction {
            springs.check(false)?;
        }
        Ok(())
    }
}

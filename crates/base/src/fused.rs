//! Multiplication and addition in one instruction, where the target has it.

/// Numbers that are multiplied and added at once.
pub trait Fused {
    /// self · a + b: rounded once where the target has the instruction, and twice where it would have to be imitated, which
    /// takes fifty times as long (WebAssembly).
    fn fused(self, a: Self, b: Self) -> Self;
}

impl Fused for f64 {
    #[inline(always)]
    fn fused(self, a: f64, b: f64) -> f64 {
        if cfg!(any(target_feature = "fma", target_arch = "aarch64")) {
            self.mul_add(a, b)
        } else {
            self * a + b
        }
    }
}

//! Check that this processor supports the instruction sets that the program was compiled for.
//!
//! On x86-64 the project is compiled for x86-64-v3 (`.cargo/config.toml`). On a processor without those
//! instructions, the program would be killed by a signal without an explanation. [`check`] returns an explanation.
//! Call it first in a program.
//!
//! The whole crate, including this file, may be compiled to unavailable instructions. Therefore this code compares
//! bits of one integer one by one and returns precomputed texts, so the compiler emits no vector instructions. (To
//! test it: `qemu-x86_64 -cpu Nehalem target/release/stiction`.)

use std::ffi::CStr;

/// Returns an error with a remedy if the processor or the operating system lacks an instruction set that this
/// program was compiled for.
///
/// ```
/// assert_eq!(stiction::processor::check(), Ok(())); // or this would not run
/// ```
#[inline(never)]
pub fn check() -> Result<(), &'static CStr> {
    #[cfg(target_arch = "x86_64")]
    {
        x86_64::compare(&x86_64::COMPILED_FOR, x86_64::features())
    }
    #[cfg(not(target_arch = "x86_64"))]
    Ok(())
}

#[cfg(target_arch = "x86_64")]
mod x86_64 {
    use std::arch::x86_64::{__cpuid, __cpuid_count, _xgetbv};
    use std::ffi::CStr;
    use std::hint::black_box;

    // Bit positions of the feature sets: ECX of leaf 1 as it is, the low half of EBX of leaf 7 above it, and two
    // more. (Intel's manual, volume 2A, CPUID; LZCNT is in AMD's extended leaf.)
    const LEAF_7: u32 = 32;
    /// The processor has LZCNT.
    const LZCNT: u64 = 1 << 62;
    /// The operating system saves XMM and YMM registers.
    const WIDE: u64 = 1 << 63;

    /// An instruction set: whether this program uses it, its feature bits, and the message if a bit is not set.
    pub struct Needed {
        pub used: bool,
        pub bits: u64,
        pub message: &'static CStr,
    }

    macro_rules! needed {
        ($feature:tt, $name:literal, $bits:expr) => {
            Needed {
                used: cfg!(target_feature = $feature),
                bits: $bits,
                message: {
                    const TEXT: &str = concat!(
                        "this processor (or the operating system, for it) has no ",
                        $name,
                        ", and this program was compiled to use it. Stiction is compiled for x86-64-v3 processors, which are those ",
                        "with AVX2, FMA and BMI2: Intel's since 2013 (Haswell), AMD's since 2015 (Excavator). On an older one, ",
                        "build it from source without the line target-cpu in .cargo/config.toml\0"
                    );
                    match CStr::from_bytes_with_nul(TEXT.as_bytes()) {
                        Ok(text) => text,
                        Err(_) => panic!("one zero byte, at the end"),
                    }
                },
            }
        };
    }

    /// Instruction sets that x86-64-v3 adds to x86-64.
    pub const COMPILED_FOR: [Needed; 10] = [
        needed!("sse4.2", "SSE4.2", 1 << 20),
        needed!("popcnt", "POPCNT", 1 << 23),
        needed!("avx", "AVX", 1 << 28 | WIDE),
        needed!("avx2", "AVX2", 1 << (LEAF_7 + 5)),
        needed!("fma", "FMA", 1 << 12),
        needed!("f16c", "F16C", 1 << 29),
        needed!("movbe", "MOVBE", 1 << 22),
        needed!("bmi1", "BMI1", 1 << (LEAF_7 + 3)),
        needed!("bmi2", "BMI2", 1 << (LEAF_7 + 8)),
        needed!("lzcnt", "LZCNT", LZCNT),
    ];

    /// The first instruction set that is used but not available.
    #[inline(never)]
    pub fn compare(compiled_for: &[Needed], here: u64) -> Result<(), &'static CStr> {
        // Separate from the comparison; otherwise both become one BMI1 instruction.
        let lacking = black_box(!here);
        for needed in compiled_for {
            if needed.used && needed.bits & lacking != 0 {
                return Err(needed.message);
            }
        }
        Ok(())
    }

    /// Feature bits of this processor.
    #[inline(never)]
    pub fn features() -> u64 {
        const OSXSAVE: u32 = 1 << 27;
        let leaf_1 = __cpuid(1).ecx;
        let mut found = black_box(u64::from(leaf_1));
        if __cpuid(0).eax >= 7 {
            found |= black_box(u64::from(__cpuid_count(7, 0).ebx & 0xffff)) << LEAF_7;
        }
        if __cpuid(0x8000_0000).eax > 0x8000_0000 && __cpuid(0x8000_0001).ecx & (1 << 5) != 0 {
            found |= LZCNT;
        }
        // SAFETY: the processor reports that the operating system uses XSAVE, which includes reading this register.
        #[allow(unsafe_code)]
        if leaf_1 & OSXSAVE != 0 && unsafe { _xgetbv(0) } & 0b110 == 0b110 {
            found |= WIDE;
        }
        found
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        /// Requirements of x86-64-v3, independent of the target of this test.
        fn v3() -> [Needed; 10] {
            COMPILED_FOR.map(|needed| Needed { used: true, ..needed })
        }

        /// Leaf 1, leaf 7 and the rest of a Haswell under Linux.
        const HASWELL: u64 = 0x7ffa_fbff | 0x27ab << LEAF_7 | LZCNT | WIDE;

        fn lacks(here: u64) -> Option<String> {
            let message = compare(&v3(), here).err()?.to_str().unwrap().to_owned();
            assert!(message.contains("x86-64-v3") && message.contains("target-cpu"), "{message}");
            let (_, after) = message.split_once("has no ").unwrap();
            Some(after.split(',').next().unwrap().to_owned())
        }

        #[test]
        fn a_haswell_lacks_nothing_and_what_is_taken_from_it_is_named() {
            assert_eq!(lacks(HASWELL), None);
            let names = ["SSE4.2", "POPCNT", "AVX", "AVX2", "FMA", "F16C", "MOVBE", "BMI1", "BMI2", "LZCNT"];
            for (needed, name) in v3().iter().zip(names) {
                assert_eq!(lacks(HASWELL & !needed.bits).as_deref(), Some(name));
            }
        }

        #[test]
        fn a_system_that_does_not_save_wide_registers_has_no_avx() {
            assert_eq!(lacks(HASWELL & !WIDE).as_deref(), Some("AVX"));
        }

        #[test]
        fn an_ivy_bridge_has_avx_but_not_avx2() {
            assert_eq!(
                lacks(0x7fba_e3ff & !(1 << 12 | 1 << 22) | 0x281 << LEAF_7 | WIDE).as_deref(),
                Some("AVX2")
            );
        }

        #[test]
        fn what_is_not_used_is_not_asked_for() {
            let none = COMPILED_FOR.map(|needed| Needed { used: false, ..needed });
            assert_eq!(compare(&none, 0), Ok(()));
        }

        #[test]
        fn the_processor_that_runs_this_has_what_it_was_compiled_for() {
            assert_eq!(compare(&COMPILED_FOR, features()), Ok(()));
            assert_ne!(features(), 0);
        }
    }
}

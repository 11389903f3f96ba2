//! Every example runs and finds what it says.

use std::process::Command;

macro_rules! runs {
    ($($name:ident)*) => {$(
        #[test]
        fn $name() {
            let out = Command::new(env!(concat!("CARGO_BIN_EXE_", stringify!($name)))).output().expect("a built program starts");
            assert!(out.status.success(), "{}{}", String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
            assert!(!out.stdout.is_empty(), "an example says something");
        }
    )*};
}

runs! { first_steps contact soft accuracy control worlds gradients impacts recording }

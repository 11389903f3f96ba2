//! What a page may ask for.

use serde::Deserialize;

/// A command of a page. Numbers are finite and within reason; indices are not yet checked against a model.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase", deny_unknown_fields)]
pub enum Command {
    /// Go on.
    Play {},
    /// Stop.
    Pause {},
    /// Stop, and take so many steps.
    Step {
        /// How many.
        steps: u32,
    },
    /// Back to where the simulation began.
    Reset {},
    /// Simulated over real time; 0 for as fast as possible.
    Speed {
        /// The factor.
        value: f64,
    },
    /// Set a control.
    Ctrl {
        /// Index of the actuator.
        actuator: usize,
        /// The control.
        value: f64,
    },
    /// Move a slider, or press a button.
    Widget {
        /// Its number.
        index: usize,
        /// Where a slider was put; any number for a button.
        value: f64,
    },
    /// Pull a point of a body towards a target until released.
    Push {
        /// Index of the body.
        body: usize,
        /// The point in the body frame, m.
        point: [f64; 3],
        /// The target in the world, m.
        target: [f64; 3],
    },
    /// End the push.
    Release {},
}

/// Most steps asked for at once.
const MOST_STEPS: u32 = 100_000;
/// Largest speed.
const FASTEST: f64 = 1000.0;
/// Farthest point or target, m.
const FARTHEST: f64 = 1e6;

/// Reads a message; the error is for the person at the page.
pub fn parse(text: &str) -> Result<Command, String> {
    let command: Command =
        serde_json::from_str(text).map_err(|e| format!("a message was not understood: {e}"))?;
    let fine = match &command {
        Command::Step { steps } if !(1..=MOST_STEPS).contains(steps) => {
            Err(format!("steps: 1 to {MOST_STEPS}"))
        }
        Command::Speed { value } if !(0.0..=FASTEST).contains(value) => Err(format!("speed: 0 to {FASTEST}")),
        Command::Ctrl { value, .. } if !value.is_finite() => Err("ctrl: a finite value".into()),
        Command::Widget { value, .. } if !value.is_finite() => Err("widget: a finite value".into()),
        Command::Push { point, target, .. }
            if point.iter().chain(target).any(|x| x.is_nan() || x.abs() > FARTHEST) =>
        {
            Err(format!("push: points within {FARTHEST:e} m"))
        }
        _ => Ok(()),
    };
    fine.map(|()| command).map_err(|allowed| format!("a message was out of range; allowed is {allowed}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_message_of_the_format_is_read() {
        for (text, command) in [
            (r#"{"type":"play"}"#, Command::Play {}),
            (r#"{"type":"pause"}"#, Command::Pause {}),
            (r#"{"type":"step","steps":3}"#, Command::Step { steps: 3 }),
            (r#"{"type":"reset"}"#, Command::Reset {}),
            (r#"{"type":"speed","value":0.5}"#, Command::Speed { value: 0.5 }),
            (r#"{"type":"ctrl","actuator":2,"value":-1}"#, Command::Ctrl { actuator: 2, value: -1.0 }),
            (
                r#"{"type":"push","body":1,"point":[0,0,0.1],"target":[1,2,3]}"#,
                Command::Push { body: 1, point: [0.0, 0.0, 0.1], target: [1.0, 2.0, 3.0] },
            ),
            (r#"{"type":"widget","index":1,"value":0.5}"#, Command::Widget { index: 1, value: 0.5 }),
            (r#"{"type":"release"}"#, Command::Release {}),
        ] {
            assert_eq!(parse(text), Ok(command), "{text}");
        }
    }

    #[test]
    fn what_is_not_a_message_is_said() {
        for text in [
            "",
            "{}",
            "[]",
            "null",
            r#"{"type":"open","path":"/etc/passwd"}"#,
            r#"{"type":"play","path":"x"}"#,
            r#"{"type":"step","steps":0}"#,
            r#"{"type":"step","steps":-1}"#,
            r#"{"type":"step","steps":1e9}"#,
            r#"{"type":"speed","value":-1}"#,
            r#"{"type":"speed","value":1e400}"#,
            r#"{"type":"ctrl","actuator":-1,"value":0}"#,
            r#"{"type":"widget","index":0}"#,
            r#"{"type":"widget","index":0,"value":1e400}"#,
            r#"{"type":"push","body":1,"point":[0,0],"target":[1,2,3]}"#,
            r#"{"type":"push","body":1,"point":[0,0,1e9],"target":[1,2,3]}"#,
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
        let deep = "[".repeat(4000);
        assert!(parse(&deep).is_err());
    }

    /// JSON that looks like messages, with all kinds of values in the wrong places.
    fn json() -> impl Strategy<Value = String> {
        let leaf = prop_oneof![
            Just("null".to_string()),
            any::<f64>().prop_map(|x| format!("{x:e}")),
            any::<i64>().prop_map(|x| x.to_string()),
            "[a-z]{0,8}".prop_map(|s| format!("\"{s}\"")),
            prop::sample::select(vec!["play", "step", "speed", "ctrl", "widget", "push"])
                .prop_map(|s| format!("\"{s}\"")),
        ];
        leaf.prop_recursive(3, 24, 4, |inner| {
            let key = prop::sample::select(vec![
                "type", "steps", "value", "actuator", "body", "point", "target", "x",
            ]);
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(|v| format!("[{}]", v.join(","))),
                prop::collection::vec((key, inner), 0..5).prop_map(|v| {
                    let fields: Vec<String> = v.iter().map(|(k, v)| format!("\"{k}\":{v}")).collect();
                    format!("{{{}}}", fields.join(","))
                }),
            ]
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn random_text_never_panics_and_what_is_read_is_in_range(text in prop_oneof![any::<String>(), json()]) {
            match parse(&text) {
                Ok(Command::Step { steps }) => prop_assert!((1..=MOST_STEPS).contains(&steps)),
                Ok(Command::Speed { value }) => prop_assert!((0.0..=FASTEST).contains(&value)),
                Ok(Command::Ctrl { value, .. } | Command::Widget { value, .. }) => prop_assert!(value.is_finite()),
                Ok(Command::Push { point, target, .. }) => {
                    prop_assert!(point.iter().chain(&target).all(|x| x.abs() <= FARTHEST));
                }
                Ok(_) => {}
                Err(message) => prop_assert!(!message.is_empty()),
            }
        }
    }
}

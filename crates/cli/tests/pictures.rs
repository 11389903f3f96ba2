//! `stiction picture` and the films of `stiction run`.

mod common;

use common::{folder, json, stiction, text};
use std::path::Path;

/// Width, height, bits and colour type of a PNG file.
fn png(path: &Path) -> (u32, u32, u8, u8) {
    let bytes = std::fs::read(path).unwrap();
    assert_eq!(&bytes[..8], b"\x89PNG\r\n\x1a\n");
    let number = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap());
    (number(16), number(20), bytes[24], bytes[25])
}

#[test]
fn a_picture_is_a_png_of_the_given_size_and_kind() {
    let folder = folder("picture-kinds");
    let draw = |name: &str, more: &[&str]| {
        let path = folder.join(name);
        let mut arguments = vec!["picture", "gripper_soft", "--size", "80x60", "-o", path.to_str().unwrap()];
        arguments.extend_from_slice(more);
        let output = stiction(&arguments);
        assert!(output.status.success(), "{}", text(&output.stderr));
        assert!(text(&output.stdout).contains("80 × 60"), "{}", text(&output.stdout));
        (png(&path), std::fs::read(&path).unwrap())
    };
    let (color, bytes) = draw("color.png", &[]);
    assert_eq!(color, (80, 60, 8, 2));
    assert_eq!(draw("depth.png", &["--kind", "depth"]).0, (80, 60, 16, 0));
    assert_eq!(draw("segmentation.png", &["--kind", "segmentation"]).0, (80, 60, 16, 0));
    // Each of these changes the picture.
    for more in [
        &["--azimuth", "30"][..],
        &["--elevation", "-60"],
        &["--distance", "2"],
        &["--look-at", "0.1,0,0.2"],
        &["--time", "0.4"],
        &["--time", "0.4", "--forces"],
        &["--time", "0.4", "--no-patches"],
    ] {
        assert_ne!(draw("other.png", more).1, bytes, "{more:?}");
    }
    let at = |more: &[&str]| draw("other.png", &[&["--time", "0.4"], more].concat()).1;
    assert_ne!(at(&["--forces"]), at(&[]));
    assert_ne!(at(&["--no-patches"]), at(&[]));
}

#[test]
fn mistakes_in_a_picture_are_input_errors_that_say_what_to_give() {
    for (arguments, words) in [
        (&["--size", "80"][..], "1280x720"),
        (&["--size", "0x10"], "1280x720"),
        (&["--camera", "top"], "no camera \"top\""),
        (&["--distance", "-1"], "distance"),
        (&["--look-at", "1,2"], "three numbers"),
        (&["--time", "-1"], "--time"),
        (&["--kind", "depth", "--forces"], "--kind color"),
        (&["--camera", "top", "--azimuth", "3"], "--azimuth"),
    ] {
        let path = folder("picture-mistakes").join("a.png");
        let output = stiction(&[&["picture", "arm", "-o", path.to_str().unwrap()], arguments].concat());
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(text(&output.stderr).contains(words), "{arguments:?}: {}", text(&output.stderr));
        assert!(!path.exists(), "{arguments:?}");
    }
}

#[test]
fn a_run_is_filmed_and_its_steps_stay_the_same() {
    let folder = folder("film");
    let film = folder.join("clutter.mp4");
    let run =
        |more: &[&str]| json(&stiction(&[&["run", "clutter", "--time", "0.2", "--json"], more].concat()));
    let (plain, filmed) = (
        run(&[]),
        run(&[
            "--video",
            film.to_str().unwrap(),
            "--video-size",
            "160x120",
            "--frame-rate",
            "20",
            "--azimuth",
            "45",
        ]),
    );
    assert!(plain["trajectory_hash"].is_string(), "{plain}");
    assert_eq!(plain["trajectory_hash"], filmed["trajectory_hash"]);
    let bytes = std::fs::read(&film).unwrap();
    assert_eq!(&bytes[4..8], b"ftyp");
    let still = |more: &[&str]| stiction(&[&["run", "clutter", "--time", "0.1"], more].concat());
    for (more, words) in [
        (&["--video", "a.avi"][..], ".mp4 or .gif"),
        (&["--video", "a.mp4", "--video-size", "161x120"], "162 × 120"),
        (&["--video", "a.mp4", "--camera", "no"], "no camera"),
        (&["--video-size", "160x120"], "--video"),
        (&["--azimuth", "3"], "--video"),
        (&["--frame-rate", "3"], "--video"),
    ] {
        let output = still(more);
        assert_eq!(output.status.code(), Some(2), "{more:?}: {}", text(&output.stderr));
        assert!(text(&output.stderr).contains(words), "{more:?}: {}", text(&output.stderr));
        assert!(!Path::new("a.mp4").exists() && !Path::new("a.mp4.part").exists());
    }
}

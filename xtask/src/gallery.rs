//! The gallery: pictures and recordings of the scenes.
//!
//! One list names the runs. `cargo xtask web gallery` records them and takes a picture of each for `docs/gallery.md`;
//! `cargo xtask docs` records them again into the book, where each picture opens its recording.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use crate::project;
use crate::stage::{Failure, Outcome, Stages};

/// A run and its picture.
struct Entry {
    name: &'static str,
    /// Arguments of the program, without where to write.
    command: &'static [&'static str],
    /// Name of the recording the command writes.
    recording: &'static str,
    /// The page's settings, after `#`; first of all the time of the picture.
    address: &'static str,
    /// Where the camera looks from and at, in m; the page's own choice if there is none.
    camera: Option<[[f64; 3]; 2]>,
    words: &'static str,
}

const ENTRIES: [Entry; 12] = [
    Entry {
        name: "clutter",
        command: &["run", "clutter", "--time", "3"],
        recording: "clutter",
        address: "t=0.9",
        camera: None,
        words: "Forty spheres and boxes fall into an open box: the pile of the convex paper. Lines are contact forces.",
    },
    Entry {
        name: "soft_pile",
        command: &["run", "soft_pile", "--time", "2"],
        recording: "soft_pile",
        address: "t=1.5&opacity=0.65",
        camera: Some([[0.27, -0.6, 0.4], [0.03, -0.02, 0.035]]),
        words: "Ten soft shapes in a tray; where they touch there are patches, coloured by pressure.",
    },
    Entry {
        name: "gripper_banana",
        command: &["run", "gripper_banana", "--time", "2", "--keyframe", "lift"],
        recording: "gripper_banana",
        address: "t=1.5&forces=0",
        camera: None,
        words: "A banana from a surface mesh, filled with tetrahedra and a pressure field as it is loaded.",
    },
    Entry {
        name: "gripper_soft",
        command: &["run", "gripper_soft", "--time", "2", "--keyframe", "lift"],
        recording: "gripper_soft",
        address: "t=1.2&opacity=0.5",
        camera: Some([[0.13, -0.3, 0.25], [0.005, 0.0, 0.14]]),
        words: "Rubber pads hold a block: a patch carries torque as well as force.",
    },
    Entry {
        name: "pancake_flip",
        command: &["reproduce", "pancake-flip", "--quick"],
        recording: "pancake-flip",
        address: "t=10.1&forces=0",
        camera: Some([[1.42, -0.85, 0.66], [0.47, 0.02, 0.2]]),
        words: "An arm with a bubble gripper takes a spatula and flips a pancake.",
    },
    Entry {
        name: "pick_and_place",
        command: &["reproduce", "pick-and-place", "--quick"],
        recording: "pick-and-place",
        address: "t=8&forces=0",
        camera: Some([[1.05, -0.85, 0.75], [0.38, 0.0, 0.12]]),
        words: "An arm feels whether a thing is hard or soft, and puts it where it belongs.",
    },
    Entry {
        name: "pencil_grip",
        command: &["reproduce", "pencil-grip", "--quick"],
        recording: "pencil-grip-discrete",
        address: "t=0.8",
        camera: Some([[0.17, -0.27, 0.24], [0.0, 0.0, 0.19]]),
        words: "A pencil turns in a pinch as the grip loosens, and does not fall.",
    },
    Entry {
        name: "cam_cleat",
        command: &["reproduce", "cam-cleat", "--quick"],
        recording: "cam-cleat-discrete",
        address: "t=0.5",
        camera: Some([[0.1, -0.1, 0.13], [0.0, 0.0, 0.0]]),
        words: "A cam cleat lets a rod through one way and locks it the other: friction alone.",
    },
    Entry {
        name: "humanoid",
        command: &["run", "humanoid", "--time", "2"],
        recording: "humanoid",
        address: "t=1.25",
        camera: None,
        words: "A humanoid without control, on its way down.",
    },
    Entry {
        name: "conveyor",
        command: &["run", "conveyor", "--time", "6"],
        recording: "conveyor",
        address: "t=2",
        camera: None,
        words: "Two belts at a right angle, with parcels.",
    },
    Entry {
        name: "four_bar",
        command: &["run", "four_bar", "--time", "4", "--keyframe", "turning"],
        recording: "four_bar",
        address: "t=1.5",
        camera: None,
        words: "A four-bar linkage: a closed loop, held by a constraint.",
    },
    Entry {
        name: "cube_toss",
        command: &["run", "cube_toss", "--time", "1.5"],
        recording: "cube_toss",
        address: "t=0.45",
        camera: None,
        words: "A cube whose contact was calibrated to motion-captured tosses of a real one.",
    },
];

/// Runs every entry; their recordings are then in `folder`.
pub fn record(stages: &mut Stages, program: &Path, folder: &Path) -> Outcome {
    std::fs::create_dir_all(folder).map_err(|e| Failure::work(format!("{}: {e}", folder.display())))?;
    for entry in &ENTRIES {
        let mut run = Command::new(program);
        run.args(entry.command).arg("--out").arg(folder);
        if entry.command[0] == "run" {
            run.args(["--skip", "mcap,csv"]);
        }
        stages.run(&format!("record {}", entry.name), &mut run)?;
    }
    Ok(())
}

/// What the picture taker needs of each entry, as JSON.
pub fn shots(folder: &Path) -> String {
    let list: Vec<String> = ENTRIES
        .iter()
        .map(|e| {
            let file = folder.join(format!("{}.html", e.recording));
            let camera = e.camera.map_or("null".to_owned(), |camera| format!("{camera:?}"));
            format!(
                "{{\"name\":{:?},\"file\":{:?},\"address\":{:?},\"camera\":{camera}}}",
                e.name,
                file.display().to_string(),
                e.address
            )
        })
        .collect();
    format!("[{}]", list.join(","))
}

/// `docs/gallery.md`.
pub fn page() -> String {
    let mut text = String::from(
        "# Gallery\n\nEach picture is a moment of a recording: one HTML file that opens in any browser, to be turned, played and \
         asked for forces. In the book (`cargo xtask docs`) a click on a picture opens it; the command below a picture makes the same file. \
         The pictures are made by `cargo xtask web gallery`.\n\n",
    );
    for pair in ENTRIES.chunks(2) {
        text += &format!("|{}\n|{}\n|", " |".repeat(pair.len()), "---|".repeat(pair.len()));
        for entry in pair {
            let _ = write!(text, " {} |", picture(entry));
        }
        text += "\n|";
        for entry in pair {
            let _ = write!(text, " {}<br>`stiction {} --out out` |", entry.words, entry.command.join(" "));
        }
        text += "\n\n";
    }
    text
}

fn picture(entry: &Entry) -> String {
    format!("![{}](figures/gallery/{}.jpg)", entry.name, entry.name)
}

/// The page for the book, whose pictures open the recordings in `recordings/`.
pub fn linked(page: &str) -> String {
    ENTRIES.iter().fold(page.to_owned(), |text, entry| {
        let picture = picture(entry);
        text.replace(&picture, &format!("[{picture}](recordings/{}.html)", entry.recording))
    })
}

/// Writes the page of the repository.
pub fn write_page() -> Outcome {
    let path = project::root().join("docs/gallery.md");
    std::fs::write(&path, page()).map_err(|e| Failure::work(format!("{}: {e}", path.display())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_committed_page_is_the_one_the_list_makes_and_has_its_pictures() {
        let docs = project::root().join("docs");
        let committed = std::fs::read_to_string(docs.join("gallery.md")).unwrap_or_default();
        assert_eq!(committed, page(), "run `cargo xtask web gallery`");
        for entry in &ENTRIES {
            let path = docs.join(format!("figures/gallery/{}.jpg", entry.name));
            assert!(path.is_file(), "{} is missing: run `cargo xtask web gallery`", path.display());
        }
        assert_eq!(linked(&committed).matches("](recordings/").count(), ENTRIES.len());
    }
}

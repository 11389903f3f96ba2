//! The built-in scenes: the files of `scenes/`, embedded in the program.

/// A built-in scene.
#[derive(Clone, Copy, Debug)]
pub struct Scene {
    /// Its name, as in `stiction run NAME`.
    pub name: &'static str,
    /// The MJCF text.
    pub text: &'static str,
}

impl Scene {
    /// The first sentence of the comment at the top of the file.
    pub fn summary(&self) -> String {
        let comment = self.text.split_once("<!--").and_then(|(_, rest)| rest.split_once("-->"));
        let words: Vec<&str> = comment.map_or("", |(c, _)| c).split_whitespace().collect();
        let sentence = words.join(" ");
        sentence.split_once(". ").map_or(sentence.clone(), |(first, _)| format!("{first}."))
    }
}

macro_rules! scenes {
    ($($name:literal),* $(,)?) => {
        &[$(Scene { name: $name, text: include_str!(concat!("../../../../scenes/", $name, ".xml")) }),*]
    };
}

/// All built-in scenes, by name.
pub fn all() -> &'static [Scene] {
    scenes![
        "arm",
        "assistive_arm",
        "cam_cleat",
        "clutter",
        "conveyor",
        "cube_toss",
        "double_pendulum",
        "elbow_toss",
        "four_bar",
        "gripper",
        "gripper_banana",
        "gripper_soft",
        "humanoid",
        "incline",
        "landing",
        "pancake",
        "pencil_grip",
        "pick_and_place",
        "rolling_ball",
        "soft_pile",
        "sorting",
        "spatula",
        "spinning_top",
        "stack",
    ]
}

/// The text of the scene of this name.
pub fn text(name: &str) -> Option<&'static str> {
    all().iter().find(|s| s.name == name).map(|s| s.text)
}

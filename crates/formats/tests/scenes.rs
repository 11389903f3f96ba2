//! The ready scenes load without a complaint, with the sizes their headers promise.
#![cfg(feature = "fs")]

use stiction_formats::{LoadOptions, load};

#[test]
fn scenes_load_strictly_with_their_sizes() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes");
    for (name, nq, nv, nu) in [
        ("double_pendulum", 2, 2, 0),
        ("arm", 7, 7, 7),
        ("assistive_arm", 8, 8, 7),
        ("pick_and_place", 78, 68, 7),
        ("humanoid", 35, 34, 28),
        ("stack", 70, 60, 0),
        ("incline", 7, 6, 0),
        ("gripper", 10, 9, 3),
        ("gripper_soft", 10, 9, 3),
        ("gripper_banana", 10, 9, 3),
        ("soft_pile", 70, 60, 0),
        ("four_bar", 3, 3, 1),
        ("conveyor", 35, 30, 0),
        ("spinning_top", 7, 6, 0),
        ("rolling_ball", 7, 6, 0),
        ("pencil_grip", 8, 7, 1),
        ("cam_cleat", 4, 4, 1),
        ("sorting", 65, 56, 2),
        ("bolt", 7, 6, 1),
        ("cube_toss", 7, 6, 0),
        ("elbow_toss", 8, 7, 0),
    ] {
        let world =
            load(format!("{folder}/{name}.xml"), &LoadOptions { strict: true, ..LoadOptions::default() })
                .unwrap_or_else(|e| panic!("{e}"));
        assert_eq!((world.nq(), world.nv(), world.nu()), (nq, nv, nu), "{name}");
        assert_eq!(world.name, name);
    }
}

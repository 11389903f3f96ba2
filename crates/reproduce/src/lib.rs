//! The papers' tables and figures, regenerated and checked.
//!
//! | open | for |
//! |---|---|
//! | [`ALL`] | the list of reproductions, in the order of the book |
//! | [`report`] | what a reproduction gives: checks, tables, figures; JSON, CSV, Markdown |
//! | [`ledger`] | every statement of the papers, what checks it and what came out |
//! | `numerics.rs`, `worlds.rs`, `impacts.rs` | norms, slopes and interpolation; small worlds, and bodies at an impact |
//! | `driven.rs` | an underside held over a soft plate that is moved: friction at given motion |
//! | `kitchen` | an arm with a bubble gripper, a spatula, a stove and a pancake |
//! | `stage.rs` | a demonstration performed by either method, controlled, recorded and timed |
//! | [`arm`] | a light six-joint arm with a gripper, for demonstrations |
//! | the other files | one reproduction each, opening with what the paper claims |
//!
//! `stiction reproduce NAME` runs one; [`page`] is the book's page of all of them.
//!
//! Papers: VLP is "Velocity Level Approximation of Pressure Field Contact Patches" (Masterjohn, Guoy,
//! Shepherd, Castro), PFC "Pressure Field Contact" (Elandt), ICF "A Theory of Irrotational Contact Fields"
//! (Castro, Han, Masterjohn), MFI "Modeling and Analysis of Non-unique Behaviors in Multiple Frictional Impacts" (Halm,
//! Posa), DAC "Data-Augmented Contact Model for Rigid Body Simulation" (Jiang, Sun, Liu).

mod anisotropic;
pub mod arm;
mod articulated_chain;
mod ball_stack;
mod bolt;
mod box_wall;
mod cam_cleat;
mod closed_loop;
mod clutter;
mod compass_gait;
mod conveyor_belt;
mod dragging;
mod driven;
mod elastic_layer;
mod failure;
mod falling_block;
mod falling_sphere;
mod impacts;
mod kitchen;
pub mod ledger;
mod numerics;
mod page;
mod pancake_flip;
mod pencil_grip;
mod pick_and_place;
pub mod report;
mod rimless_wheel;
mod routh_path;
mod sliding_rod;
mod sorting;
mod spatula_slip;
mod spinning_cylinder;
mod spinning_disk;
mod stage;
mod table_1;
mod tosses;
mod work_precision;
mod worlds;

pub use failure::Failure;
pub use page::page;
pub use report::{Check, Outcome, Relation, Standing, Study, Table};

/// One table or figure of a paper, or several that belong together.
pub struct Reproduction {
    /// On the command line.
    pub name: &'static str,
    /// What and from where, in a line.
    pub summary: &'static str,
    /// What the paper claims, as a paragraph of Markdown.
    pub claim: &'static str,
    /// Regenerates and checks it.
    pub run: fn(&Study) -> Result<Outcome, Failure>,
}

/// All of them, in the order of the book.
pub const ALL: &[&Reproduction] = &[
    &spinning_disk::REPRODUCTION,
    &spatula_slip::REPRODUCTION,
    &pancake_flip::REPRODUCTION,
    &closed_loop::REPRODUCTION,
    &dragging::REPRODUCTION,
    &spinning_cylinder::REPRODUCTION,
    &conveyor_belt::REPRODUCTION,
    &falling_sphere::REPRODUCTION,
    &sliding_rod::REPRODUCTION,
    &table_1::REPRODUCTION,
    &clutter::REPRODUCTION,
    &work_precision::REPRODUCTION,
    &elastic_layer::REPRODUCTION,
    &pencil_grip::REPRODUCTION,
    &cam_cleat::REPRODUCTION,
    &sorting::REPRODUCTION,
    &bolt::REPRODUCTION,
    &routh_path::REPRODUCTION,
    &rimless_wheel::REPRODUCTION,
    &box_wall::REPRODUCTION,
    &falling_block::REPRODUCTION,
    &compass_gait::REPRODUCTION,
    &ball_stack::REPRODUCTION,
    &tosses::REPRODUCTION,
    &anisotropic::REPRODUCTION,
    &articulated_chain::REPRODUCTION,
    &pick_and_place::REPRODUCTION,
];

#[cfg(test)]
mod tests {
    /// The ready scenes of the demonstrations are what the demonstrations run.
    #[test]
    fn scenes_are_as_the_demonstrations_write_them() {
        let grids = &crate::kitchen::grid::GRIDS;
        let written = [
            ("pencil_grip", crate::pencil_grip::scene()),
            ("cam_cleat", crate::cam_cleat::scene(0.6)),
            ("sorting", crate::sorting::scene(9)),
            (crate::spatula_slip::SCENE, crate::spatula_slip::scene(&grids[1], true)),
            (crate::pancake_flip::SCENE, crate::pancake_flip::scene(&grids[0])),
            ("assistive_arm", crate::arm::scene()),
            ("pick_and_place", crate::pick_and_place::scene()),
        ];
        for (name, text) in written {
            assert_eq!(stiction::scenes::text(name), Some(text.as_str()), "write scenes/{name}.xml anew");
        }
    }
}

//! Resolutions of the meshes, from one where a handle is a prism to one finer than any eye wants.

/// Edge lengths asked of the meshes, m.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grid {
    /// One word for tables.
    pub name: &'static str,
    /// Of the bubbles' surfaces.
    pub bubble: f64,
    /// Of the handle's surface.
    pub handle: f64,
    /// Of the pancake's surface.
    pub pancake: f64,
}

/// The grids, each about 1.6 times as fine as the one before, from coarse to fine.
pub const GRIDS: [Grid; 5] = [
    Grid { name: "coarse", bubble: 0.012, handle: 0.008, pancake: 0.02 },
    Grid { name: "medium", bubble: 0.009, handle: 0.006, pancake: 0.013 },
    Grid { name: "fine", bubble: 0.007, handle: 0.0045, pancake: 0.009 },
    Grid { name: "finer", bubble: 0.0055, handle: 0.0035, pancake: 0.007 },
    Grid { name: "finest", bubble: 0.0042, handle: 0.0028, pancake: 0.0055 },
];

/// Tags of a soft solid: modulus (Pa) and edge length (m).
pub fn soft(modulus: f64, edge: f64) -> String {
    format!(
        "<drake:proximity_properties><drake:compliant_hydroelastic/>\
         <drake:hydroelastic_modulus value=\"{modulus:e}\"/><drake:mesh_resolution_hint value=\"{edge}\"/>\
         <drake:hunt_crossley_dissipation value=\"10\"/></drake:proximity_properties>"
    )
}

/// Tags of a rigid solid that soft ones touch: edge length (m) of its surface.
pub fn rigid(edge: f64) -> String {
    format!(
        "<drake:proximity_properties><drake:rigid_hydroelastic/>\
         <drake:mesh_resolution_hint value=\"{edge}\"/></drake:proximity_properties>"
    )
}

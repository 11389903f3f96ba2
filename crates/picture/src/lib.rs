//! Pictures, depth, segmentation and films of a simulation, drawn without a screen or a graphics card.
//!
//! ```
//! use stiction::{Model, Options, Simulation};
//! use stiction_picture::{Look, Renderer, Viewpoint};
//!
//! let model = Model::from_scene("gripper")?;
//! let mut simulation = Simulation::new(&model, Options::default())?;
//! simulation.step(100)?;
//! let mut renderer = Renderer::new(&model, Look::default());
//! let picture = renderer.picture(&simulation, &Viewpoint::Fitted, 160, 120)?;
//! assert_eq!(picture.rgb.len(), 3 * 160 * 120);
//! let sight = renderer.sight(&simulation, &Viewpoint::Fitted, 160, 120)?;
//! assert!(sight.geoms.iter().any(|g| *g >= 0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | open | for |
//! |---|---|
//! | [`picture`] | the renderer: what is done for a picture, step by step |
//! | [`camera`] | where to look from |
//! | [`marks`] | patches and forces |
//! | [`film`] | films: MP4 and GIF |
//! | `scene.rs`, `surface.rs` | what is drawn of a model, in which colours, and its triangles |
//! | `raster.rs` | which surface is seen at each sample |
//! | `light.rs` | the colour that it then has |
//! | `threads.rs` | the threads that draw |
//!
//! The same state gives the same picture on every run and any number of threads.

pub mod camera;
mod error;
pub mod film;
mod light;
pub mod marks;
pub mod picture;
mod raster;
mod scene;
mod surface;
mod threads;

pub use camera::{FreeCamera, Viewpoint};
pub use error::PictureError;
pub use film::{Film, FilmOptions, Filmed};
pub use marks::Marks;
pub use picture::{Look, Picture, Renderer, Sight};
pub use scene::Shapes;

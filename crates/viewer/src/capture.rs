//! A simulation as bytes: a plain copy, cheap enough to take beside a run.

use crate::channels::{Channels, JointChoice, UserChannel, UserLog};
use crate::chunk::{self, Kind, put_f32, put_row, put_u32};
use crate::error::RecordError;
use crate::scene::append_scene;
use stiction::contact::PatchView;
use stiction::multibody::Workspace;
use stiction::{Model, Simulation};

/// Takes frames of simulations of one model.
pub struct Capture {
    workspace: Workspace,
    channels: Channels,
    model: Model,
}

impl Capture {
    /// For simulations of the model of this one, with these joints and the user's numbers among the channels.
    pub fn new(
        simulation: &Simulation,
        joints: &JointChoice,
        user: &[UserChannel],
    ) -> Result<Self, RecordError> {
        let model = simulation.model();
        let mut channels = Channels::new(model, joints, user)?;
        channels.begin(simulation);
        let workspace = Workspace::new(model.multibody());
        Ok(Self { workspace, channels, model: model.clone() })
    }

    /// Appends the scene and its buffers; `name` is what the page calls it.
    pub fn scene(&self, simulation: &Simulation, name: &str, out: &mut Vec<u8>) {
        append_scene(out, simulation, name, self.channels.list());
    }

    /// Sets the numbers of the user's channels.
    pub fn log(&self) -> &UserLog {
        self.channels.log()
    }

    /// Whether a model looks like the one of the scene: the same, or a variant of it with the same shapes.
    fn fits(&mut self, model: &Model) -> bool {
        if model.fingerprint() == self.model.fingerprint() {
            return true;
        }
        let shapes = |model: &Model| model.world().geoms.iter().map(|g| g.shape).collect::<Vec<_>>();
        let fits = model.family() == self.model.family() && shapes(model) == shapes(&self.model);
        if fits {
            self.model = model.clone();
        }
        fits
    }

    /// Appends a frame of the present state and the last step's contacts. Allocates nothing but what `out` grows by.
    pub fn frame(&mut self, simulation: &Simulation, out: &mut Vec<u8>) -> Result<(), RecordError> {
        let (model, state) = (simulation.model(), simulation.state());
        if !self.fits(model) {
            return Err(RecordError::OtherModel);
        }
        let (multibody, workspace) = (model.multibody(), &mut self.workspace);
        model.place(state, workspace);
        let channels = &mut self.channels;
        chunk::append(out, Kind::Frame, |out| {
            out.extend_from_slice(&state.time.to_le_bytes());
            put_u32(out, multibody.body_count());
            put_u32(out, channels.list().len());
            put_u32(out, simulation.contacts().len());
            put_u32(out, simulation.patch_views().count());
            for body in 0..multibody.body_count() {
                let pose = multibody.pose(workspace, body);
                let (p, q) = (&pose.translation.vector, &pose.rotation);
                put_row(out, [p.x, p.y, p.z, q.w, q.i, q.j, q.k]);
            }
            channels.append(simulation, workspace, out);
            append_contacts(simulation, out);
            simulation.patch_views().for_each(|patch| append_patch(&patch, out));
        });
        Ok(())
    }
}

fn append_contacts(simulation: &Simulation, out: &mut Vec<u8>) {
    out.reserve(64 * simulation.contacts().len());
    for contact in simulation.contacts() {
        put_u32(out, contact.geom_a.0);
        put_u32(out, contact.geom_b.0);
        let (p, n, f, s) = (&contact.position, &contact.normal, &contact.force, &contact.slip);
        let penetration = contact.penetration;
        put_row(out, [p.x, p.y, p.z, n.x, n.y, n.z, f.x, f.y, f.z, s.x, s.y, s.z, penetration]);
        put_u32(out, usize::from(contact.sticking));
    }
}

fn append_patch(patch: &PatchView<'_>, out: &mut Vec<u8>) {
    put_u32(out, patch.geom_a.0);
    put_u32(out, patch.geom_b.0);
    put_u32(out, patch.vertices.len());
    put_u32(out, patch.faces().len());
    put_u32(out, patch.vertices.len());
    put_f32(out, &[patch.area]);
    for vector in [&patch.centroid, &patch.force, &patch.moment] {
        put_row(out, (*vector).into());
    }
    patch.vertices.iter().for_each(|v| put_row(out, (*v).into()));
    put_f32(out, patch.pressure);
    put_u32(out, 0);
    patch.faces().for_each(|face| put_u32(out, face.vertices.end));
    (0..patch.vertices.len()).for_each(|v| put_u32(out, v)); // no two faces share a vertex
    patch.faces().for_each(|face| put_row(out, face.traction().into()));
    patch.faces().for_each(|face| put_row(out, face.slip.into()));
}

//! The compiled trees as plain numbers, for machines that read flat arrays.

use crate::Multibody;
use crate::multibody::{Motion, Node};

/// A frame that one primitive joint moves: the fields of the compiled node.
#[derive(Clone, Debug, PartialEq)]
pub struct FlatNode {
    /// 0 the world, 1 a screw or hinge, 2 a slide, 3 a ball, 4 a free joint.
    pub motion: i32,
    /// Index of the parent, smaller than its own.
    pub parent: usize,
    /// Whether it is the first of its tree.
    pub root: bool,
    /// Its tree; nothing for the world.
    pub tree: Option<usize>,
    /// First position and velocity coordinate, and the number of velocity coordinates.
    pub coordinates: [usize; 3],
    /// Whether it carries inertia.
    pub has_inertia: bool,
    /// Rotation and origin in the parent, the rotation with the axis, the axis, lead, reference, mass, centre of mass, and inertia about
    /// it (xx, yy, zz, xy, xz, yz).
    pub numbers: [f64; 26],
}

impl FlatNode {
    fn new(node: &Node) -> Self {
        let motion = match node.motion {
            Motion::Base => 0,
            Motion::Screw => 1,
            Motion::Slide => 2,
            Motion::Ball => 3,
            Motion::Free => 4,
        };
        let mut numbers = [0.0; 26];
        let parts: [&[f64]; 9] = [
            &node.turn,
            &node.offset,
            &node.turn_axis,
            &node.axis,
            &[node.lead],
            &[node.reference],
            &[node.mass],
            &node.com,
            &node.rotational,
        ];
        numbers.iter_mut().zip(parts.into_iter().flatten()).for_each(|(to, from)| *to = *from);
        Self {
            motion,
            parent: node.parent,
            root: node.root,
            tree: (node.motion != Motion::Base).then_some(node.tree),
            coordinates: [node.q, node.v, node.nv],
            has_inertia: node.has_inertia(),
            numbers,
        }
    }
}

impl Multibody {
    /// The nodes, parents first. The first is the world; mocap bodies follow it.
    pub fn flat_nodes(&self) -> Vec<FlatNode> {
        self.nodes.iter().map(FlatNode::new).collect()
    }

    /// The node to which a body is fixed, and its pose in the node: quaternion, w first, and place.
    pub fn flat_mount(&self, body: usize) -> (usize, [f64; 7]) {
        let mount = &self.mounts[body];
        let [w, x, y, z] = mount.turn.unwrap_or([1.0, 0.0, 0.0, 0.0]);
        let [a, b, c] = mount.offset;
        (mount.node, [w, x, y, z, a, b, c])
    }
}

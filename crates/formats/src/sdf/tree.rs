//! Which joints make the tree, which of them are turned round, and which close loops.
//!
//! Joints are taken in the order of the file: one that ties two parts not yet tied belongs to the
//! tree, any other closes a loop. If one that cannot be a coupling would close a loop, such joints come first. A tree that the world is in hangs on the world, another one on its
//! first link that is nobody's child. A joint met from its child's side is turned round.

/// A joint between two links; `None` is the world.
#[derive(Clone, Copy, Debug)]
pub struct Edge {
    /// Number of the joint.
    pub joint: usize,
    /// Parent link.
    pub parent: Option<usize>,
    /// Child link.
    pub child: Option<usize>,
    /// Whether a coupling can stand for it.
    pub can_close: bool,
}

/// A link in the order of bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The link.
    pub link: usize,
    /// Its parent; `None` is the world.
    pub on: Option<usize>,
    /// Number of the joint, and whether it is turned round; `None` for a root.
    pub by: Option<(usize, bool)>,
}

/// Links from the roots on, depth first, and the joints that close loops.
#[derive(Debug, Default)]
pub struct Tree {
    pub steps: Vec<Step>,
    pub loops: Vec<usize>,
}

/// Makes the tree of `links` links.
pub fn grow(links: usize, edges: &[Edge]) -> Tree {
    let tree = grow_in_order(links, edges);
    let stuck = |joint: &usize| edges.iter().any(|e| e.joint == *joint && !e.can_close);
    if !tree.loops.iter().any(stuck) {
        return tree;
    }
    let mut sorted = edges.to_vec();
    sorted.sort_by_key(|e| e.can_close);
    grow_in_order(links, &sorted)
}

fn grow_in_order(links: usize, edges: &[Edge]) -> Tree {
    // Nodes: links, then the world.
    let world = links;
    let node = |link: Option<usize>| link.unwrap_or(world);
    let mut group: Vec<usize> = (0..=links).collect();
    let mut beside: Vec<Vec<(usize, usize, bool)>> = vec![Vec::new(); links + 1];
    let mut is_child = vec![false; links + 1];
    let mut tree = Tree::default();
    for edge in edges {
        let (p, c) = (node(edge.parent), node(edge.child));
        let (gp, gc) = (find(&mut group, p), find(&mut group, c));
        if gp == gc {
            tree.loops.push(edge.joint);
            continue;
        }
        group[gc] = gp;
        is_child[c] = true;
        beside[p].push((c, edge.joint, false));
        beside[c].push((p, edge.joint, true));
    }
    beside.iter_mut().for_each(|list| list.sort_by_key(|(_, joint, _)| *joint));
    let mut done = vec![false; links + 1];
    visit(world, &beside, &mut done, &mut tree, world);
    // Roots that are nobody's child first within each tree, all in the order of the file.
    for pass in 0..2 {
        for link in 0..links {
            if !done[link] && (pass == 1 || !is_child[link]) {
                tree.steps.push(Step { link, on: None, by: None });
                visit(link, &beside, &mut done, &mut tree, world);
            }
        }
    }
    tree
}

fn visit(
    root: usize,
    beside: &[Vec<(usize, usize, bool)>],
    done: &mut [bool],
    tree: &mut Tree,
    world: usize,
) {
    done[root] = true;
    let below = |at: usize, done: &[bool]| -> Vec<(usize, usize, bool, usize)> {
        let open = beside[at].iter().rev().filter(|(to, ..)| !done[*to]);
        open.map(|&(to, joint, turned)| (to, joint, turned, at)).collect()
    };
    let mut stack = below(root, done);
    while let Some((link, joint, turned, from)) = stack.pop() {
        done[link] = true;
        let on = (from != world).then_some(from);
        tree.steps.push(Step { link, on, by: Some((joint, turned)) });
        stack.extend(below(link, done));
    }
}

fn find(group: &mut [usize], mut at: usize) -> usize {
    while group[at] != at {
        group[at] = group[group[at]];
        at = group[at];
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joints_that_cannot_close_a_loop_belong_to_the_tree() {
        let mut edges = [edge(0, None, 0), edge(1, Some(0), 1), edge(2, Some(1), 0)];
        edges[2].can_close = false;
        assert_eq!(grow(2, &edges).loops, vec![1]);
    }

    fn edge(joint: usize, parent: Option<usize>, child: usize) -> Edge {
        Edge { joint, parent, child: Some(child), can_close: true }
    }

    #[test]
    fn trees_are_walked_depth_first_and_loops_are_found() {
        let edges = [edge(0, Some(0), 1), edge(1, Some(1), 2), edge(2, Some(0), 3), edge(3, Some(3), 2)];
        let tree = grow(4, &edges);
        let order: Vec<_> = tree.steps.iter().map(|s| s.link).collect();
        assert_eq!((order, tree.loops), (vec![0, 1, 2, 3], vec![3]));
    }

    #[test]
    fn a_second_root_is_reached_by_turning_its_joint_round() {
        let tree = grow(3, &[edge(0, Some(0), 1), edge(1, Some(2), 1), edge(2, None, 0)]);
        assert_eq!(tree.steps[2], Step { link: 2, on: Some(1), by: Some((1, true)) });
        assert_eq!(tree.steps[0], Step { link: 0, on: None, by: Some((2, false)) });
    }
}

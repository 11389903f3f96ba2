//! The ends of a tree of futures in one page: a copy of the model for each end, drawn over each other.

use crate::failure::Failure;
use std::path::{Path, PathBuf};
use stiction::model::{ContactProperties, GeomRole, World};
use stiction::rigid::Futures;
use stiction::{Model, Options, Simulation};
use stiction_viewer::{RecordOptions, Recorder};

/// Ends that a page shows at most, the heaviest first.
const MOST: usize = 16;
/// Opacity of all but the heaviest end.
const GHOST: f32 = 0.3;
/// Frames a second.
const RATE: f64 = 100.0;

/// Records the page; returns where it is, and how many ends it shows. None if the tree has a single end.
pub fn write(
    folder: &Path,
    name: &str,
    model: &Model,
    tree: &Futures,
) -> Result<Option<(PathBuf, usize)>, Failure> {
    let mut leaves: Vec<(usize, f64)> = tree.leaves().map(|(k, b)| (k, b.weight)).collect();
    leaves.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    leaves.truncate(MOST);
    if leaves.len() < 2 {
        return Ok(None);
    }
    let copies = Model::new(copies(model.world(), leaves.len())).map_err(Failure::work)?;
    if copies.nq() != leaves.len() * model.nq() {
        return Err(Failure::work("the copies of the model for the page of branches have other coordinates"));
    }
    let mut simulation = Simulation::new(&copies, Options::default()).map_err(Failure::work)?;
    let ways: Vec<Vec<(f64, &[f64])>> = leaves.iter().map(|(k, _)| way(tree, *k)).collect();
    let begin = ways[0].first().map_or(0.0, |f| f.0);
    let end = ways.iter().filter_map(|w| w.last()).fold(begin, |t, f| t.max(f.0));
    let page = folder.join(format!("{name}-tree.html"));
    let mut recorder = None;
    for frame in 0..=((end - begin) * RATE).round() as u64 {
        let time = begin + frame as f64 / RATE;
        let state = simulation.state_mut();
        state.time = time;
        for (way, q) in ways.iter().zip(state.q.chunks_mut(model.nq())) {
            let at = way.partition_point(|f| f.0 <= time + 1e-9).max(1) - 1;
            q.copy_from_slice(way[at].1);
        }
        match &mut recorder {
            None => {
                let options = RecordOptions { rate: RATE, ..RecordOptions::default() };
                let started = Recorder::create(&simulation, name, &[&page], &options);
                recorder = Some(started.map_err(Failure::work)?);
            }
            Some(recorder) => recorder.observe(&simulation).map_err(Failure::work)?,
        }
    }
    if let Some(recorder) = recorder {
        recorder.finish(None).map_err(Failure::work)?;
    }
    Ok(Some((page, leaves.len())))
}

/// Positions on the way from the root to a branch's end.
fn way(tree: &Futures, leaf: usize) -> Vec<(f64, &[f64])> {
    let mut chain = vec![leaf];
    while let Some(parent) = tree.branches[chain[chain.len() - 1]].parent {
        chain.push(parent);
    }
    let frames = chain.into_iter().rev().flat_map(|k| &tree.branches[k].frames);
    frames.map(|f| (f.0, f.1.as_slice())).collect()
}

/// A world with `count` copies of all bodies and their geoms, for pictures alone: nothing touches, moves or measures.
fn copies(world: &World, count: usize) -> World {
    let mut all = world.clone();
    all.actuators.clear();
    all.tendons.clear();
    all.sensors.clear();
    all.equalities.clear();
    all.bushings.clear();
    all.pairs.clear();
    all.exclusions.clear();
    all.keyframes.clear();
    for geom in &mut all.geoms {
        // What only collides is not drawn.
        if geom.role == GeomRole::Both {
            geom.role = GeomRole::Visual;
        }
        geom.contact = ContactProperties::default();
    }
    all.geoms.retain(|g| g.role == GeomRole::Visual);
    all.sites.clear();
    let (bodies, geoms) = (all.bodies.clone(), all.geoms.clone());
    for copy in 1..count {
        let shift = copy * (bodies.len() - 1);
        let moved = |body: usize| if body == 0 { 0 } else { body + shift };
        for body in &bodies[1..] {
            let mut body = body.clone();
            body.name = format!("branch {copy}: {}", body.name);
            body.parent = body.parent.map(moved);
            for joint in &mut body.joints {
                joint.name = format!("branch {copy}: {}", joint.name);
            }
            all.bodies.push(body);
        }
        for geom in geoms.iter().filter(|g| g.body != 0) {
            let mut geom = geom.clone();
            geom.name = format!("branch {copy}: {}", geom.name);
            geom.body = moved(geom.body);
            geom.color[3] *= GHOST;
            all.geoms.push(geom);
        }
    }
    all
}

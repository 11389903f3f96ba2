//! MCAP for robotics log tools: poses, shapes, forces and channels under well-known schemas.

use super::Recorded;
use super::arrows::{add_geom, add_touch, placed};
use super::schemas::{self, Entity, SceneUpdate, Time, Transform, Transforms};
use super::writer::Sink;
use crate::chunk::{Kind, VERSION};
use crate::error::RecordError;
use crate::read::{self, Frame};
use mcap::records::{MessageHeader, Metadata};
use mcap::{Compression, WriteOptions};
use serde::Serialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};
use stiction::Simulation;

pub(super) struct Mcap {
    path: PathBuf,
    writer: mcap::Writer<BufWriter<File>>,
    channels: [u16; 4],
    sequence: u32,
    /// Names of the bodies, for frames.
    bodies: Vec<String>,
    /// Group and name of each channel.
    names: Vec<(String, String)>,
    /// A force drawn a metre long, N.
    weight: f32,
    frames: u64,
    message: Vec<u8>,
    failed: bool,
}

const TOPICS: [(&str, &str); 4] = [
    ("/scene", "foxglove.SceneUpdate"),
    ("/tf", "foxglove.FrameTransforms"),
    ("/contacts", "foxglove.SceneUpdate"),
    ("/channels", "stiction.Channels"),
];
const SCENE: usize = 0;
const POSES: usize = 1;
const CONTACTS: usize = 2;
const CHANNELS: usize = 3;

impl Mcap {
    pub fn create(path: &Path, simulation: &Simulation, name: &str) -> Result<Self, RecordError> {
        let create = || {
            let file = BufWriter::new(File::create(path)?);
            let options = WriteOptions::new()
                .compression(Some(Compression::Lz4))
                .library(concat!("stiction ", env!("CARGO_PKG_VERSION")));
            let mut writer = options.create(file).map_err(as_io)?;
            let values = [("version", VERSION.to_string()), ("name", name.to_string())];
            let metadata = values.into_iter().map(|(k, v)| (k.to_string(), v)).collect();
            writer.write_metadata(&Metadata { name: "stiction".into(), metadata }).map_err(as_io)?;
            Ok(writer)
        };
        let writer = create().map_err(|error| RecordError::Create { path: path.to_owned(), error })?;
        let model = simulation.model();
        let weight = (model.total_mass() * model.world().options.gravity.norm()) as f32;
        Ok(Self {
            path: path.to_owned(),
            writer,
            channels: [0; 4],
            sequence: 0,
            bodies: Vec::new(),
            names: Vec::new(),
            weight: if weight > 0.0 { weight } else { 1.0 },
            frames: 0,
            message: Vec::new(),
            failed: false,
        })
    }

    /// Declares the topics and writes the shapes of the scene.
    fn write_scene(&mut self, chunks: &[u8]) -> io::Result<()> {
        let recording = read::chunks(chunks).map_err(io::Error::other)?;
        let scene = &recording.scene;
        let text = |value: &Value| value.as_str().unwrap_or("").to_string();
        let list = |key: &str| scene[key].as_array().cloned().unwrap_or_default();
        self.bodies = list("bodies").iter().map(|b| text(&b["name"])).collect();
        // Tools name fields by paths, in which spaces are a nuisance.
        self.names = list("channels")
            .iter()
            .map(|c| (text(&c["group"]), text(&c["name"]).replace(' ', "_")))
            .collect();
        let groups = self.names.chunk_by(|a, b| a.0 == b.0);
        let groups: Vec<(String, Vec<String>)> =
            groups.map(|g| (g[0].0.clone(), g.iter().map(|c| c.1.clone()).collect())).collect();
        for (k, (topic, schema)) in TOPICS.iter().enumerate() {
            let content = match k {
                POSES => schemas::frame_transforms(),
                CHANNELS => schemas::channels(&groups),
                _ => schemas::scene_update(),
            };
            let content = content.to_string();
            let schema = self.writer.add_schema(schema, "jsonschema", content.as_bytes()).map_err(as_io)?;
            self.channels[k] =
                self.writer.add_channel(schema, topic, "json", &BTreeMap::new()).map_err(as_io)?;
        }
        let geoms = list("geoms");
        let mut entities = Vec::new();
        for (b, name) in self.bodies.iter().enumerate() {
            let mut entity =
                Entity { frame_id: name.clone(), id: name.clone(), frame_locked: true, ..Entity::default() };
            let drawn =
                geoms.iter().filter(|g| g["body"] == b && (g["role"] == "both" || g["role"] == "visual"));
            drawn.for_each(|geom| add_geom(&mut entity, geom, &recording.buffers));
            entities.push(entity);
        }
        self.write(SCENE, 0, &SceneUpdate { deletions: [], entities })
    }

    fn write_frame(&mut self, frame: &Frame) -> io::Result<()> {
        let nanoseconds = (frame.time.max(0.0) * 1e9).round() as u64;
        let timestamp = Time::new(nanoseconds);
        let bodies = std::mem::take(&mut self.bodies);
        // The world itself needs no transform.
        let transforms = bodies.iter().zip(&frame.poses).skip(1).map(|(name, pose)| {
            let at = placed(pose);
            Transform {
                timestamp,
                parent_frame_id: &bodies[0],
                child_frame_id: name,
                translation: at.position,
                rotation: at.orientation,
            }
        });
        let transforms = Transforms { transforms: transforms.collect() };
        let written = self.write(POSES, nanoseconds, &transforms);
        let world = bodies.first().cloned().unwrap_or_default();
        self.bodies = bodies;
        written?;
        let mut entity = Entity { timestamp, frame_id: world, id: "contacts".into(), ..Entity::default() };
        add_touch(&mut entity, frame, self.weight);
        self.write(CONTACTS, nanoseconds, &SceneUpdate { deletions: [], entities: vec![entity] })?;
        let mut groups: Map<String, Value> = Map::new();
        for ((group, name), value) in self.names.iter().zip(&frame.channels) {
            let entry = groups.entry(group.clone()).or_insert_with(|| Value::Object(Map::new()));
            entry[name.as_str()] = Value::from(f64::from(*value));
        }
        self.write(CHANNELS, nanoseconds, &groups)?;
        self.frames += 1;
        Ok(())
    }

    fn write(&mut self, channel: usize, time: u64, message: &impl Serialize) -> io::Result<()> {
        self.message.clear();
        serde_json::to_writer(&mut self.message, message)?;
        let header = MessageHeader {
            channel_id: self.channels[channel],
            sequence: self.sequence,
            log_time: time,
            publish_time: time,
        };
        self.sequence = self.sequence.wrapping_add(1);
        self.writer.write_to_known_channel(&header, &self.message).map_err(as_io)
    }

    fn failed(&mut self, error: io::Error) -> RecordError {
        self.failed = true;
        RecordError::Write { path: self.path.clone(), frames: self.frames, error }
    }
}

fn as_io(error: mcap::McapError) -> io::Error {
    match error {
        mcap::McapError::Io(error) => error,
        other => io::Error::other(other),
    }
}

impl Sink for Mcap {
    fn scene(&mut self, chunks: &[u8]) -> Result<(), RecordError> {
        self.write_scene(chunks).and_then(|()| self.writer.flush().map_err(as_io)).map_err(|e| self.failed(e))
    }

    fn frames(&mut self, chunks: &[u8], _: u64) -> Result<(), RecordError> {
        for chunk in read::split(chunks) {
            let outcome = chunk.map_err(io::Error::other).and_then(|(kind, payload)| {
                if kind != Kind::Frame as u8 {
                    return Ok(());
                }
                let frame = read::frame(payload).map_err(io::Error::other)?;
                self.write_frame(&frame)
            });
            outcome.map_err(|e| self.failed(e))?;
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<(), RecordError> {
        self.writer.flush().map_err(|e| self.failed(as_io(e)))
    }

    fn finish(&mut self) -> Result<Recorded, RecordError> {
        if !self.failed {
            let finished = self.writer.finish().map_err(as_io);
            finished.map_err(|e| self.failed(e))?;
        }
        let bytes = std::fs::metadata(&self.path).map_or(0, |m| m.len());
        Ok(Recorded { path: self.path.clone(), frames: self.frames, bytes })
    }

    fn path(&self) -> PathBuf {
        self.path.clone()
    }
}

//! Controllers: laws against closed forms, limits kept, paths consistent with their derivatives, and timing of
//! measurements.

#[path = "../common/mod.rs"]
mod common;
mod faults;
mod joints;
mod poses;
mod sensing;

use common::model;
use stiction::Model;

/// Three hinges with links of different weight; `actuators` for joints a, b and c.
fn arm(actuators: &str) -> Model {
    model(
        "<body pos=\"0 0 1\"><joint name=\"a\" axis=\"0 0 1\" damping=\"0.3\" armature=\"0.01\" range=\"-170 170\"/>\
         <geom type=\"capsule\" fromto=\"0 0 0 0.1 0 0.1\" size=\"0.04\" mass=\"2\" contype=\"0\" conaffinity=\"0\"/>\
         <body pos=\"0.1 0 0.1\"><joint name=\"b\" axis=\"0 1 0\" stiffness=\"1\" range=\"-120 120\"/>\
         <geom type=\"capsule\" fromto=\"0 0 0 0.4 0 0\" size=\"0.03\" mass=\"1\" contype=\"0\" conaffinity=\"0\"/>\
         <body pos=\"0.4 0 0\"><joint name=\"c\" axis=\"0 1 0\" range=\"-120 120\"/>\
         <geom type=\"capsule\" fromto=\"0 0 0 0.3 0 0.05\" size=\"0.02\" mass=\"0.5\" contype=\"0\" conaffinity=\"0\"/>\
         <site name=\"tip\" pos=\"0.3 0 0.05\"/></body></body></body>",
        actuators,
    )
}

const MOTORS: &str = "<actuator><motor joint=\"a\" gear=\"2\"/><motor joint=\"b\"/><motor joint=\"c\" gear=\"-1\"/></actuator>";
const NAMES: [&str; 3] = ["a", "b", "c"];

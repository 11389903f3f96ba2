//! CSV of poses, as exported by motion capture.
//!
//! The first line names the columns: `time` (s), if there are several tosses `toss`, and then the model's positions in
//! their order (a free body: x, y, z, qw, qx, qy, qz), and, if they were recorded, its velocities. Names other than
//! `time` and `toss` are free. Empty lines and lines that begin with `#` are skipped.
//!
//! Without velocities a straight line is fitted to the positions of up to two samples on either side, on the
//! exponential map for rotations.

use crate::dataset::{Sample, Toss, Velocities, collect};
use crate::error::DataError;
use std::path::Path;
use stiction::Model;

/// Samples on either side from which a velocity is fitted.
const REACH: usize = 2;

/// Reads the tosses of a model; `file` is for messages.
pub fn read(text: &str, model: &Model, file: &Path) -> Result<(Vec<Toss>, Velocities), DataError> {
    let mut lines = text
        .lines()
        .enumerate()
        .map(|(i, line)| (i + 1, line.trim()))
        .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    let (first, names) = lines.next().ok_or_else(|| DataError::file(file, "it is empty"))?;
    let names: Vec<String> = names.split(',').map(|n| n.trim().to_lowercase()).collect();
    let find = |name: &str| names.iter().position(|n| n == name);
    let wrong = |row: usize, what: String| DataError::Row { file: file.into(), row, what };
    let time = find("time").ok_or_else(|| {
        wrong(
            first,
            "no column is called time; the first line names the columns (time, toss, x, y, z, qw, …)".into(),
        )
    })?;
    let toss = find("toss");
    let state: Vec<usize> = (0..names.len()).filter(|c| *c != time && Some(*c) != toss).collect();
    let (nq, nv) = (model.nq(), model.nv());
    let recorded = match state.len() {
        n if n == nq => false,
        n if n == nq + nv => true,
        n => {
            let what = format!(
                "{n} columns beside time and toss, but the model has {nq} positions and {nv} velocities: give {nq} or {} \
                 columns",
                nq + nv
            );
            return Err(wrong(first, what));
        }
    };
    let (mut rows, mut places) = (Vec::new(), Vec::new());
    for (place, line) in lines {
        let fields: Vec<&str> = line.split(',').map(str::trim).collect();
        if fields.len() != names.len() {
            return Err(wrong(place, format!("{} fields where {} are named", fields.len(), names.len())));
        }
        let number = |column: usize| {
            let field = fields[column];
            field
                .parse::<f64>()
                .map_err(|_| wrong(place, format!("\"{field}\" ({}) is no number", names[column])))
        };
        let mut row = vec![toss.map_or(Ok(0.0), number)?, number(time)?];
        for column in &state {
            row.push(number(*column)?);
        }
        if !recorded {
            row.resize(2 + nq + nv, 0.0);
        }
        rows.push(row);
        places.push(place);
    }
    // Rows are counted as lines of the file.
    let row = |i: usize| (rows[i][0], rows[i][1], &rows[i][2..2 + nq], &rows[i][2 + nq..]);
    let collected = collect(rows.len(), row, file, 0);
    let mut tosses = collected.map_err(|error| match error {
        DataError::Row { file, row, what } => DataError::Row { file, row: places[row], what },
        other => other,
    })?;
    if recorded {
        return Ok((tosses, Velocities::Recorded));
    }
    for toss in &mut tosses {
        if toss.samples.len() < 2 {
            let what = format!("toss {} has one sample: velocities need two", toss.number);
            return Err(DataError::file(file, what));
        }
        for sample in &mut toss.samples {
            model.multibody().normalize(&mut sample.q);
        }
        let velocities: Vec<Vec<f64>> =
            (0..toss.samples.len()).map(|i| slope(model, &toss.samples, i)).collect();
        for (sample, v) in toss.samples.iter_mut().zip(velocities) {
            sample.v = v;
        }
    }
    Ok((tosses, Velocities::Differences))
}

/// Slope of the straight line through the samples around one, by least squares.
fn slope(model: &Model, samples: &[Sample], at: usize) -> Vec<f64> {
    let window = &samples[at.saturating_sub(REACH)..(at + REACH + 1).min(samples.len())];
    let centre = &samples[at];
    let count = window.len() as f64;
    let mean = window.iter().map(|s| s.time - centre.time).sum::<f64>() / count;
    let (mut sum, mut squares, mut step) = (vec![0.0; model.nv()], 0.0, vec![0.0; model.nv()]);
    for sample in window {
        let t = sample.time - centre.time - mean;
        model.multibody().difference(&sample.q, &centre.q, &mut step);
        sum.iter_mut().zip(&step).for_each(|(s, d)| *s += t * d);
        squares += t * t;
    }
    sum.iter().map(|s| s / squares).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use stiction::{Format, LoadOptions};

    const CUBE: &str = "<mujoco><worldbody><body><freejoint/><geom type=\"box\" size=\".05 .05 .05\"/></body></worldbody></mujoco>";

    fn model() -> Model {
        Model::from_string(CUBE, Format::Mjcf, &LoadOptions::default()).expect("it reads")
    }

    fn read_text(text: &str) -> Result<(Vec<Toss>, Velocities), DataError> {
        read(text, &model(), Path::new("poses.csv"))
    }

    #[test]
    fn velocities_of_steady_motion_come_out_exactly() {
        use nalgebra::{UnitQuaternion, Vector3};
        let (v, w) = (Vector3::new(0.3, -0.2, 1.0), Vector3::new(2.0, -1.0, 4.0));
        let mut text = "time,x,y,z,qw,qx,qy,qz\n".to_string();
        for k in 0..12 {
            let t = 0.01 * k as f64;
            let (p, r) = (v * t, UnitQuaternion::from_scaled_axis(w * t));
            text += &format!("{t},{},{},{},{},{},{},{}\n", p.x, p.y, p.z, r.w, r.i, r.j, r.k);
        }
        let (tosses, kind) = read_text(&text).expect("it reads");
        assert_eq!(kind, Velocities::Differences);
        for sample in &tosses[0].samples {
            let expected = [v.x, v.y, v.z, w.x, w.y, w.z];
            assert!(sample.v.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-9), "{:?}", sample.v);
        }
    }

    #[test]
    fn errors_name_the_line() {
        let head = "# tossed by hand\ntoss,time,x,y,z,qw,qx,qy,qz\n0,0.0,0,0,1,1,0,0,0\n";
        for (line, says) in [
            ("0,0.1,0,0,1,1,0,0", "line 4"),
            ("0,0.1,0,0,high,1,0,0,0", "high"),
            ("0,0.0,0,0,1,1,0,0,0", "sort by time"),
            ("0.5,0.1,0,0,1,1,0,0,0", "0.5"),
        ] {
            let error = read_text(&format!("{head}{line}\n")).expect_err("it must be refused").to_string();
            assert!(error.contains("row 4") && (says == "line 4" || error.contains(says)), "{error}");
        }
        let error = read_text("t,x\n0,0\n").expect_err("no time").to_string();
        assert!(error.contains("time"), "{error}");
        let error = read_text("time,x,y,z\n0,0,0,0\n").expect_err("no quaternion").to_string();
        assert!(error.contains("7 positions"), "{error}");
    }
}

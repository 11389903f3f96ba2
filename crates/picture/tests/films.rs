//! Films are decoded again: their pictures, their number and their times.

use openh264::decoder::Decoder;
use openh264::formats::YUVSource;
use std::path::PathBuf;
use stiction::{Model, Options, Simulation};
use stiction_picture::{Film, FilmOptions, Look, PictureError, Renderer, Viewpoint};

fn path(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("stiction-film-{}-{name}", std::process::id()))
}

fn options(rate: f64) -> FilmOptions {
    FilmOptions { width: 160, height: 120, rate, ..FilmOptions::default() }
}

fn clutter() -> Simulation {
    let model = Model::from_scene("clutter").unwrap();
    Simulation::new(&model, Options { step: 1e-3, ..Options::default() }).unwrap()
}

/// Films a second and returns the bytes of the file, the pictures that belong into it and their number.
fn film(name: &str, rate: f64) -> (Vec<u8>, Vec<Vec<u8>>, u64) {
    let (mut simulation, path) = (clutter(), path(name));
    let mut film = Film::create(&simulation, &path, &options(rate)).unwrap();
    assert!(!path.exists(), "the file appears when it is whole");
    let mut renderer = Renderer::new(simulation.model(), Look::default());
    let mut draw = |s: &Simulation| renderer.picture(s, &Viewpoint::Fitted, 160, 120).unwrap().rgb;
    let mut pictures = vec![draw(&simulation)];
    for k in 1..=500 {
        simulation.step(1).unwrap();
        film.observe(&simulation).unwrap();
        if (k as f64 * 1e-3 * rate + 1e-6).floor() as usize == pictures.len() {
            pictures.push(draw(&simulation));
        }
    }
    let filmed = film.finish().unwrap();
    let bytes = std::fs::read(&path).unwrap();
    assert_eq!(filmed.bytes as usize, bytes.len());
    std::fs::remove_file(path).unwrap();
    (bytes, pictures, filmed.frames)
}

/// The content of a box, found by the names on the way to it.
fn find<'a>(mut bytes: &'a [u8], names: &[&str]) -> &'a [u8] {
    for name in names {
        let mut rest = bytes;
        bytes = loop {
            assert!(rest.len() >= 8, "no box {name}");
            let short = u32::from_be_bytes(rest[..4].try_into().unwrap()) as usize;
            let (head, length) = match short {
                1 => (16, u64::from_be_bytes(rest[8..16].try_into().unwrap()) as usize),
                n => (8, n),
            };
            if &rest[4..8] == name.as_bytes() {
                break &rest[head..length];
            }
            rest = &rest[length..];
        };
    }
    bytes
}

fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|w| u32::from_be_bytes(w.try_into().unwrap())).collect()
}

#[test]
fn an_mp4_has_the_pictures_of_the_run_in_their_order() {
    let (bytes, pictures, frames) = film("a.mp4", 30.0);
    assert_eq!(frames as usize, pictures.len());
    assert_eq!(frames, 16, "0, 1/30 … 15/30 s");
    let table = ["moov", "trak", "mdia", "minf", "stbl"];
    let of = |name: &'static str| words(find(&bytes, &[&table[..], &[name]].concat()));
    assert_eq!(of("stts")[1..], [1, 16, 3000], "90,000 units a second");
    let sizes = of("stsz")[3..].to_vec();
    let start = of("co64")[3] as usize;
    assert_eq!(sizes.iter().sum::<u32>() as usize, find(&bytes, &["mdat"]).len());
    assert_eq!(of("stss")[2], 1, "the first picture needs no other");
    // Parameters of the sequence and of its pictures come from the table, units from the data.
    let description = find(&bytes, &[&table[..], &["stsd"]].concat());
    let at = description.windows(4).position(|w| w == b"avcC").unwrap() + 4;
    let sps_length = usize::from(u16::from_be_bytes([description[at + 6], description[at + 7]]));
    let sps = &description[at + 8..at + 8 + sps_length];
    let pps = &description[at + 8 + sps_length + 3..];
    let mark = [0, 0, 0, 1];
    let mut decoder = Decoder::new().unwrap();
    decoder.decode(&[&mark[..], sps, &mark, pps].concat()).unwrap();
    let mut position = start;
    for (k, size) in sizes.iter().enumerate() {
        let (mut stream, end) = (Vec::new(), position + *size as usize);
        while position < end {
            let length = u32::from_be_bytes(bytes[position..position + 4].try_into().unwrap()) as usize;
            stream.extend_from_slice(&mark);
            stream.extend_from_slice(&bytes[position + 4..position + 4 + length]);
            position += 4 + length;
        }
        let decoded = decoder.decode(&stream).unwrap().expect("a picture for each frame");
        assert_eq!(decoded.dimensions(), (160, 120));
        let mut rgb = vec![0; 3 * 160 * 120];
        decoded.write_rgb8(&mut rgb);
        let error =
            pictures[k].iter().zip(&rgb).map(|(a, b)| (f64::from(*a) - f64::from(*b)).powi(2)).sum::<f64>();
        let psnr = 10.0 * (255.0_f64.powi(2) * rgb.len() as f64 / error).log10();
        // Colour at half resolution costs edges a few decibels; another picture of the run is below 25.
        assert!(psnr > 27.0, "picture {k}: {psnr:.1} dB");
    }
}

#[test]
fn a_gif_has_the_pictures_of_the_run_and_lasts_as_long() {
    let (bytes, pictures, frames) = film("a.gif", 30.0);
    assert_eq!(frames, 16);
    let mut options = gif::DecodeOptions::new();
    options.set_color_output(gif::ColorOutput::RGBA);
    let mut reader = options.read_info(&bytes[..]).unwrap();
    let (mut shown, mut hundredths, mut count) = (vec![0_u8; 3 * 160 * 120], 0, 0);
    while let Some(frame) = reader.read_next_frame().unwrap() {
        hundredths += u32::from(frame.delay);
        for (k, pixel) in frame.buffer.chunks_exact(4).enumerate() {
            let (row, column) = (k / usize::from(frame.width), k % usize::from(frame.width));
            let at = 3 * ((usize::from(frame.top) + row) * 160 + usize::from(frame.left) + column);
            shown[at..at + 3].copy_from_slice(&pixel[..3]);
        }
        let error: f64 =
            pictures[count].iter().zip(&shown).map(|(a, b)| (f64::from(*a) - f64::from(*b)).powi(2)).sum();
        let psnr = 10.0 * (255.0_f64.powi(2) * shown.len() as f64 / error).log10();
        assert!(psnr > 30.0, "picture {count}: {psnr:.1} dB");
        count += 1;
    }
    assert_eq!(count, pictures.len());
    assert_eq!(hundredths, 53, "16 pictures at 30 a second");
}

#[test]
fn steps_longer_than_a_picture_repeat_it() {
    let path = path("slow.gif");
    let model = Model::from_scene("clutter").unwrap();
    let mut simulation = Simulation::new(&model, Options { step: 1e-2, ..Options::default() }).unwrap();
    let mut film =
        Film::create(&simulation, &path, &FilmOptions { width: 32, height: 32, ..options(200.0) }).unwrap();
    for _ in 0..10 {
        simulation.step(1).unwrap();
        film.observe(&simulation).unwrap();
    }
    assert_eq!(film.finish().unwrap().frames, 21, "0.1 s at 200 a second, and the last");
    std::fs::remove_file(path).unwrap();
}

#[test]
fn films_that_cannot_be_made_are_errors_and_leave_no_file() {
    let simulation = clutter();
    let refused =
        |name: &str, options: &FilmOptions| Film::create(&simulation, &path(name), options).err().unwrap();
    assert!(matches!(refused("a.avi", &options(30.0)), PictureError::Extension(_)));
    assert!(matches!(refused("a.mp4", &options(0.0)), PictureError::Rate(_)));
    assert!(matches!(refused("a.mp4", &options(f64::NAN)), PictureError::Rate(_)));
    let odd = refused("a.mp4", &FilmOptions { width: 161, ..options(30.0) });
    assert!(odd.to_string().contains("162 × 120"), "{odd}");
    let nowhere = Film::create(&simulation, &path("no/such/a.mp4"), &options(30.0)).err().unwrap();
    assert!(matches!(nowhere, PictureError::Write { .. }));
    let begun = path("begun.mp4");
    drop(Film::create(&simulation, &begun, &options(30.0)).unwrap());
    assert!(!begun.exists() && !PathBuf::from(format!("{}.part", begun.display())).exists());
}

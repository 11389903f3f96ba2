//! Cache of tetrahedral meshes. The tetrahedra of a surface are a function of its triangles and the options, so
//! their hash is used as the file name. The cache affects the speed but never the result: a file that cannot be
//! read, that belongs to other data, or whose checksum is wrong is regenerated.
//!
//! The folder is `$STICTION_CACHE` (`off` for none), else `stiction` in the user's cache folder.

use nalgebra::Vector3;
use serde::{Deserialize, Serialize};
use stiction_base::hash::Fnv1a;
use stiction_geometry::solid::{FillOptions, Filled, fill};

/// Must change whenever the mesher gives different tetrahedra for the same surface.
const VERSION: u32 = 1;

/// Content of a file.
#[derive(Serialize, Deserialize)]
struct Entry {
    version: u32,
    key: [u64; 2],
    vertices: Vec<[f64; 3]>,
    tets: Vec<[u32; 4]>,
    extents: Vec<f64>,
    scale: f64,
    notes: Vec<String>,
}

/// Tetrahedra, extents and warnings of a surface, from the cache if available. The key contains only the surface and
/// the resolution. Other options must have their defaults.
pub(crate) fn fill_cached(
    vertices: &[Vector3<f64>],
    triangles: &[[u32; 3]],
    options: &FillOptions,
) -> Result<(Filled, Vec<String>), String> {
    let key = key(vertices, triangles, options.mesher.resolution);
    if let Some(entry) = store::read(key) {
        let filled = Filled {
            vertices: entry.vertices.into_iter().map(Vector3::from).collect(),
            tets: entry.tets,
            extents: entry.extents,
            scale: entry.scale,
        };
        return Ok((filled, entry.notes));
    }
    let (filled, report) = fill(vertices, triangles, options, &mut |_| {}).map_err(|e| e.to_string())?;
    let notes = report.notes();
    store::write(&Entry {
        version: VERSION,
        key,
        vertices: filled.vertices.iter().map(|v| (*v).into()).collect(),
        tets: filled.tets.clone(),
        extents: filled.extents.clone(),
        scale: filled.scale,
        notes: notes.clone(),
    });
    Ok((filled, notes))
}

/// Two different 64-bit FNV-1a hashes of all inputs of the result.
fn key(vertices: &[Vector3<f64>], triangles: &[[u32; 3]], resolution: Option<f64>) -> [u64; 2] {
    let mut hashes = [Fnv1a::default(), Fnv1a::with_basis(0x8422_2325_cbf2_9ce4)];
    let mut add = |word: u64| {
        for (k, hash) in hashes.iter_mut().enumerate() {
            hash.add(&word.rotate_left(17 * k as u32).to_le_bytes());
        }
    };
    add(u64::from(VERSION));
    add(resolution.map_or(0, f64::to_bits));
    add(vertices.len() as u64);
    vertices.iter().flat_map(|v| v.iter()).for_each(|x| add(x.to_bits()));
    triangles.iter().flatten().for_each(|&i| add(u64::from(i)));
    hashes.map(Fnv1a::value)
}

#[cfg(feature = "fs")]
mod store {
    use super::{Entry, VERSION};
    use std::path::PathBuf;
    use stiction_base::{bounded_file, checksum, whole_file};

    fn folder() -> Option<PathBuf> {
        let set = |name: &str| std::env::var_os(name).filter(|v| !v.is_empty());
        match set("STICTION_CACHE") {
            Some(off) if off == "off" => None,
            Some(folder) => Some(folder.into()),
            None => {
                let base = set("XDG_CACHE_HOME").or_else(|| set("LOCALAPPDATA")).map(PathBuf::from);
                Some(base.or_else(|| Some(PathBuf::from(set("HOME")?).join(".cache")))?.join("stiction"))
            }
        }
    }

    pub(super) fn path(key: [u64; 2]) -> Option<PathBuf> {
        Some(folder()?.join(format!("solid-{:016x}{:016x}.bin", key[0], key[1])))
    }

    pub(super) fn read(key: [u64; 2]) -> Option<Entry> {
        let bytes = bounded_file::read(&path(key)?).ok()?;
        let entry: Entry = postcard::from_bytes(checksum::unseal(&bytes)?).ok()?;
        let count = entry.vertices.len();
        let sound =
            entry.tets.iter().flatten().all(|&i| (i as usize) < count) && entry.extents.len() == count;
        (entry.version == VERSION && entry.key == key && sound).then_some(entry)
    }

    /// Writes the whole file, so that no process reads an incomplete one. Errors are ignored; they only cost time later.
    pub(super) fn write(entry: &Entry) {
        let (Some(path), Ok(bytes)) = (path(entry.key), postcard::to_allocvec(entry)) else { return };
        let folder = path.parent().map_or(Ok(()), std::fs::create_dir_all);
        let _ = folder.and_then(|()| whole_file::write(&path, &checksum::seal(bytes)));
    }
}

#[cfg(not(feature = "fs"))]
mod store {
    use super::Entry;

    pub(super) fn read(_: [u64; 2]) -> Option<Entry> {
        None
    }

    pub(super) fn write(_: &Entry) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use stiction_geometry::surface::shapes;

    #[test]
    fn a_cached_solid_is_the_meshed_one_to_the_bit() {
        // A surface that no other test meshes, so the first call fills the cache.
        let (v, f) = shapes::blob(90_210, 0.04, 14);
        let options = FillOptions::default();
        let first = fill_cached(&v, &f, &options).unwrap();
        let again = fill_cached(&v, &f, &options).unwrap();
        let (fresh, report) = fill(&v, &f, &options, &mut |_| {}).unwrap();
        assert_eq!(first, again);
        assert_eq!(first, (fresh, report.notes()));
        let mut moved = v.clone();
        moved[3].x += 1e-12;
        assert_ne!(key(&v, &f, None), key(&moved, &f, None));
        assert_ne!(key(&v, &f, None), key(&v, &f, Some(0.01)));
    }

    #[test]
    #[cfg(feature = "fs")]
    fn a_damaged_file_is_meshed_again() {
        let (v, f) = shapes::blob(90_211, 0.04, 14);
        let options = FillOptions::default();
        let first = fill_cached(&v, &f, &options).unwrap();
        let key = key(&v, &f, options.mesher.resolution);
        let path = store::path(key).expect("tests run with a cache");
        let whole = std::fs::read(&path).unwrap();
        for at in (0..whole.len()).step_by(1 + whole.len() / 40) {
            let mut damaged = whole.clone();
            damaged[at] ^= 64;
            std::fs::write(&path, &damaged).unwrap();
            assert!(store::read(key).is_none(), "byte {at} of {}", whole.len());
        }
        assert_eq!(fill_cached(&v, &f, &options).unwrap(), first);
        assert_eq!(std::fs::read(&path).unwrap(), whole);
    }
}

//! Faults found in a surface, and their repairs.

/// Findings and repairs. Zeros and `false` mean nothing to say.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SurfaceReport {
    /// Vertices that lay on others and were welded to them.
    pub welded_vertices: usize,
    /// Faces with a corner twice, left out.
    pub collapsed_faces: usize,
    /// Faces given more than once, or back to back, left out.
    pub duplicate_faces: usize,
    /// Faces turned to agree with their neighbours.
    pub flipped_faces: usize,
    /// Whole shells that were inside out and have been turned.
    pub inverted_shells: usize,
    /// Small holes that were closed.
    pub filled_holes: usize,
    /// Edges shared by more than two faces.
    pub nonmanifold_edges: usize,
    /// Pairs of faces that cross.
    pub self_intersections: usize,
    /// A point where two faces cross.
    pub intersection_at: Option<[f64; 3]>,
    /// Connected pieces of surface.
    pub shells: usize,
    /// Shells inside another that face inwards: hollows.
    pub cavities: usize,
    /// Shells inside another that face outwards: they count as filled and change nothing.
    pub filled_shells: usize,
}

impl SurfaceReport {
    /// Whether nothing needs saying.
    pub fn is_clean(&self) -> bool {
        *self == Self { shells: 1, ..Self::default() }
    }

    /// One sentence for each finding, with what was done.
    pub fn notes(&self) -> Vec<String> {
        let mut out = Vec::new();
        let mut say = |n: usize, what: &dyn Fn(usize) -> String| {
            if n > 0 {
                out.push(what(n));
            }
        };
        say(self.welded_vertices, &|n| format!("{n} vertices lay on others and were welded"));
        say(self.collapsed_faces, &|n| format!("{n} faces had a corner twice and were left out"));
        say(self.duplicate_faces, &|n| {
            format!("{n} faces were given twice or back to back and were left out")
        });
        say(self.flipped_faces, &|n| format!("{n} faces were turned to agree with their neighbours"));
        say(self.inverted_shells, &|n| format!("{n} shells were inside out and were turned"));
        say(self.filled_holes, &|n| format!("{n} small holes were closed by a fan of triangles"));
        say(self.nonmanifold_edges, &|n| {
            format!("{n} edges are shared by more than two faces; inside is decided by the winding number")
        });
        let place = self
            .intersection_at
            .map_or(String::new(), |p| format!(", the first near ({:.4}, {:.4}, {:.4}) m", p[0], p[1], p[2]));
        say(self.self_intersections, &|n| {
            format!("{n} pairs of faces cross{place}; the solid is the union of what they enclose")
        });
        say(if self.shells > 1 { self.shells } else { 0 }, &|n| {
            format!("the surface has {n} shells, {} of them cavities", self.cavities)
        });
        say(self.filled_shells, &|n| {
            format!(
                "{n} shells lie inside others and face outwards: they count as filled; turn them to make hollows"
            )
        });
        out
    }
}

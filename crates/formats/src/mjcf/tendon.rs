//! Tendons over joints and through space.

use super::defaults::{Attrs, MAIN};
use super::joint::polynomial;
use super::reader::Reader;
use crate::error::Read;
use crate::names::Names;
use crate::xml::Node;
use stiction_model::{PathStage, Shape, Tendon, TendonPath};

impl<'a> Reader<'a> {
    /// Reads every tendon of the document.
    pub fn tendons(&mut self, root: &'a Node) -> Read<()> {
        let nodes = || root.children_named("tendon").flat_map(|s| &s.children);
        let mut names = Names::new(nodes().filter_map(|n| n.attr("name")));
        for node in nodes() {
            let path = match node.name.as_str() {
                "fixed" => self.fixed_path(node)?,
                "spatial" => self.spatial_path(node)?,
                _ => continue,
            };
            let attrs = self.defaults.apply(node, "tendon", MAIN)?;
            let mut tendon = self.tendon(&attrs, path)?;
            if tendon.name.is_empty() {
                tendon.name = names.free(&format!("tendon_{}", self.world.tendons.len()));
            }
            self.world.tendons.push(tendon);
        }
        Ok(())
    }

    fn tendon(&mut self, attrs: &Attrs, path: TendonPath) -> Read<Tendon> {
        let node = attrs.node();
        let mut tendon = Tendon::new(node.attr("name").unwrap_or(""), path);
        tendon.source = node.source();
        let mut range = [0.0; 2];
        attrs.overlay("range", &mut range)?;
        if self.compiler.limited(node, attrs.tristate("limited")?, range, "limited")? {
            if range[0] > range[1] {
                return Err(
                    node.error(format!("its range {} to {} is empty; swap the ends", range[0], range[1]))
                );
            }
            tendon.range = range;
        }
        let mut force = [0.0; 2];
        attrs.overlay("actuatorfrcrange", &mut force)?;
        let said = attrs.tristate("actuatorfrclimited")?;
        if self.compiler.limited(node, said, force, "actuatorfrclimited")? {
            tendon.actuator_force_range = Some(force);
        }
        tendon.stiffness = polynomial(attrs, "tendon", "stiffness", &mut self.report)?;
        tendon.damping = polynomial(attrs, "tendon", "damping", &mut self.report)?;
        tendon.friction = attrs.number("frictionloss")?.unwrap_or(0.0);
        tendon.armature = attrs.number("armature")?.unwrap_or(0.0);
        let mut rest = [-1.0; 2];
        match attrs.overlay("springlength", &mut rest)? {
            0 => {}
            _ if rest == [-1.0; 2] => {}
            // One number stands for both, and −1 for what the model finds.
            _ if rest[1] == -1.0 => tendon.rest = Some([rest[0]; 2]),
            _ => tendon.rest = Some(rest),
        }
        tendon.width = attrs.number("width")?.unwrap_or(0.003);
        tendon.color = self.color(attrs)?;
        Ok(tendon)
    }

    fn fixed_path(&self, node: &Node) -> Read<TendonPath> {
        let mut terms = Vec::new();
        for child in node.children_named("joint") {
            let joint =
                self.joint_named(child, "joint")?.ok_or_else(|| child.error("it needs joint=\"…\""))?;
            let coefficient =
                child.number("coef")?.ok_or_else(|| child.error("it needs coef=\"…\", a number"))?;
            terms.push((joint, coefficient));
        }
        if terms.is_empty() {
            return Err(node.error("a fixed tendon needs a joint; add <joint joint=\"…\" coef=\"…\"/>"));
        }
        Ok(TendonPath::Fixed { terms })
    }

    fn spatial_path(&self, node: &Node) -> Read<TendonPath> {
        let mut stages = Vec::new();
        for child in &node.children {
            match child.name.as_str() {
                "site" => {
                    let site = self.site_index(child, "site")?;
                    stages.push(PathStage::Site {
                        site: site.ok_or_else(|| child.error("it needs site=\"…\""))?,
                    });
                }
                "geom" => {
                    let geom = self.geom_index(child, "geom")?;
                    let geom = geom.ok_or_else(|| child.error("it needs geom=\"…\""))?;
                    if !matches!(self.world.geoms[geom].shape, Shape::Sphere { .. } | Shape::Cylinder { .. })
                    {
                        return Err(child.error("a tendon can wrap around spheres and cylinders only"));
                    }
                    stages.push(PathStage::Wrap { geom, side: self.site_index(child, "sidesite")? });
                }
                "pulley" => {
                    let divisor = child.number("divisor")?;
                    let divisor = divisor.ok_or_else(|| child.error("it needs divisor=\"…\", a number"))?;
                    stages.push(PathStage::Pulley { divisor });
                }
                _ => {}
            }
        }
        Ok(TendonPath::Spatial { stages })
    }

    /// Index of a site by name.
    pub fn site_index(&self, node: &Node, attribute: &str) -> Read<Option<usize>> {
        let Some(name) = node.attr(attribute) else { return Ok(None) };
        let found = self.site_indices.get(name).copied();
        found.map(Some).ok_or_else(|| node.error(format!("{attribute}: there is no site \"{name}\"")))
    }

    /// Index of a geom by name.
    pub fn geom_index(&self, node: &Node, attribute: &str) -> Read<Option<usize>> {
        let Some(name) = node.attr(attribute) else { return Ok(None) };
        let found = self.geom_indices.get(name).copied();
        found.map(Some).ok_or_else(|| node.error(format!("{attribute}: there is no geom \"{name}\"")))
    }

    /// Index of a tendon by name.
    pub fn tendon_index(&self, node: &Node, attribute: &str) -> Read<Option<usize>> {
        let Some(name) = node.attr(attribute) else { return Ok(None) };
        let found = self.tendon_indices.get(name).copied();
        found.map(Some).ok_or_else(|| node.error(format!("{attribute}: there is no tendon \"{name}\"")))
    }
}

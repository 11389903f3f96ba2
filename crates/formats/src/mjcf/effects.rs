//! Every attribute that the support table calls honoured changes the world that is read, or is refused.
//!
//! A case is an element's rule, a document with `@` where an attribute goes, and attributes with two values each: `name=a|b`,
//! the first empty if the attribute is then left out. The two documents must not give the same world.

use super::schema::RULES;
use crate::files::Memory;
use crate::{LoadOptions, load_with};
use std::collections::BTreeSet;
use stiction_model::World;

const CHILD: &str = "<mujoco><worldbody><frame name='f'><body name='b'><joint name='j'/><geom size='1'/></body></frame>\
                     <body name='c'><geom size='1'/></body></worldbody></mujoco>";
const TETRA: &str = "v 0 0 0\nv 1 0 0\nv 0 2 0\nv 0 0 3\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n";
const CUBE: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 1 1 1\nf 1 2 3\nf 1 2 4\nf 2 3 5\nf 3 4 5\n";
const FRAME: &str =
    "pos=|1 2 3; quat=|0 1 0 0; axisangle=|1 0 0 90; euler=|0 0 30; xyaxes=|0 1 0 -1 0 0; zaxis=|1 0 0";
const SENSOR: &str = "name=|z; cutoff=|2";
const TENDON: &str = "name=|z; range=|1 2; limited=true|false; stiffness=|3; damping=|3; frictionloss=|3; armature=|3; springlength=|2; \
                      actuatorfrcrange=|-1 1; actuatorfrclimited=true|false; width=|1; rgba=|1 0 0 1; material=|m";

fn cases() -> Vec<(&'static str, String, String)> {
    let mut cases: Vec<(&'static str, String, String)> = Vec::new();
    let mut add = |key, document: &str, attributes: &str| {
        cases.push((key, format!("<mujoco>{document}</mujoco>"), attributes.to_string()));
    };
    let scene = |rest: &str| {
        format!(
            "<default><default class='d'><joint damping='1'/><geom friction='0.5'/><site size='0.3'/><camera fovy='20'/><light diffuse='1 0 0'/><pair friction='0.5 0.5'/>\
             <mesh scale='2 2 2'/><material rgba='1 0 0 1'/><motor gear='5'/><tendon stiffness='7'/><equality active='false'/><texture rgb1='1 0 0'/></default></default>\
             <asset><material name='m' rgba='0 1 0 1'/><mesh name='mesh' file='m.obj'/><hfield name='h' nrow='2' ncol='2' size='1 1 1 1'/></asset>{rest}"
        )
    };
    let body = |inside: &str| format!("<body name='o'><joint name='oj'/><geom size='0.1'/>{inside}</body>");
    let world = |inside: &str| scene(&format!("<worldbody>{inside}</worldbody>"));
    // Joints, sites, geoms, bodies and tendons for things that refer to them.
    let linked = |rest: &str| {
        scene(&format!(
            "<worldbody><camera name='cam'/><site name='s0'/><site name='s1' pos='1 0 0'/><geom name='g0' type='sphere' size='0.1' pos='0 5 0'/>\
             <geom name='g1' type='sphere' size='0.1' pos='0 6 0'/><camera name='cam1'/><body name='a'><joint name='j' range='-1 1'/><geom name='ga' size='0.1'/>\
             <site name='sa'/><body name='b'><joint name='k' range='-20 20'/><geom name='gb' size='0.1'/><site name='sb'/></body></body></worldbody>\
             <tendon><fixed name='t'><joint joint='j' coef='1'/></fixed><fixed name='u'><joint joint='k' coef='2'/></fixed></tendon>{rest}"
        ))
    };
    add(
        "texture",
        &scene(
            "<asset><texture name='t' type='2d' builtin='flat' @/><material name='y' texture='t'/></asset>",
        ),
        "class=|d",
    );
    cases_of_document(&mut add);
    let numeric = "<custom><numeric name='stiction:friction_passes' @/></custom>";
    add("numeric", numeric, "data=2|3");
    add(
        "numeric",
        "<custom><numeric data='1' @/></custom>",
        "name=stiction:harmonic_friction|stiction:linear_dissipation",
    );
    let text = "<custom><text @ data='stiction'/></custom>";
    add(
        "text",
        &format!(
            "<worldbody><geom name='g' size='1'/></worldbody>{}",
            text.replace("stiction'", "compliant'")
        ),
        "name=|stiction:geom:g",
    );
    add(
        "text",
        "<worldbody><geom name='g' size='1'/></worldbody><custom><text name='stiction:geom:g' @/></custom>",
        "data=rigid|compliant",
    );
    add(
        "default",
        "<default><default @><geom friction='0.2'/></default></default><worldbody><geom class='x' size='1'/></worldbody>",
        "class=y|x",
    );
    add(
        "model",
        "<asset><model name='n' @/></asset><worldbody><attach model='n' prefix='p'/></worldbody>",
        "file=c.xml|d.xml",
    );
    add(
        "model",
        "<asset><model file='c.xml' @/></asset><worldbody><attach model='n' prefix='p'/></worldbody>",
        "name=x|n",
    );
    add(
        "texture",
        "<asset><texture type='2d' builtin='flat' rgb1='0 0 1' width='2' height='2' @/><material name='m' texture='t'/></asset>",
        "name=x|t",
    );
    add(
        "mesh",
        "<asset><mesh name='x' @/></asset><worldbody><geom type='mesh' mesh='x'/></worldbody>",
        "file=m.obj|n.obj; vertex=0 0 0 1 0 0 0 1 0 0 0 1|0 0 0 1 0 0 0 1 0 0 0 2",
    );
    add(
        "mesh",
        &scene("<asset><mesh file='m.obj' @/></asset><worldbody><geom type='mesh' mesh='m'/></worldbody>"),
        "name=x|m",
    );
    add(
        "mesh",
        &scene(
            "<asset><mesh name='x' file='m.obj' @/></asset><worldbody><geom type='mesh' mesh='x'/></worldbody>",
        ),
        "class=|d; scale=|2 2 2; refpos=|1 0 0; refquat=|0 1 0 0",
    );
    add(
        "mesh",
        "<asset><mesh name='x' file='n.obj' @/></asset><worldbody><body><geom type='mesh' mesh='x'/></body></worldbody>",
        "inertia=exact|convex",
    );
    add(
        "mesh",
        "<asset><mesh name='x' vertex='0 0 0 1 0 0 0 1 0 0 0 1' @/></asset><worldbody><geom type='mesh' mesh='x'/></worldbody>",
        "face=|0 2 1 0 1 3 1 2 3",
    );
    add(
        "hfield",
        "<asset><hfield name='x' nrow='2' ncol='2' @/></asset><worldbody><geom type='hfield' hfield='x'/></worldbody>",
        "size=1 1 1 1|2 1 1 1",
    );
    add(
        "hfield",
        "<asset><hfield name='x' size='1 1 1 1' nrow='2' ncol='3' @/></asset><worldbody><geom type='hfield' hfield='x'/></worldbody>",
        "elevation=|0 1 2 3 4 5",
    );
    add(
        "hfield",
        "<asset><hfield name='x' size='1 1 1 1' ncol='2' @/></asset><worldbody><geom type='hfield' hfield='x'/></worldbody>",
        "nrow=2|3",
    );
    add(
        "hfield",
        "<asset><hfield name='x' size='1 1 1 1' nrow='2' @/></asset><worldbody><geom type='hfield' hfield='x'/></worldbody>",
        "ncol=2|3",
    );
    add(
        "hfield",
        "<asset><hfield size='1 1 1 1' nrow='2' ncol='2' @/></asset><worldbody><geom type='hfield' hfield='x'/></worldbody>",
        "name=y|x",
    );
    add(
        "hfield",
        "<asset><hfield name='x' size='1 1 1 1' @/></asset><worldbody><geom type='hfield' hfield='x'/></worldbody>",
        "file=h.bin|i.bin",
    );
    add("material", &scene("<asset><material @/></asset>"), "name=x|y");
    add("material", &scene("<asset><material name='x' @/></asset>"), "class=|d");
    let layer = "<asset><texture name='t' type='2d' builtin='flat' rgb1='0 0 1' width='2' height='2'/><material name='x'><layer";
    add("layer", &format!("{layer} role='rgb' @/></material></asset>"), "texture=|t");
    add("layer", &format!("{layer} texture='t' @/></material></asset>"), "role=rgb|normal");
    add("camera", &world("<camera @/>"), &format!("name=|z; class=|d; {FRAME}"));
    add("light", &world("<light @/>"), "class=|d");
    add(
        "body",
        &world("<body @><geom size='0.1'/></body>"),
        &format!("name=|z; childclass=|d; mocap=|true; gravcomp=|1; {FRAME}"),
    );
    add(
        "body",
        &world(&format!("<replicate @>{}</replicate>", "<body name='x'><geom size='1'/></body>")),
        "count=2|3",
    );
    add(
        "body",
        &world("<replicate count='3' @><body name='x'><geom size='1'/></body></replicate>"),
        "sep=|-; offset=|1 0 0",
    );
    let attach =
        "<asset><model name='n' file='c.xml'/><model name='d' file='d.xml'/></asset><worldbody><attach";
    add("attach", &format!("{attach} prefix='p' @/></worldbody>"), "model=n|d");
    add("attach", &format!("{attach} model='n' prefix='p' @/></worldbody>"), "body=|b; frame=|f");
    add("attach", &format!("{attach} model='n' @/></worldbody>"), "prefix=|p");
    let inertial = |rest: &str| world(&format!("<body><freejoint/><inertial {rest} @/></body>"));
    add(
        "inertial",
        &inertial("mass='1' pos='0 0 0'"),
        "diaginertia=1 1 1|1 1.5 1; fullinertia=1 1 1 0 0 0|1 1 1 0.1 0 0",
    );
    add("inertial", &inertial("diaginertia='1 2 2.5' pos='0 0 0'"), "mass=1|2");
    add("inertial", &inertial("diaginertia='1 2 2.5' mass='1'"), "pos=0 0 0|1 2 3");
    let (_, turns) = FRAME.split_once("; ").expect("pos is the first");
    add("inertial", &inertial("diaginertia='1 2 2.5' mass='1' pos='0 0 0'"), turns);
    let joint = |inside: &str| world(&format!("<body><joint {inside} @/><geom size='0.1'/></body>"));
    add(
        "joint",
        &joint(""),
        "name=|z; class=|d; type=|slide; pos=|1 0 0; axis=|1 0 0; range=|0 9; damping=|3; stiffness=|3; armature=|3; frictionloss=|3; \
                             ref=|9; actuatorfrcrange=|-1 1",
    );
    add("joint", &joint("stiffness='1'"), "springref=|9");
    add("joint", &joint("range='0 9'"), "limited=true|false");
    add("joint", &joint("actuatorfrcrange='-1 1'"), "actuatorfrclimited=true|false");
    add("joint", &joint(""), "springdamper=|1 1");
    add("freejoint", &world("<body><freejoint @/><geom size='0.1'/></body>"), "name=|z");
    add(
        "geom",
        &world(&body("<geom size='0.2 0.3 0.4' type='box' @/>")),
        &format!(
            "name=|z; class=|d; {FRAME}; mass=|3; density=|3; contype=|2; conaffinity=|2; condim=|1; \
        priority=|2; friction=|0.3; margin=|0.1; surfacevel=|1 0 0 0 0 0; fluidshape=|ellipsoid; rgba=|1 0 0 1; material=|m; group=|2; shellinertia=|true"
        ),
    );
    add("geom", &world(&body("<geom size='0.2 0.3 0.4' fluidshape='ellipsoid' @/>")), "fluidcoef=|1 1 1 1 1");
    add("geom", &world("<geom size='0.2 0.3 0.4' @/>"), "type=|box");
    add("geom", &world("<geom type='box' @/>"), "size=1 1 1|2 1 1");
    add("geom", &world("<geom type='capsule' size='0.1 1' @/>"), "fromto=|0 0 0 1 0 0");
    add(
        "geom",
        &scene("<asset><mesh name='n' file='n.obj'/></asset><worldbody><geom type='mesh' @/></worldbody>"),
        "mesh=mesh|n",
    );
    add(
        "geom",
        &scene(
            "<asset><hfield name='n' nrow='3' ncol='3' size='1 1 1 1'/></asset><worldbody><geom type='hfield' @/></worldbody>",
        ),
        "hfield=h|n",
    );
    add("geom", &world("<geom type='box' mesh='mesh' @/>"), "fitscale=|2");
    add(
        "site",
        &world("<site @/>"),
        &format!("name=|z; class=|d; {FRAME}; group=|2; material=|m; rgba=|1 0 0 1; size=|0.2; type=|box"),
    );
    add("site", &world("<site type='capsule' size='0.1' @/>"), "fromto=|0 0 0 1 0 0");
    let pair = |inside: &str| linked(&format!("<contact><pair {inside} @/></contact>"));
    add("pair", &pair("geom2='gb'"), "geom1=g0|g1");
    add("pair", &pair("geom1='gb'"), "geom2=g0|g1");
    add("pair", &pair("geom1='g0' geom2='gb'"), "class=|d; condim=|1; friction=|0.3 0.3");
    let exclude = |inside: &str| linked(&format!("<contact><exclude {inside} @/></contact>"));
    add("exclude", &exclude("body2='b'"), "body1=a|world");
    add("exclude", &exclude("body1='b'"), "body2=a|world");
    cases_of_links(&mut add, &linked);
    cases.push(("mujoco", "<mujoco @/>".into(), "model=|z".into()));
    cases
}

fn cases_of_document(add: &mut dyn FnMut(&'static str, &str, &str)) {
    let mesh = "<worldbody><geom type='mesh' mesh='m'/></worldbody>";
    let compiler = |rest: &str| format!("<compiler @/>{rest}");
    let turned =
        "<worldbody><body euler='0.1 0.2 0.3'><joint range='0 1'/><geom size='0.1'/></body></worldbody>";
    add(
        "compiler",
        &compiler(turned),
        "angle=|radian; autolimits=|false; boundinertia=|100; boundmass=|100; coordinate=|global; eulerseq=|zyx; settotalmass=|3",
    );
    let both = "<worldbody><body><joint/><inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/><geom size='0.1'/><geom size='0.3' group='3'/></body></worldbody>";
    add("compiler", &compiler(both), "inertiafromgeom=|true");
    add(
        "compiler",
        &compiler(&both.replace("diaginertia='1 1 1'", "diaginertia='1 1 3'")),
        "balanceinertia=|true",
    );
    let by_geom = both.replace("<inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/>", "");
    add("compiler", &compiler(&by_geom), "inertiagrouprange=|0 1");
    add(
        "compiler",
        &compiler(&format!(
            "<asset><mesh name='m' file='m.obj'/></asset>{}",
            mesh.replace("type='mesh'", "type='box'")
        )),
        "fitaabb=|true",
    );
    add(
        "compiler",
        &compiler(&format!("<asset><mesh name='m' file='m.obj'/></asset>{mesh}")),
        "meshdir=|sub; assetdir=|sub",
    );
    add(
        "compiler",
        &compiler(&format!("<asset><mesh name='m' file='sub/m.obj'/></asset>{mesh}")),
        "strippath=|true",
    );
    add(
        "compiler",
        &compiler(
            "<asset><texture name='t' type='2d' file='t.png'/><material name='m' texture='t'/></asset>",
        ),
        "texturedir=|sub",
    );
    add(
        "option",
        "<option @/>",
        "gravity=|0 0 1; timestep=|0.1; magnetic=|1 0 0; density=|1; viscosity=|1; wind=|1 0 0",
    );
    let all = "<worldbody><geom size='1' name='g'/><body><joint name='j' range='0 1' frictionloss='1' stiffness='1' damping='1'/><geom size='0.1' name='h'/></body></worldbody>\
               <equality><joint joint1='j'/></equality><actuator><motor joint='j' ctrlrange='0 1'/></actuator><option><flag @/></option>";
    let flags = "actuation clampctrl constraint contact damper equality filterparent frictionloss gravity limit spring passive";
    let flags: Vec<String> = flags.split(' ').map(|f| format!("{f}=enable|disable")).collect();
    add("flag", all, &flags.join("; "));
}

fn cases_of_links(add: &mut dyn FnMut(&'static str, &str, &str), linked: &dyn Fn(&str) -> String) {
    let equality = |kind: &str, inside: &str| linked(&format!("<equality><{kind} {inside} @/></equality>"));
    let usual = "name=|z; class=|d; active=|false";
    add(
        "equality.default",
        &linked("<default><equality @/></default><equality><joint joint1='j'/></equality>"),
        "active=|false",
    );
    add(
        "equality.joint",
        &equality("joint", "joint1='j' joint2='k'"),
        &format!("{usual}; polycoef=|0 2 0 0 0"),
    );
    add("equality.joint", &equality("joint", ""), "joint1=j|k");
    add("equality.joint", &equality("joint", "joint1='j'"), "joint2=|k");
    add(
        "equality.tendon",
        &equality("tendon", "tendon1='t' tendon2='u'"),
        &format!("{usual}; polycoef=|0 2 0 0 0"),
    );
    add("equality.tendon", &equality("tendon", ""), "tendon1=t|u");
    add("equality.tendon", &equality("tendon", "tendon1='t'"), "tendon2=|u");
    add(
        "equality.bodies",
        &equality("weld", "body1='a' body2='b'"),
        &format!("{usual}; anchor=|1 0 0; relpose=|1 0 0 1 0 0 0"),
    );
    add("equality.bodies", &equality("weld", "body2='b'"), "body1=|a");
    add("equality.bodies", &equality("connect", "body1='b' anchor='0 0 0'"), "body2=|a");
    add("equality.bodies", &equality("connect", "site2='sb'"), "site1=s0|s1");
    add("equality.bodies", &equality("connect", "site1='sb'"), "site2=s0|s1");
    let actuator = |kind: &str, inside: &str| linked(&format!("<actuator><{kind} {inside} @/></actuator>"));
    add(
        "actuator",
        &actuator("motor", "joint='j'"),
        "name=|z; class=|d; gear=|3; ctrlrange=|0 1; forcerange=|0 1; armature=|1; damping=|1",
    );
    add("actuator", &actuator("motor", "joint='j' ctrlrange='0 1'"), "ctrllimited=true|false");
    add("actuator", &actuator("motor", "joint='j' forcerange='0 1'"), "forcelimited=true|false");
    add("actuator", &actuator("motor", ""), "joint=j|k; jointinparent=j|k; tendon=t|u; site=sa|sb");
    add("actuator", &actuator("motor", "site='sa'"), "refsite=|s0");
    add("actuator", &actuator("adhesion", "ctrlrange='0 1'"), "body=a|b");
    add("actuator", &actuator("adhesion", "ctrlrange='0 1' body='a'"), "gain=|3");
    let crank = "slidersite='sa' cranksite='sb' cranklength='1'";
    for (name, other) in [("slidersite", "s0|s1"), ("cranksite", "s0|s1"), ("cranklength", "1|2")] {
        let rest: Vec<&str> = crank.split(' ').filter(|word| !word.starts_with(name)).collect();
        add("actuator", &actuator("motor", &rest.join(" ")), &format!("{name}={other}"));
    }
    add(
        "actuator",
        &actuator("general", "joint='j' gainprm='2 3 4' biasprm='1 2 3'"),
        "gaintype=|affine; biastype=|affine; dyntype=|integrator",
    );
    add(
        "actuator",
        &actuator("general", "joint='j' biastype='affine' dyntype='filter'"),
        "gainprm=|3; biasprm=|3; dynprm=|3; actearly=|true; actrange=|0 1",
    );
    add(
        "actuator",
        &actuator("general", "joint='j' dyntype='filter' actrange='0 1'"),
        "actlimited=true|false",
    );
    add(
        "actuator",
        &actuator("position", "joint='j'"),
        "kp=|3; kv=|3; dampratio=|1; timeconst=|1; inheritrange=|1",
    );
    add("actuator", &actuator("cylinder", "joint='j'"), "area=|3; diameter=|3; bias=|1 2 3");
    add(
        "actuator",
        &actuator("muscle", "joint='j'"),
        "lengthrange=|1 2; range=|0.8 1; scale=|3; force=|3; lmin=|0.6; lmax=|1.7; vmax=|3; fpmax=|3; fvmax=|3; tausmooth=|0.1",
    );
    for (key, kind, inside) in [
        ("tendon.spatial", "spatial", "<site site='sa'/><site site='sb'/>"),
        ("tendon.fixed", "fixed", "<joint joint='j' coef='2'/>"),
    ] {
        for attribute in TENDON.split("; ").chain(["class=|d"]) {
            let given = match attribute.split('=').next() {
                Some("limited") => "range='1 2'",
                Some("actuatorfrclimited") => "actuatorfrcrange='-1 1'",
                _ => "",
            };
            add(key, &linked(&format!("<tendon><{kind} {given} @>{inside}</{kind}></tendon>")), attribute);
            if key == "tendon.fixed" && !attribute.starts_with("name") && !attribute.starts_with("class") {
                add(
                    "tendon.default",
                    &linked(&format!(
                        "<default><tendon {given} @/></default><tendon><fixed>{inside}</fixed></tendon>"
                    )),
                    attribute,
                );
            }
        }
    }
    let path = |stage: &str| {
        linked(&format!("<tendon><spatial><site site='sa'/>{stage}<site site='sb'/></spatial></tendon>"))
    };
    add("tendon.site", &path("<site @/>"), "site=s0|s1");
    add("tendon.geom", &path("<geom @/>"), "geom=g0|g1");
    add("tendon.geom", &path("<geom geom='g0' @/>"), "sidesite=|s0");
    add("tendon.pulley", &path("<site site='s0'/><pulley @/><site site='s1'/>"), "divisor=2|3");
    add("tendon.joint", &linked("<tendon><fixed><joint coef='1' @/></fixed></tendon>"), "joint=j|k");
    add("tendon.joint", &linked("<tendon><fixed><joint joint='j' @/></fixed></tendon>"), "coef=1|2");
    let sensor = |kind: &str, inside: &str| {
        linked(&format!(
            "<actuator><motor name='m' joint='j'/><motor name='n' joint='j'/></actuator><sensor><{kind} {inside} @/></sensor>"
        ))
    };
    for (key, kind, own, values) in [
        ("sensor.site", "gyro", "site", "sa|sb"),
        ("sensor.joint", "jointpos", "joint", "j|k"),
        ("sensor.tendon", "tendonpos", "tendon", "t|u"),
        ("sensor.actuator", "actuatorpos", "actuator", "m|n"),
        ("sensor.body", "subtreecom", "body", "a|b"),
    ] {
        add(key, &sensor(kind, ""), &format!("{own}={values}"));
        add(key, &sensor(kind, &format!("{own}='{}'", values.split('|').next().unwrap_or(""))), SENSOR);
    }
    add("sensor.frame", &sensor("framepos", "objtype='body' objname='a'"), SENSOR);
    add("sensor.frame", &sensor("framepos", "objname='a'"), "objtype=body|xbody");
    add("sensor.frame", &sensor("framepos", "objtype='body'"), "objname=a|b");
    add("sensor.frame", &sensor("framepos", "objtype='body' objname='a' refname='b'"), "reftype=body|xbody");
    add("sensor.frame", &sensor("framepos", "objtype='body' objname='a' reftype='body'"), "refname=a|b");
    add("sensor.frame", &sensor("insidesite", "objtype='body' objname='a'"), "site=sa|sb");
    add("sensor.distance", &sensor("distance", "geom1='ga' geom2='gb' cutoff='1'"), "name=|z");
    add("sensor.distance", &sensor("distance", "geom1='ga' geom2='gb'"), "cutoff=|2");
    add("sensor.distance", &sensor("distance", "geom2='gb'"), "geom1=g0|g1; body1=a|b");
    add("sensor.distance", &sensor("distance", "geom1='gb'"), "geom2=g0|g1; body2=a|b");
    add(
        "sensor.contact",
        &sensor("contact", ""),
        &format!(
            "{SENSOR}; geom1=|g0; body1=|a; subtree1=|a; site=|sa; num=|3; data=|force; reduce=|mindist"
        ),
    );
    add("sensor.contact", &sensor("contact", "geom1='ga'"), "geom2=|g0; body2=|b; subtree2=|b");
    add("sensor.projection", &sensor("camprojection", "camera='cam'"), "site=sa|sb");
    add("sensor.projection", &sensor("camprojection", "site='sa'"), "camera=cam|cam1");
    add("sensor.projection", &sensor("camprojection", "site='sa' camera='cam'"), SENSOR);
    add("sensor.user", &sensor("user", "dim='1'"), "name=|z");
    add("sensor.user", &sensor("user", ""), "dim=1|2");
    add("sensor.world", &sensor("clock", ""), SENSOR);
    let key = linked(
        "<worldbody><body mocap='true' name='mo'/></worldbody><actuator><general joint='j' dyntype='integrator'/></actuator><keyframe><key @/></keyframe>",
    );
    add("key", &key, "name=|z; time=|1; qpos=|1 2; qvel=|1 2; ctrl=|1; act=|1; mpos=|1 2 3; mquat=|0 1 0 0");
}

fn load(document: &str) -> Result<World, String> {
    let field = |last: f32| {
        [2i32.to_le_bytes(), 2i32.to_le_bytes()]
            .concat()
            .into_iter()
            .chain([0.0, 1.0, 2.0, last].into_iter().flat_map(f32::to_le_bytes))
            .collect::<Vec<u8>>()
    };
    let png = |gray: u8| {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, 1, 1);
        encoder.set_color(png::ColorType::Grayscale);
        encoder.write_header().unwrap().write_image_data(&[gray]).unwrap();
        bytes
    };
    let files = Memory::default()
        .with("main.xml", document)
        .with("c.xml", CHILD)
        .with("d.xml", CHILD.replace("'b'", "'e'"))
        .with("m.obj", TETRA)
        .with("n.obj", CUBE)
        .with("sub/m.obj", CUBE)
        .with("h.bin", field(3.0))
        .with("i.bin", field(4.0))
        .with("t.png", png(10))
        .with("sub/t.png", png(200));
    let mut world = load_with("main.xml", &files, &LoadOptions::default()).map_err(|e| e.to_string())?;
    // A warning is no effect.
    world.warnings.clear();
    Ok(world)
}

#[test]
fn every_attribute_called_honoured_changes_the_world() {
    let mut missing: BTreeSet<(String, String)> = BTreeSet::new();
    for rule in RULES {
        let mapped = |name: &&str| rule.mapped.iter().any(|(names, _)| names.split(' ').any(|n| n == *name));
        missing.extend(
            rule.read
                .split_ascii_whitespace()
                .filter(|name| !mapped(name))
                .map(|name| (rule.key.to_string(), name.to_string())),
        );
    }
    let mut idle = Vec::new();
    for (key, document, attributes) in cases() {
        for attribute in attributes.split(';').map(str::trim).filter(|a| !a.is_empty()) {
            let (name, values) = attribute.split_once('=').expect("name=first|second");
            let (first, second) = values.split_once('|').expect("two values");
            let with = |value: &str| {
                let given = if value.is_empty() { String::new() } else { format!("{name}='{value}'") };
                load(&document.replacen('@', &given, 1))
            };
            let (a, b) = (with(first), with(second));
            if a == b || (a.is_err() && b.is_err()) {
                idle.push(format!("{key} {name}: {:?}", a.err()));
            }
            missing.remove(&(key.to_string(), name.to_string()));
        }
    }
    assert!(idle.is_empty(), "without effect:\n{}", idle.join("\n"));
    assert!(missing.is_empty(), "no case for {missing:?}");
}

#[test]
fn settings_of_the_solver_are_all_named_in_one_warning() {
    for (key, open, close) in [("option", "<option ", "/>"), ("flag", "<option><flag ", "/></option>")] {
        let rule = RULES.iter().find(|r| r.key == key).unwrap();
        for name in rule.reported.iter().flat_map(|(names, _)| names.split_ascii_whitespace()) {
            let text = format!("<mujoco>{open}{name}='enable'{close}</mujoco>");
            let files = Memory::default().with("main.xml", text);
            let world = load_with("main.xml", &files, &LoadOptions::default()).unwrap();
            let found: Vec<&str> = world.warnings.iter().map(|w| w.message.as_str()).collect();
            assert!(
                matches!(found[..], [one] if one.contains(name) && one.contains("no effect")),
                "{name}: {found:?}"
            );
        }
    }
}

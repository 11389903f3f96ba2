"""Invents Drake's model directives: robots and assemblies put together by welds and frames, written in any style of YAML."""

from invent import Invention
from invent_sdf import Assembly
from invent_urdf import Robot


class Part:
    """What directives may refer to in a model file."""

    def __init__(self, file, model):
        self.file = file
        self.links = [link.get("name") for link in model.findall("link")]
        # Drake 1.51 takes the pose of a frame that is attached to another frame for one in the link below it.
        known = [None, *self.links]
        self.frames = [frame.get("name") for frame in model.findall("frame") if frame.get("attached_to") in known]
        joints = [(joint.get("name"), joint.get("type"), *ends(joint)) for joint in model.findall("joint")]
        self.moving = [name for name, kind, _, _ in joints if kind != "fixed"]
        children = {child for _, _, _, child in joints}
        # Links that no joint holds, and those that hang on one: what a weld may take.
        self.free = [link for link in self.links if link not in children]
        self.loose = list(self.free)
        for _, _, parent, child in joints * len(joints):
            if parent in self.loose and child in self.links and child not in self.loose:
                self.loose.append(child)


def ends(joint):
    """Names of a joint's parent and child, in either format."""
    return [part.get("link") or part.text for part in (joint.find("parent"), joint.find("child"))]


class Directives(Invention):
    """One file of directives from one seed; the models are the inventions with the same seed beside it."""

    def __init__(self, seed):
        super().__init__([seed, 3], None)
        robot, assembly = Robot(seed).root, Assembly(seed).root.find("model")
        self.kinds = [Part(f"package://invented/urdf-{seed}.urdf", robot), Part(f"package://invented/sdf-{seed}.sdf", assembly)]
        # A frame of the model itself, on its first link or the one that is said to carry it.
        first = next((link.get("name") for link in assembly.findall("link")), None)
        self.carrier = assembly.get("canonical_link") or first
        self.places, self.words, self.directives, self.inner = ["world"], set(), [], {}
        for index in range(int(self.random.integers(1, 4))):
            self.part(f"part{index}", self.kinds[int(self.random.integers(2))])
        if self.chance(0.3):
            self.enclose(f"inner-{seed}.yaml")

    def enclose(self, file):
        """Moves all directives so far into another file, in a namespace, and adds to them."""
        self.inner[file] = self.text()
        self.directives = []
        self.add("add_model_instance", {"name": "all"})
        self.add("add_directives", {"file": f"package://invented/{file}", "model_namespace": "all"})
        self.places = ["world"] + [f"all::{place}" for place in self.places if place.startswith("part")]
        self.part("last", self.kinds[int(self.random.integers(2))])

    def part(self, name, part):
        """Adds a model, and perhaps frames on it and a weld."""
        model = {"name": name, "file": part.file}
        if part.moving and self.chance(0.5):
            chosen = [joint for joint in part.moving if self.chance(0.5)]
            model["default_joint_positions"] = {joint: self.vector(1) for joint in chosen}
        child = self.pick(part.loose) if part.loose and self.chance(0.6) else None
        if child is None and part.free and self.chance(0.6):
            start = self.pose()
            if self.chance(0.3):
                start = {"base_frame": self.pick(self.places)} | start
            model["default_free_body_pose"] = {self.pick(part.free): start}
        self.add("add_model", model)
        inside = [f"{name}::{frame}" for frame in part.links + part.frames]
        if child is not None:
            # Drake takes another link for the root of what is free, and so other coordinates, if not the root is welded.
            parent = "world" if child not in part.free else self.pick(self.places)
            by_model = part.file.endswith("sdf") and child == self.carrier and self.chance(0.5)
            weld = {"parent": parent, "child": f"{name}::__model__" if by_model else f"{name}::{child}"}
            if self.chance(0.7):
                weld["X_PC"] = self.pose()
            self.add("add_weld", weld)
        self.places += inside
        if self.chance(0.6):
            frame = f"frame_of_{name}"
            base = self.pick(inside)
            written = f"{name}::{frame}" if self.chance(0.3) else frame
            self.add("add_frame", {"name": written, "X_PF": {"base_frame": base} | self.pose()})
            self.places.append(self.pick([frame, f"{name}::{frame}"]))

    def add(self, kind, content):
        self.words |= {kind, *(f"{kind}@{key}" for key in content)}
        self.directives.append({kind: content})

    def pose(self):
        pose = {}
        if self.chance(0.8):
            pose["translation"] = self.vector(3)
        if self.chance(0.8):
            pose["rotation"] = self.pick(
                [
                    Tagged("Rpy", {"deg": self.vector(3, 90)}),
                    Tagged("AngleAxis", {"angle_deg": self.vector(1, 90)[0], "axis": self.vector(3)}),
                    Tagged("Identity", {}),
                ]
            )
        return pose

    def vector(self, count, scale=1.0):
        return [float(f"{x:.6g}") for x in self.random.normal(size=count) * scale]

    def text(self):
        return "directives:\n" + "".join(f"- {self.block(directive, 2)}" for directive in self.directives)

    def beside(self):
        return self.inner

    def block(self, value, indent):
        """A value from where the line stands on, to the end of its last line."""
        tag = ""
        if isinstance(value, Tagged):
            tag, value = f"!{value.tag} ", value.content
        if not isinstance(value, dict) or not value or (indent > 2 and self.chance(0.4)):
            return f"{tag}{self.flow(value)}{self.pick(['', '', '  # as it is'])}\n"
        lines = [tag.rstrip() + "\n"] if indent > 2 else []
        for number, (key, inner) in enumerate(value.items()):
            space = " " * indent if number or indent > 2 else ""
            lines.append(f"{space}{self.quote(key)}: {self.block(inner, indent + 2)}")
        return "".join(lines).replace(": \n", ":\n")

    def flow(self, value):
        if isinstance(value, Tagged):
            return f"!{value.tag} {self.flow(value.content)}"
        if isinstance(value, dict):
            return "{" + ", ".join(f"{self.quote(key)}: {self.flow(inner)}" for key, inner in value.items()) + "}"
        if isinstance(value, list):
            return "[" + ", ".join(map(self.flow, value)) + "]"
        return self.quote(value) if isinstance(value, str) else repr(value)

    def quote(self, word):
        return self.pick([word, word, f"'{word}'", f'"{word}"'])


class Tagged:
    """A value with a tag before it, as in `!Rpy {deg: …}`."""

    def __init__(self, tag, content):
        self.tag, self.content = tag, content

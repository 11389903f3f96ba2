"""Invents models in MJCF: every part of it that moves something, in combinations nobody wrote by hand."""

import xml.etree.ElementTree as ElementTree

import numpy as np

from invent import Invention, words

ORIENTATIONS = ["quat", "axisangle", "euler", "xyaxes", "zaxis"]
SHAPES = {"sphere": 1, "capsule": 2, "cylinder": 2, "box": 3, "ellipsoid": 3}
SEQUENCES = ["xyz", "XYZ", "zyx", "ZYX", "xYz", "Zxz", "yXy"]


class Mechanism(Invention):
    """One MJCF file from one seed."""

    def __init__(self, seed):
        super().__init__(seed, ElementTree.Element("mujoco", model=f"invented {seed}"))
        self.named = {kind: [] for kind in ("body", "joint", "scalar", "ball", "free", "geom", "wrap", "site", "camera", "tendon", "actuator")}
        self.classes = ["main"]
        # MuJoCo copies some tendons and sensors along with bodies they do not refer to: such files have no copies.
        self.copies = self.chance(0.3)
        self.degrees = self.chance(0.5)
        self.compiler()
        self.option()
        self.defaults()
        self.asset = ElementTree.SubElement(self.root, "asset")
        self.meshes()
        self.world = ElementTree.SubElement(self.root, "worldbody")
        self.contents(self.world, fixed=True)
        if self.chance(0.2):
            led = ElementTree.SubElement(self.world, "body", self.place({"name": self.name("body"), "mocap": "true"}))
            self.contents(led, fixed=False)
        self.fixed_sites = list(self.named["site"])
        for _ in range(self.random.integers(1, 4)):
            self.body(self.world, depth=0)
        if not self.copies:
            self.tendons()
            self.actuators()
            self.sensors()

    # Numbers and words.

    def sizes(self, count, low=0.02, high=0.3):
        return words(self.random.uniform(low, high, size=count))

    def between(self, low, high):
        return words([self.random.uniform(low, high)])

    def interval(self, low, high):
        return words(np.sort(self.random.uniform(low, high, size=2)))

    def angle(self, radians):
        return float(np.degrees(radians)) if self.degrees else float(radians)

    def name(self, kind, *kinds):
        name = f"{kind}{sum(len(names) for names in self.named.values())}"
        for each in (kind, *kinds):
            self.named[each].append(name)
        return name

    def place(self, attributes, pos=0.8, turned=0.6):
        """Adds a position and an orientation, each of them perhaps."""
        if self.chance(pos):
            attributes["pos"] = self.numbers(3, 0.3)
        if self.chance(turned):
            attributes.update(self.orientation())
        return attributes

    def orientation(self):
        kind = self.pick(ORIENTATIONS)
        if kind == "axisangle":
            return {kind: self.numbers(3) + " " + words([self.angle(self.random.normal())])}
        if kind == "euler":
            return {kind: words([self.angle(a) for a in self.random.normal(size=3)])}
        return {kind: self.numbers({"quat": 4, "xyaxes": 6, "zaxis": 3}[kind])}

    def of_class(self, attributes, probability=0.2):
        if self.chance(probability):
            attributes["class"] = self.pick(self.classes)
        return attributes

    # What comes before the bodies.

    def compiler(self):
        attributes = {"angle": "degree" if self.degrees else "radian"}
        choices = {
            "eulerseq": (0.5, lambda: self.pick(SEQUENCES)),
            "inertiafromgeom": (0.2, lambda: self.pick(["true", "auto"])),
            "boundmass": (0.15, lambda: self.between(0.1, 1)),
            "boundinertia": (0.15, lambda: self.between(0.001, 0.1)),
            "settotalmass": (0.1, lambda: self.between(1, 20)),
            "balanceinertia": (0.1, lambda: "true"),
            "inertiagrouprange": (0.1, lambda: "0 2"),
            "autolimits": (0.1, lambda: "true"),
            "fusestatic": (0.1, lambda: "false"),
        }
        attributes.update({key: value() for key, (probability, value) in choices.items() if self.chance(probability)})
        if "boundmass" in attributes:  # where it puts the mass of a body whose geoms do not count is anyone's guess
            attributes.pop("inertiagrouprange", None)
        ElementTree.SubElement(self.root, "compiler", attributes)

    def option(self):
        option = ElementTree.SubElement(self.root, "option", timestep=self.between(0.001, 0.01))
        if self.chance(0.5):
            option.set("gravity", self.numbers(3, 5))
        if self.chance(0.3):
            option.set("magnetic", self.numbers(3))
        if self.chance(0.2):
            flag = self.pick(["gravity", "spring", "damper", "clampctrl", "contact", "limit"])
            ElementTree.SubElement(option, "flag", {flag: "disable"})

    def defaults(self):
        if self.chance(0.3):
            return
        parent = ElementTree.SubElement(self.root, "default")
        self.default_of(parent)
        for _ in range(self.random.integers(0, 4)):
            name = f"class{len(self.classes)}"
            element = ElementTree.SubElement(parent, "default", {"class": name})
            self.classes.append(name)
            self.default_of(element)
            if self.chance(0.5):
                parent = element

    def default_of(self, parent):
        sub = ElementTree.SubElement
        if self.chance(0.5):
            sub(parent, "geom", self.geom_numbers())
        if self.chance(0.5):
            sub(parent, "joint", self.joint_numbers())
        if self.chance(0.3):
            sub(parent, "site", {"size": self.sizes(3)})
        if self.chance(0.3):
            sub(parent, "tendon", {"stiffness": self.between(0, 20), "damping": self.between(0, 2)})
        if self.chance(0.3):
            sub(parent, "mesh", {"scale": self.pick(["0.5 0.75 1.25", "1 2 0.5"])})
        kind = self.pick(["motor", "position", "velocity", "general", "muscle", "none"])
        if kind == "motor":
            sub(parent, "motor", {"gear": self.between(0.5, 5), "ctrlrange": self.interval(-2, 2)})
        elif kind == "position":
            sub(parent, "position", {"kp": self.between(1, 50), "kv": self.between(0, 5)})
        elif kind == "velocity":
            sub(parent, "velocity", {"kv": self.between(0.1, 5)})
        elif kind == "general":
            sub(parent, "general", {"gear": self.numbers(1), "gainprm": self.numbers(1), "biastype": "affine", "biasprm": self.numbers(3)})
        elif kind == "muscle":
            sub(parent, "muscle", {"force": self.between(10, 200), "range": "0.6 1.3"})

    def meshes(self):
        self.mesh_names = []
        for _ in range(self.random.integers(0, 3)):
            # MuJoCo keeps vertices in single precision, which has these numbers exactly.
            vertices = np.round(self.random.normal(size=3 * int(self.random.integers(5, 15))) * 40) / 256
            attributes = {"name": f"mesh{len(self.mesh_names)}", "vertex": " ".join(f"{x:.8f}" for x in vertices)}
            if self.chance(0.3):
                attributes["scale"] = self.pick(["1.5 0.5 0.75", "1 -1 1", "-2 1 0.5"])
            if self.chance(0.3):
                attributes["refpos"] = self.pick(["0.125 0.25 -0.5", "1 0 0.0625"])
            if self.chance(0.3):
                attributes["refquat"] = self.pick(["0 1 0 0", "1 1 1 1"])
            if self.chance(0.3):
                attributes["inertia"] = self.pick(["convex", "exact", "legacy", "shell"])
            self.of_class(attributes)
            ElementTree.SubElement(self.asset, "mesh", attributes)
            self.mesh_names.append(attributes["name"])

    # Bodies and what they hold.

    def body(self, parent, depth):
        attributes = self.place({"name": self.name("body")})
        if self.chance(0.2):
            attributes["childclass"] = self.pick(self.classes)
        if self.chance(0.15):
            attributes["gravcomp"] = self.between(0, 1.5)
        element = ElementTree.SubElement(parent, "body", attributes)
        self.joints(element, depth)
        self.contents(element, fixed=False)
        if depth < 3:
            for _ in range(self.random.integers(0, 3)):
                self.child(element, depth)

    def child(self, parent, depth):
        what = self.random.random()
        if what < 0.15:
            frame = ElementTree.SubElement(parent, "frame", self.place({}))
            if self.chance(0.3):
                frame.set("childclass", self.pick(self.classes))
            self.child(frame, depth + 1)
            if self.chance(0.5):
                self.geom(frame)
            if self.chance(0.5):
                self.site(frame)
        elif what < 0.4 and self.copies:
            turn = [self.angle(a) for a in self.random.normal(size=3) * 0.3]
            copies = ElementTree.SubElement(
                parent, "replicate", count=str(self.random.integers(2, 4)), offset=self.numbers(3, 0.3), euler=words(turn), sep=self.pick(["-", "", "_r"])
            )
            self.replicated(copies)
        else:
            self.body(parent, depth + 1)

    def replicated(self, parent):
        """A small body to copy; what is outside does not refer to it."""
        outside = {kind: list(names) for kind, names in self.named.items()}
        body = ElementTree.SubElement(parent, "body", self.place({"name": f"copied{self.random.integers(10**6)}"}))
        if self.chance(0.7):
            ElementTree.SubElement(body, "joint", self.joint_numbers() | {"axis": self.numbers(3)})
        ElementTree.SubElement(body, "geom", {"type": "box", "size": self.sizes(3)})
        if self.chance(0.5):
            ElementTree.SubElement(parent, "geom", self.place({"type": "sphere", "size": self.sizes(1)}))
        self.named = outside

    def inside(self, parent):
        """The element, or a frame in it."""
        return ElementTree.SubElement(parent, "frame", self.place({})) if self.chance(0.15) else parent

    def joints(self, body, depth):
        what = self.random.random()
        if what < 0.15:
            return
        if depth == 0 and what < 0.4:
            if self.chance(0.5):
                ElementTree.SubElement(body, "freejoint", name=self.name("joint", "free"))
            else:
                ElementTree.SubElement(body, "joint", type="free", name=self.name("joint", "free"), damping=self.between(0, 1))
            return
        if what < 0.5:
            attributes = self.of_class({"name": self.name("joint", "ball"), "type": "ball", "range": "0 " + words([self.angle(self.random.uniform(0.5, 3))])} | self.joint_numbers(False))
            if self.chance(0.5):
                attributes["pos"] = self.numbers(3, 0.2)
            ElementTree.SubElement(self.inside(body), "joint", attributes)
            return
        for _ in range(self.random.integers(1, 4)):
            attributes = self.of_class({"name": self.name("joint", "scalar"), "axis": self.numbers(3)} | self.joint_numbers())
            if self.chance(0.4):
                attributes["type"] = self.pick(["slide", "hinge"])
            if self.chance(0.5):
                attributes["pos"] = self.numbers(3, 0.2)
            if self.chance(0.3):
                attributes["ref"] = self.numbers(1, self.angle(0.5))
            if self.chance(0.1):
                attributes |= {"range": self.interval(-1, 1), "limited": self.pick(["false", "true", "auto"])}
            ElementTree.SubElement(self.inside(body), "joint", attributes)

    def joint_numbers(self, scalar=True):
        attributes = {}
        choices = {
            "stiffness": (0.3, lambda: self.between(0, 20)),
            "damping": (0.3, lambda: self.between(0, 2)),
            "armature": (0.3, lambda: self.between(0, 0.5)),
            "frictionloss": (0.1, lambda: self.between(0, 1)),
        }
        if scalar:
            choices |= {
                "springref": (0.3, lambda: self.numbers(1, self.angle(0.5))),
                "range": (0.3, lambda: words(np.sort([self.angle(a) for a in self.random.normal(size=2)]))),
                "springdamper": (0.1 * self.copies, lambda: words(self.random.uniform(0.1, 2, size=2))),
            }
        attributes.update({key: value() for key, (probability, value) in choices.items() if self.chance(probability)})
        return attributes

    def geom_numbers(self):
        choices = {
            "density": (0.4, lambda: self.between(100, 3000)),
            "mass": (0.2, lambda: self.between(0.1, 5)),
            "shellinertia": (0.15, lambda: "true"),
            "group": (0.3, lambda: str(self.random.integers(0, 4))),
            "contype": (0.2, lambda: str(self.random.integers(0, 2))),
            "friction": (0.2, lambda: self.between(0.1, 1)),
        }
        return {key: value() for key, (probability, value) in choices.items() if self.chance(probability)}

    def geom(self, parent):
        attributes = self.of_class({"name": self.name("geom")} | self.geom_numbers())
        if self.mesh_names and self.chance(0.2):
            attributes["mesh"] = self.pick(self.mesh_names)
            attributes["shellinertia"] = "false"
            attributes["type"] = self.pick(["mesh", "mesh", "box", "capsule", "ellipsoid", "sphere", "cylinder"])
            ElementTree.SubElement(parent, "geom", self.place(attributes))
            return
        kind = self.pick(list(SHAPES))
        attributes["type"] = kind
        if kind == "ellipsoid":  # MuJoCo takes a thick shell, good to six digits
            attributes["shellinertia"] = "false"
        if kind in ("sphere", "cylinder"):
            self.named["wrap"].append(attributes["name"])
        if kind not in ("sphere",) and self.chance(0.3):
            attributes["fromto"] = self.numbers(6, 0.3)
            attributes["size"] = self.sizes(SHAPES[kind] - 1)
            ElementTree.SubElement(parent, "geom", attributes)
            return
        attributes["size"] = self.sizes(SHAPES[kind])
        ElementTree.SubElement(parent, "geom", self.place(attributes))

    def site(self, parent):
        attributes = self.of_class({"name": self.name("site")})
        if self.chance(0.15):
            attributes |= {"type": "capsule", "fromto": self.numbers(6, 0.3), "size": self.sizes(1)}
            ElementTree.SubElement(parent, "site", attributes)
            return
        ElementTree.SubElement(parent, "site", self.place(attributes))

    def contents(self, parent, fixed):
        if not fixed and self.chance(0.3):
            inertial = self.place({"mass": self.between(0.1, 5), "pos": self.numbers(3, 0.1)}, 0)
            if self.chance(0.4):
                inertia = self.inertia()
                inertial["fullinertia"] = words([inertia[i] for i in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))])
                for orientation in ORIENTATIONS:
                    inertial.pop(orientation, None)
            else:
                a, b, c = self.random.uniform(0.001, 0.1, size=3)
                inertial["diaginertia"] = words([a + b, b + c, c + a])
            ElementTree.SubElement(self.inside(parent), "inertial", inertial)
        for _ in range(self.random.integers(0 if fixed else 1, 4)):
            self.geom(parent)
        for _ in range(self.random.integers(0, 4)):
            self.site(parent)
        if self.chance(0.3):
            camera = {"name": self.name("camera"), "fovy": self.between(20, 90), "resolution": "640 480"}
            ElementTree.SubElement(self.inside(parent), "camera", self.place(camera))

    # What acts on bodies and what measures.

    def tendons(self):
        tendons = ElementTree.SubElement(self.root, "tendon")
        for _ in range(self.random.integers(0, 4)):
            spatial = len(self.named["site"]) >= 2 and self.chance(0.6)
            if not spatial and not self.named["scalar"]:
                continue
            attributes = self.of_class({"name": self.name("tendon")})
            choices = {
                "stiffness": (0.4, lambda: self.between(0, 30)),
                "damping": (0.4, lambda: self.between(0, 3)),
                "springlength": (0.3, lambda: self.pick([self.between(0, 1), self.interval(0, 2)])),
                "frictionloss": (0.1, lambda: self.between(0, 1)),
                "range": (0.2, lambda: self.interval(0, 2)),
            }
            attributes.update({key: value() for key, (probability, value) in choices.items() if self.chance(probability)})
            if spatial:
                self.path(ElementTree.SubElement(tendons, "spatial", attributes))
                continue
            joints = self.random.permutation(self.named["scalar"])[: self.random.integers(1, 4)]
            # MuJoCo leaves out what the inertia of a tendon couples across branches.
            if len(joints) == 1 and self.chance(0.4):
                attributes["armature"] = self.between(0, 0.5)
            tendon = ElementTree.SubElement(tendons, "fixed", attributes)
            for joint in joints:
                ElementTree.SubElement(tendon, "joint", joint=str(joint), coef=self.numbers(1))

    def path(self, tendon):
        sites = [str(site) for site in self.random.permutation(self.named["site"])]
        sub = ElementTree.SubElement
        sub(tendon, "site", site=sites.pop())
        while sites and self.chance(0.8):
            if self.named["wrap"] and self.chance(0.4):
                wrap = sub(tendon, "geom", geom=self.pick(self.named["wrap"]))
                if self.chance(0.4):
                    wrap.set("sidesite", self.pick(self.named["site"]))
            elif len(sites) > 2 and tendon[-1].tag == "site" and len(tendon) > 1 and tendon[-2].tag != "pulley" and self.chance(0.2):
                sub(tendon, "pulley", divisor=self.between(1, 3))
                sub(tendon, "site", site=sites.pop())
            sub(tendon, "site", site=sites.pop())
        if len(tendon) == 1:
            sub(tendon, "site", site=sites.pop())

    def transmission(self):
        """Where an actuator acts, or nothing."""
        kinds = {
            "joint": self.named["scalar"] + self.named["ball"] + self.named["free"],
            "jointinparent": self.named["ball"] + self.named["free"] + self.named["scalar"],
            "tendon": self.named["tendon"],
            "site": self.named["site"],
            "slidersite": self.named["site"][1:],
        }
        kind = self.pick(["joint", "joint", "joint", "jointinparent", "tendon", "site", "slidersite"])
        if not kinds[kind]:
            return None
        attributes = {kind: self.pick(kinds[kind])}
        if kind == "site":
            attributes["gear"] = self.numbers(6)
            if self.chance(0.5):
                attributes["refsite"] = self.pick(kinds["site"])
        elif kind == "slidersite":
            attributes |= {"cranksite": self.pick([s for s in self.named["site"] if s != attributes[kind]]), "cranklength": self.between(0.2, 2)}
        elif self.chance(0.5) or attributes[kind] not in self.named["scalar"]:
            attributes["gear"] = self.numbers(self.pick([1, 3, 6]))
        return attributes

    def actuators(self):
        actuators = ElementTree.SubElement(self.root, "actuator")
        for _ in range(self.random.integers(0, 6)):
            attributes = self.transmission()
            if attributes is None:
                continue
            attributes["name"] = self.name("actuator")
            kind = self.pick(["motor", "position", "velocity", "intvelocity", "damper", "cylinder", "muscle", "general", "general"])
            maker = getattr(self, kind, None)
            self.of_class(attributes)
            if self.chance(0.3) and kind != "damper":
                attributes["ctrlrange"] = self.interval(-2, 2)
            if self.chance(0.3):
                attributes["forcerange"] = words([-self.random.uniform(0.5, 5), self.random.uniform(0.5, 5)])
            if maker is not None:
                attributes |= maker()
            if kind == "muscle" and not {"joint", "tendon"} & set(attributes):
                attributes["force"] = self.between(1, 300)  # else it follows from an inertia that may be endless there
            ElementTree.SubElement(actuators, kind, attributes)

    def position(self):
        attributes = {"kp": self.between(1, 50)}
        if self.chance(0.6):
            attributes[self.pick(["kv", "dampratio"])] = self.between(0, 2)
        if self.chance(0.3):
            attributes["timeconst"] = self.between(0.01, 0.5)
        return attributes

    def velocity(self):
        return {"kv": self.between(0.1, 10)}

    def intvelocity(self):
        return {"kp": self.between(1, 20), "kv": self.between(0, 2), "actrange": self.interval(-2, 2)}

    def damper(self):
        return {"kv": self.between(0, 5), "ctrlrange": "0 " + self.between(0.5, 2)}

    def cylinder(self):
        attributes = {"timeconst": self.between(0.1, 1), "bias": self.numbers(3)}
        attributes[self.pick(["area", "diameter"])] = self.between(0.1, 1)
        return attributes

    def muscle(self):
        attributes = {"lengthrange": self.interval(-1, 2), "range": self.interval(0.5, 1.5), "timeconst": self.sizes(2, 0.01, 0.1)}
        choices = {
            "force": (0.5, lambda: self.between(1, 300)),
            "scale": (0.3, lambda: self.between(50, 300)),
            "lmin": (0.3, lambda: self.between(0.3, 0.7)),
            "lmax": (0.3, lambda: self.between(1.3, 1.8)),
            "vmax": (0.3, lambda: self.between(1, 3)),
            "fpmax": (0.3, lambda: self.between(1, 2)),
            "fvmax": (0.3, lambda: self.between(1, 2)),
            "tausmooth": (0.3, lambda: self.between(0, 0.3)),
        }
        return attributes | {key: value() for key, (probability, value) in choices.items() if self.chance(probability)}

    def general(self):
        attributes = {}
        if self.chance(0.6):
            attributes["dyntype"] = self.pick(["none", "integrator", "filter", "filterexact"])
            attributes["dynprm"] = self.between(0.05, 1)
            if attributes["dyntype"] != "none" and self.chance(0.3):
                attributes["actrange"] = self.interval(-1, 1)
        # Without a type of its own it may be a muscle by its class, of which MuJoCo looks for the lengths, at times for ever.
        attributes["gaintype"] = self.pick(["fixed", "affine"])
        attributes["biastype"] = self.pick(["none", "affine"])
        # A class's servo with an affine gain is none to MuJoCo, whose targets then do not turn round with an angle in space.
        if attributes["gaintype"] == "affine" or self.chance(0.7):
            attributes["gainprm"] = self.numbers(3)
        if self.chance(0.7):
            attributes["biasprm"] = self.numbers(3)
        return attributes

    def sensors(self):
        sensors = ElementTree.SubElement(self.root, "sensor")
        objects = {"site": "site", "body": "body", "xbody": "body", "geom": "geom", "camera": "camera"}
        simple = {
            "site": ["accelerometer", "velocimeter", "gyro", "force", "torque", "magnetometer", "rangefinder"],
            "scalar": ["jointpos", "jointvel", "jointactuatorfrc"],
            "ball": ["ballquat", "ballangvel"],
            "tendon": ["tendonpos", "tendonvel", "tendonactuatorfrc"],
            "actuator": ["actuatorpos", "actuatorvel", "actuatorfrc"],
            "body": ["subtreecom", "subtreelinvel", "subtreeangmom"],
        }
        framed = [
            "framepos", "framequat", "framexaxis", "frameyaxis", "framezaxis", "framelinvel", "frameangvel", "framelinacc", "frameangacc",
        ]
        for index in range(self.random.integers(0, 16)):
            attributes = {"name": f"sensor{index}"}
            if self.chance(0.1):
                attributes["cutoff"] = self.between(0.1, 2)
            if self.chance(0.5):
                kind = self.pick(framed)
                for role in ("obj", "ref"):
                    kinds = [k for k, names in objects.items() if self.named[names]]
                    if not kinds or (role == "ref" and (kind.endswith("acc") or self.chance(0.5))):
                        continue
                    chosen = self.pick(kinds)
                    attributes |= {f"{role}type": chosen, f"{role}name": self.pick(self.named[objects[chosen]])}
                if "objtype" in attributes:
                    if attributes.get("cutoff") and kind in ("framequat", "framexaxis", "frameyaxis", "framezaxis"):
                        del attributes["cutoff"]
                    ElementTree.SubElement(sensors, kind, attributes)
                continue
            if self.named["camera"] and self.named["site"] and self.chance(0.1):
                seen = attributes | {"site": self.pick(self.named["site"]), "camera": self.pick(self.named["camera"])}
                ElementTree.SubElement(sensors, "camprojection", seen)
                continue
            of = self.pick(list(simple))
            if self.named[of]:
                kind = self.pick(simple[of])
                place = self.pick(self.named[of])
                if kind in ("force", "torque") and place in self.fixed_sites:
                    continue  # between the world and nothing
                if kind == "ballquat":
                    attributes.pop("cutoff", None)
                attribute = {"scalar": "joint", "ball": "joint"}.get(of, of)
                ElementTree.SubElement(sensors, kind, attributes | {attribute: place})
        ElementTree.SubElement(sensors, "e_potential", name="potential")
        ElementTree.SubElement(sensors, "e_kinetic", name="kinetic")

"""Invents robots in URDF: trees of links with every type of joint and `drake:` tags, next to invent_mjcf."""

import xml.etree.ElementTree as ElementTree

import numpy as np

JOINTS = ["revolute", "continuous", "prismatic", "fixed"]


class Robot:
    """One URDF file from one seed."""

    def __init__(self, seed):
        self.random = random = np.random.default_rng([seed, 1])
        self.root = ElementTree.Element("robot", name=f"invented{seed}")
        self.root.set("xmlns:drake", "http://drake.mit.edu")
        count = int(random.integers(2, 9))
        order = random.permutation(count)
        # Links and joints stand in any order in a file.
        parts = [self.link(index) for index in range(count)]
        parts += [self.joint(int(order[k]), int(order[random.integers(0, k)]), k) for k in range(1, count)]
        for index in random.permutation(len(parts)):
            self.root.append(parts[index])

    def chance(self, probability):
        return bool(self.random.random() < probability)

    def numbers(self, count, scale=1.0):
        return words(self.random.normal(size=count) * scale)

    def origin(self, parent):
        if self.chance(0.8):
            origin = ElementTree.SubElement(parent, "origin")
            if self.chance(0.8):
                origin.set("xyz", self.numbers(3, 0.3))
            if self.chance(0.8):
                origin.set("rpy", self.numbers(3))

    def link(self, index):
        link = ElementTree.Element("link", name=f"link{index}")
        inertial = ElementTree.SubElement(link, "inertial")
        self.origin(inertial)
        ElementTree.SubElement(inertial, "mass", value=words([self.random.uniform(0.1, 5)]))
        half = self.random.normal(size=(3, 3)) * 0.1
        cloud = half @ half.T + 0.001 * np.eye(3)
        inertia = np.trace(cloud) * np.eye(3) - cloud
        names = {"ixx": (0, 0), "ixy": (0, 1), "ixz": (0, 2), "iyy": (1, 1), "iyz": (1, 2), "izz": (2, 2)}
        ElementTree.SubElement(inertial, "inertia", {name: words([inertia[place]]) for name, place in names.items()})
        if self.chance(0.5):
            collision = ElementTree.SubElement(link, "collision")
            self.origin(collision)
            geometry = ElementTree.SubElement(collision, "geometry")
            ElementTree.SubElement(geometry, "box", size=words(self.random.uniform(0.1, 0.4, size=3)))
        return link

    def joint(self, child, parent, number):
        kind = JOINTS[int(self.random.choice(len(JOINTS), p=[0.3, 0.3, 0.25, 0.15]))]
        joint = ElementTree.Element("joint", name=f"joint{number}", type=kind)
        self.origin(joint)
        ElementTree.SubElement(joint, "parent", link=f"link{parent}")
        ElementTree.SubElement(joint, "child", link=f"link{child}")
        if kind != "fixed" and self.chance(0.9):
            ElementTree.SubElement(joint, "axis", xyz=self.numbers(3))
        if kind in ("revolute", "prismatic"):
            low, high = np.sort(self.random.normal(size=2))
            ElementTree.SubElement(joint, "limit", lower=words([low]), upper=words([high]), effort="10", velocity="5")
        if kind != "fixed" and self.chance(0.4):
            ElementTree.SubElement(joint, "dynamics", damping=words([self.random.uniform(0, 2)]), friction="0")
        return joint

    def text(self):
        ElementTree.indent(self.root)
        return ElementTree.tostring(self.root, encoding="unicode") + "\n"


def words(values):
    return " ".join(f"{float(value):.6g}" for value in values)

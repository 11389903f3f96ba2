"""Invents robots in URDF: trees of links with hinges, slides and fixed joints, in any order."""

import xml.etree.ElementTree as ElementTree

import numpy as np

from invent import Invention, words

JOINTS = ["revolute", "continuous", "prismatic", "fixed"]


class Robot(Invention):
    """One URDF file from one seed."""

    def __init__(self, seed):
        super().__init__([seed, 1], ElementTree.Element("robot", name=f"invented{seed}"))
        self.root.set("xmlns:drake", "http://drake.mit.edu")
        random = self.random
        count = int(random.integers(2, 9))
        order = random.permutation(count)
        # Links and joints stand in any order in a file.
        parts = [self.link(index) for index in range(count)]
        parts += [self.joint(int(order[k]), int(order[random.integers(0, k)]), k) for k in range(1, count)]
        for index in random.permutation(len(parts)):
            self.root.append(parts[index])

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
        inertia = self.inertia()
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

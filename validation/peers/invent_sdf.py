"""Invents models in SDFormat: poses and axes written in any frame of the file, nested
models."""

import xml.etree.ElementTree as ElementTree

import numpy as np

from invent import Invention, words

JOINTS = ["revolute", "continuous", "prismatic", "fixed"]


class Assembly(Invention):
    """One SDFormat file from one seed."""

    def __init__(self, seed):
        super().__init__([seed, 2], ElementTree.Element("sdf"))
        self.root.set("version", self.pick(["1.7", "1.8", "1.9", "1.10"]))
        model = ElementTree.SubElement(self.root, "model", name=f"invented{seed}")
        self.scope, self.made = 0, 0
        links = self.model(model, nested=self.chance(0.4))
        self.joints(model, links)
        if self.chance(0.3):
            joint = ElementTree.SubElement(model, "joint", name="anchor", type="fixed")
            ElementTree.SubElement(joint, "parent").text = "world"
            ElementTree.SubElement(joint, "child").text = links[0]
        if self.chance(0.3):
            model.set("placement_frame", self.pick(links))
        if self.chance(0.3):
            model.set("canonical_link", self.pick(links))
        if self.chance(0.5):
            self.pose(model, [])

    def model(self, model, nested=False):
        """Fills a model with links and frames; the names of its links. Frames refer to what was made before them."""
        self.scope += 1
        scope = self.scope
        parts, places, links = [], [], []
        if nested:
            inner = ElementTree.Element("model", name=f"part{scope}")
            inner_links = self.model(inner)
            self.joints(inner, inner_links)
            self.pose(inner, [])
            parts.append(inner)
            links += [f"{inner.get('name')}::{name}" for name in inner_links]
            places += [inner.get("name"), *links]
        for index in range(int(self.random.integers(2, 6))):
            link = ElementTree.Element("link", name=f"link{scope}_{index}")
            self.pose(link, places)
            self.inertial(link)
            parts.append(link)
            places.append(link.get("name"))
            links.append(link.get("name"))
            if self.chance(0.5):
                frame = ElementTree.Element("frame", name=f"frame{scope}_{index}")
                if self.chance(0.7):
                    frame.set("attached_to", self.pick(places))
                self.pose(frame, places)
                parts.append(frame)
                places.append(frame.get("name"))
        # Where things stand in the file has no meaning.
        for index in self.random.permutation(len(parts)):
            model.append(parts[index])
        self.places = places
        return links

    def pose(self, parent, places):
        if self.chance(0.8):
            pose = ElementTree.SubElement(parent, "pose")
            pose.text = self.numbers(3, 0.4) + " " + self.numbers(3)
            if places and self.chance(0.6):
                pose.set("relative_to", self.pick(places))

    def inertial(self, link):
        inertial = ElementTree.SubElement(link, "inertial")
        if self.chance(0.7):
            ElementTree.SubElement(inertial, "pose").text = self.numbers(3, 0.2) + " " + self.numbers(3)
        ElementTree.SubElement(inertial, "mass").text = words([self.random.uniform(0.1, 5)])
        moments = self.inertia()
        inertia = ElementTree.SubElement(inertial, "inertia")
        for name, place in {"ixx": (0, 0), "ixy": (0, 1), "ixz": (0, 2), "iyy": (1, 1), "iyz": (1, 2), "izz": (2, 2)}.items():
            ElementTree.SubElement(inertia, name).text = words([moments[place]])

    def joints(self, model, links):
        """A tree of joints over most of the links."""
        places = list(self.places)
        for index in range(1, len(links)):
            if "::" in links[index] or self.chance(0.1):
                continue  # its own model has joined it, or it stays free
            kind = self.pick(JOINTS)
            self.made += 1
            joint = ElementTree.SubElement(model, "joint", name=f"joint{self.made}", type=kind)
            self.pose(joint, places)
            ElementTree.SubElement(joint, "parent").text = links[int(self.random.integers(index))]
            ElementTree.SubElement(joint, "child").text = links[index]
            if kind == "fixed":
                continue
            axis = ElementTree.SubElement(joint, "axis")
            xyz = ElementTree.SubElement(axis, "xyz")
            xyz.text = self.numbers(3)
            if self.chance(0.5):
                xyz.set("expressed_in", self.pick(places))
            if kind != "continuous":
                low, high = np.sort(self.random.normal(size=2))
                limit = ElementTree.SubElement(axis, "limit")
                ElementTree.SubElement(limit, "lower").text = words([low])
                ElementTree.SubElement(limit, "upper").text = words([high])
            if self.chance(0.5):
                dynamics = ElementTree.SubElement(axis, "dynamics")
                ElementTree.SubElement(dynamics, "damping").text = words([self.random.uniform(0, 2)])
                if self.chance(0.5):
                    ElementTree.SubElement(dynamics, "spring_reference").text = self.numbers(1)
                    ElementTree.SubElement(dynamics, "spring_stiffness").text = words([self.random.uniform(0, 9)])

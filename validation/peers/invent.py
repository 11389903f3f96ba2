"""What all inventions of model files share: how chances, numbers and inertias are drawn, and how a file is written."""

import xml.etree.ElementTree as ElementTree

import numpy as np


class Invention:
    """A file drawn from one seed; `root` is its outermost element."""

    def __init__(self, seed, root):
        self.random = np.random.default_rng(seed)
        self.root = root

    def chance(self, probability):
        return bool(self.random.random() < probability)

    def pick(self, options):
        return options[int(self.random.integers(len(options)))]

    def numbers(self, count, scale=1.0):
        return words(self.random.normal(size=count) * scale)

    def inertia(self):
        """Rotational inertia that a rigid body can have: of ∫ r rᵀ dm, so that it obeys the triangle inequality."""
        half = self.random.normal(size=(3, 3)) * 0.1
        cloud = half @ half.T + 0.001 * np.eye(3)
        return np.trace(cloud) * np.eye(3) - cloud

    def beside(self):
        """Files that belong to this one: texts by name."""
        return {}

    def text(self):
        ElementTree.indent(self.root)
        return ElementTree.tostring(self.root, encoding="unicode") + "\n"


def words(values):
    return " ".join(f"{float(value):.6g}" for value in values)

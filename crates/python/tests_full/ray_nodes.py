"""A Ray cluster on this machine."""

import contextlib

import ray
from ray.cluster_utils import Cluster


@contextlib.contextmanager
def two_nodes():
    """A cluster of two nodes with a core each; the driver is on the first."""
    nodes = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    second = nodes.add_node(num_cpus=1)
    ray.init(address=nodes.address, log_to_driver=False)
    nodes.wait_for_nodes(timeout=120)
    try:
        yield nodes, second
    finally:
        ray.shutdown()
        nodes.shutdown()

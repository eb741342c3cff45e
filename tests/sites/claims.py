# SPDX-License-Identifier: Apache-2.0
# EmberSM: what must be true of a site's routing, from its construction.
"""The bound of saturation is that of the cables (walk.Bound); which share of it an engine has to
reach follows from what the engine is for. Where nothing is claimed the share is 0."""
from walk import Bound

# Of the bound, on a tree with all of its cables, and on one that lacks some.
TREE_SHARES = {"auto": (0.85, 0.6), "ftree": (0.75, 0.5), "updn": (0.5, 0.35)}
GRIDS = ("torus", "mesh", "hypercube")


def IsAutoWithLanes(configuration):
    return (configuration.expected.engines[0] == "auto"
            and configuration.keys.get("routing_lanes") != "FALSE")


def Share(site, configuration, engine):
    draft = site.draft
    if configuration.keys.get("order") == "opensm":
        return 0
    if draft.shape == "tree":
        return TREE_SHARES.get(engine, (0, 0))[0 if draft.whole else 1]
    if draft.shape == "tiny":
        return 0.5
    if not IsAutoWithLanes(configuration) or engine != "auto":
        return 0
    if draft.shape in GRIDS:
        return 0.45 if site.net.missing else 0.85  # One hole halves its ring, no more.
    return 0.4 if draft.shape == "dragonfly+" else 0


def LeastSaturation(site, configuration, engine):
    return 0.98 * Share(site, configuration, engine) * Bound(site)


def ShapeWords(site):
    """Words of which `auto` must use one for what it takes the fabric for, if any."""
    shape = site.draft.shape
    if shape == "tree":
        return ("tree",)
    if shape in GRIDS:
        return ("grid", "torus", "mesh", "cube")
    return ()


def HostsJoined(net, without_ports=(), without_switch=None):
    """How many end ports of adapters hang on the largest part that is left."""
    seen, most = set(), 0
    for start in net.switches:
        if start is without_switch or start in seen:
            continue
        part, count = [start], 0
        seen.add(start)
        for node in part:
            for port, link in node.links.items():
                if not link.peer.is_switch:
                    count += 1
                elif ((node.guid, port) not in without_ports and link.peer is not without_switch
                      and link.peer not in seen):
                    seen.add(link.peer)
                    part.append(link.peer)
        most = max(most, count)
    return most

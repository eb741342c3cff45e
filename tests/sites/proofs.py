# SPDX-License-Identifier: Apache-2.0
# EmberSM: shows that the checks can fail, and that the fixed sites leave out no engine and no file.
import re

import claims
import expected
import fixed
import walk
from attempt import Attempt
from configuration import Configuration
from drawn_site import KINDS, Draft, Site
from graphs import Grid

# Keys that name a file which has no lines to be right or wrong about.
NO_OPTION_FILES = {"log_file", "accum_log_file", "per_module_logging_file", "event_db_dump_file",
                   "honor_guid2lid_file", "fsync_high_avail_files"}
FILES_BY_OTHER_NAMES = {"torus_config", "edge_ports", "node_name_map_name"}


class _Nothing:
    """In the place of a site: a proof has none."""
    configurations, folder = (), ""


def _Tables(nodes):
    """Shortest paths by the nearest exit, and the LIDs, of a net that has LIDs."""
    graph, lids = walk.Graph(nodes), {}
    for node in nodes:
        for port in node.EndPorts():
            lids[node.lids[port]] = node.PortGuid(port)
    tables = {node.guid: bytearray(b"\xff" * 0xC000) for node in graph.switches}
    for lid, guid in lids.items():
        root, port, _ = graph.places[guid]
        hops, pending = {root: 0}, [root]
        tables[graph.switches[root].guid][lid] = port
        for here in pending:
            for leave, onward in enumerate(graph.exits[here]):
                if onward >= 0 and onward not in hops:
                    hops[onward] = hops[here] + 1
                    pending.append(onward)
                    back = graph.switches[here].links[leave].port
                    tables[graph.switches[onward].guid][lid] = back
    return graph, tables, lids


def Walking(attempt, programs):
    """The walker finds a lost pair, a circle, and the credit loop of a ring."""
    graph, tables, lids = _Tables(fixed.MakeSite("fixed.208.auto").seen)
    good = walk.Walker(graph, tables, lids).Walk()
    attempt.Require(good.hosts == 128 and not good.lost and not good.circles, "proof.good",
                    "%s" % good)
    attempt.Require(not good.credit_loop, "proof.tree", "a tree has a credit loop")
    attempt.Require(0 < good.saturation < 1, "proof.saturation", "%s" % good.saturation)
    lid, guid = next((lid, guid) for lid, guid in lids.items() if graph.places[guid][2])
    far = next(node for node in graph.switches if graph.places[guid][0] != graph.index[node.guid]
               and node.Hosts())
    kept = tables[far.guid][lid]
    tables[far.guid][lid] = walk.DROP
    spoiled = walk.Walker(graph, tables, lids).Walk()
    attempt.Require(spoiled.lost == len(far.Hosts()), "proof.lost", "%s" % spoiled)
    tables[far.guid][lid] = kept
    up = far.links[kept].peer
    tables[up.guid][lid] = far.links[kept].port
    circling = walk.Walker(graph, tables, lids).Walk()
    attempt.Require(circling.circles == 1 and circling.lost, "proof.circle", "%s" % circling)
    ring = Draft("proof", 1, "small")
    Grid(ring, (6,), True, 1, "EDR", "ring")
    ring.net.GiveLids("dense", 0)
    attempt.Require(walk.Walker(*_Tables(ring.net.nodes)).Walk().credit_loop, "proof.ring",
                    "a ring routed by shortest paths has no credit loop")


def Coverage(attempt, programs):
    """Every engine and every option file of emberc stands in a fixed site."""
    keys = programs.Run(programs.work, "emberc", "keys", "--json").Json()
    files = {key["name"] for key in keys if re.search("_file(_name)?$", key["name"])}
    files = (files | FILES_BY_OTHER_NAMES) - NO_OPTION_FILES
    text = next(key["meaning"] for key in keys if key["name"] == "routing_engine")
    engines = set(re.search(r"This release has (.*)\.", text)[1].replace(" and ", ", ").split(", "))
    named, routed = set(), set()
    for name in fixed.Names(small_only=True):
        configuration = fixed.MakeSite(name).configurations[0]
        named |= set(configuration.keys)
        routed |= set(configuration.expected.engines[:1])
    attempt.Require(not files - named, "proof.files",
                    "no fixed site has %s" % sorted(files - named))
    attempt.Require(len(engines) > 10 and not engines - routed, "proof.engines",
                    "no fixed site has %s" % sorted(engines - routed))


def Marks(attempt, programs):
    """A mark covers its own failures only, and is stale where nothing of it fails."""
    real = expected.MARKS
    expected.MARKS = (expected.Mark("as-if", ("foreign.error",), lambda site: True, "as if"),)
    try:
        _TryMark(attempt, programs)
    finally:
        expected.MARKS = real


def _TryMark(attempt, programs):
    tally = expected.Tally()
    for seed in range(1, 49, 4):
        trial = Attempt(Site("torus", seed, "small"), programs)
        trial.Require(True, "foreign.error", "")
        trial.Require(False, "run.lost", "as if")
        left = tally.Sort(trial)
        attempt.Require([one.check for one in left] == ["run.lost"], "proof.mark", left)
    attempt.Require([mark.name for mark in tally.Stale()] == ["as-if"], "proof.stale",
                    [mark.name for mark in tally.Stale()])
    trial = Attempt(Site("torus", 1, "small"), programs)
    trial.Require(False, "foreign.error", "as if")
    attempt.Require(not tally.Sort(trial) and not tally.Stale(), "proof.covered", "not covered")


def Sameness(attempt, programs):
    """A site is the same each time that it is drawn; its bound is that of its cables."""
    for kind in KINDS:
        one, other = (Site(kind, 3, "small") for _ in range(2))
        attempt.Require([c.Text() for c in one.configurations]
                        == [c.Text() for c in other.configurations], "proof.same", kind)
        attempt.Require([n.guid for n in one.net.nodes] == [n.guid for n in other.net.nodes],
                        "proof.same", kind)
    site = fixed.MakeSite("fixed.208.auto")
    attempt.Require(walk.Bound(site) == 1.0 and claims.Share(site, Configuration(
        site.draft, None, ""), "auto") == 0.85, "proof.bound", walk.Bound(site))
    half = len(site.net.Trunks())
    for node, port in site.net.Trunks()[::2]:
        site.net.Unplug(node, port)
    attempt.Require(walk.Bound(site) < 1.0, "proof.bound", "%d cables less" % (half // 2))


PROOFS = {"proof.walking": Walking, "proof.coverage": Coverage, "proof.marks": Marks,
          "proof.sameness": Sameness}
NAMES = list(PROOFS)


def Run(name, programs):
    attempt = Attempt(_Nothing(), programs)
    PROOFS[name](attempt, programs)
    return attempt

# SPDX-License-Identifier: Apache-2.0
# EmberSM: a site under embersm over ibsim, judged by what its ports and switches hold.
import contextlib
import os
import struct
import subprocess

import checks
import claims
import ibsim
import lanes
import walk
from context import Context

P_KEY_TABLE = 0x16
REFUSED = 6  # embersm(8): no configuration could be used.
SENDERS = 120  # Hosts whose paths are followed lane by lane.
UP_S = {"small": 90, "medium": 200, "large": 400}
# Engines that do not reach each switch's own LID from everywhere.
APART = ("updn", "dnup", "ftree", "pqft", "chain", "file")


class Netlist:
    def __init__(self, path):
        self._path = path

    def Text(self):
        with open(self._path, encoding="utf-8") as file:
            return file.read()


@contextlib.contextmanager
def _Context(attempt, tools):
    context = Context(os.path.join(attempt.site.folder, "ibsim"), tools, "embersm")
    try:
        yield context
    finally:
        context.Close()


def _Claim(attempt, check, call, what):
    """What a function of tests/interop checks, as a check of ours; returns what it gave."""
    try:
        given = what()
    except (checks.Wrong, ibsim.Unanswered, RuntimeError) as wrong:
        attempt.Require(False, check, wrong, call)
        return None
    attempt.Require(True, check, "")
    return given


def Run(attempt, tools, configuration, blob):
    site = attempt.site
    call = "over ibsim: cd %s; %s in plain.net, seat %s" % (site.folder, blob, site.draft.seat.tag)
    with _Context(attempt, tools) as context:
        simulator = _Claim(attempt, "ibsim.simulator", call, lambda: context.Simulate(
            Netlist(os.path.join(site.folder, "plain.net"))))
        if simulator is None:
            return
        manager = context.Manage(site.draft.seat.tag, as_is=True, files=(
            os.path.join(site.folder, blob), attempt.programs.public))
        limit_s = UP_S[site.draft.size] * attempt.programs.slow
        if "enhanced_qos_policy_file" in configuration.keys:
            _Refused(attempt, manager, limit_s, call)
            return
        if _Claim(attempt, "ibsim.up", call, lambda: manager.WaitUp(limit_s)) is None:
            return
        manager.WaitQuiet(1, limit_s)
        witness = next((host for host in reversed(simulator.hosts)
                        if host.ports and host.name != site.draft.seat.tag
                        and not host.name.startswith("R-")), None)
        status = manager.Status()
        if witness is not None and site.switch_count:
            subnet = _Claim(attempt, "ibsim.read", call,
                            lambda: checks.Subnet(simulator, witness.name))
            if subnet is not None:
                _Judge(attempt, configuration, subnet, status, call)
        manager.Stop()
        attempt.Require(b"panic" not in open(manager.log_path, "rb").read(), "ibsim.crash",
                        "see %s" % manager.log_path, call)


def _Refused(attempt, manager, limit_s, call):
    """Devices behind libibumad take no limits of bandwidth: the configuration is refused."""
    try:
        status = manager.process.wait(limit_s)
    except subprocess.TimeoutExpired:
        status = None
    attempt.Require(status == REFUSED, "ibsim.refused",
                    "limits of bandwidth: exit status %s" % status, call)


def _Judge(attempt, configuration, subnet, status, call):
    engine = status["routing"].get("engine")
    _Claim(attempt, "ibsim.lids", call, lambda: subnet.CheckLids() or True)
    _Claim(attempt, "ibsim.states", call, lambda: subnet.CheckStates() or True)
    if attempt.site.draft.size != "large" and hasattr(subnet, "owners"):
        _Claim(attempt, "ibsim.tables", call, lambda: subnet.CheckTables(engine in APART))
    _Walk(attempt, configuration, subnet, status, engine, call)
    if configuration.partitions and attempt.site.draft.size != "large":
        _Keys(attempt, configuration, subnet, call)
    # With partitions the subnet administrator tells a witness of its own partitions only.
    if attempt.site.draft.size == "small" and not configuration.partitions:
        _Lanes(attempt, subnet, status, call)


def _Walk(attempt, configuration, subnet, status, engine, call):
    site = attempt.site
    by_tag = {node.tag: node for node in site.net.nodes}
    lids = {}
    for (name, port), (base, _) in subnet.lids.items():
        lids[base] = by_tag[name].PortGuid(port)
    tables = {by_tag[name].guid: table for name, table in subnet.tables.items()}
    found = walk.Walker(walk.Graph(site.seen), tables, lids).Walk()
    attempt.Require(not found.lost and not found.circles, "ibsim.walk", "%d pairs lost, %d circles"
                    % (found.lost, found.circles), call)
    least = claims.LeastSaturation(site, configuration, engine)
    attempt.Require(found.saturation >= least, "ibsim.saturation", "%.4f, at least %.4f" % (
        found.saturation, least), call)


def _Keys(attempt, configuration, subnet, call):
    """P_Keys are the file's, at each port that the simulator gives the GUID of the listing."""
    wanted, simulator, wrong = {}, subnet.simulator, []
    for partition in configuration.partitions:
        for members, bit in ((partition.full, 0x8000), (partition.limited, 0)):
            for guid in members:
                wanted.setdefault(guid, set()).add(partition.key | bit)
    by_tag = {node.tag: node for node in attempt.site.net.nodes}
    with ibsim.Client(simulator, next(name for name, route in subnet.routes.items()
                                      if not route)) as client:
        for name, port in subnet.lids:
            node = by_tag[name]
            keys = wanted.get(node.PortGuid(port), set())
            if node.kind != "host" or subnet.simulator.nodes[name].PortGuid(port) != node.PortGuid(
                    port):
                continue
            route, held = subnet.RouteTo(subnet.simulator.nodes[name], port), set()
            for block in range(2):
                table = client.Ask(route, P_KEY_TABLE, block, tries=3)[1]
                held |= set(struct.unpack(">32H", table)) - {0}
            if held != keys:
                wrong.append((node.name, port, sorted(map(hex, keys ^ held))[:4]))
    attempt.Require(not wrong, "ibsim.keys", "%d ports hold other P_Keys than the file says: %s" % (
        len(wrong), wrong[:1]), call)


def _Lanes(attempt, subnet, status, call):
    senders = {base: place for place, (base, _) in subnet.lids.items() if place[1]}
    witness = next(name for name, route in subnet.routes.items() if not route)

    def Read():
        with lanes.Client(subnet.simulator, witness) as client:
            maps = lanes.Maps(client, subnet)
            chosen = sorted(senders)[::max(1, len(senders) // SENDERS)]
            return lanes.CreditLoop(subnet, lanes.Levels(client, chosen), maps, senders)
    given = _Claim(attempt, "ibsim.lanes", call, Read)
    if given is not None:
        loop, paths = given
        attempt.Require(paths, "ibsim.paths", "no path was told", call)
        attempt.Require(not loop or status["routing"].get("end_ports_may_deadlock"),
                        "ibsim.credits", "a credit loop on a lane, of %d paths; verdict %s" % (
                            paths, status["routing"].get("verdict")), call)

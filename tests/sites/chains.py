# SPDX-License-Identifier: Apache-2.0
# EmberSM: routing chains: port groups, topologies and steps, with and without lanes of their own.
import option_files
from configuration import MAY_DEADLOCK, VERIFIED

SPARE = 100  # Ids of fallbacks begin here.


class Steps:
    """The three files of a chain. Parts are (name, switches, adapters)."""

    def __init__(self, configuration):
        self._configuration = configuration
        self._groups, self._topologies, self._steps, self._parts = [], [], [], {}
        self._count = 0  # Of steps that are no fallbacks.

    def Part(self, name, switches, adapters, switch_rule=None, adapter_rule=None):
        number = self._parts[name] = len(self._parts) + 1
        self._groups += [
            option_files.PortGroup("sw_" + name, switch_rule or option_files.ByGuid(switches)),
            option_files.PortGroup("ho_" + name, adapter_rule or option_files.ByGuid(adapters))]
        self._topologies += ["topology", "  id: %d" % number, "  sw-grp: sw_" + name,
                             "  hca-grp: ho_" + name, "end-topology", ""]

    def Step(self, number, engine, part=None, fallback=None, options=None):
        """`options` are keys of the step's own `config` file."""
        self._count += number < SPARE
        lines = ["unicast-step", "  id: %d" % number, "  engine: " + engine]
        if part is not None:
            lines.append("  topology: %d" % self._parts[part])
        if fallback is not None:
            lines.append("  fallback-to: %d" % fallback)
        if options is not None:
            lines.append("  config: " + self._configuration.File(
                None, "step-%d.conf" % number, "".join("%s %s\n" % one for one in options)))
        self._steps += lines + ["end-unicast-step", ""]

    def Write(self, lanes):
        chain = self._configuration
        chain.File("pgrp_policy_file", "groups.conf", "".join(self._groups))
        chain.File("topo_policy_file", "topologies.conf", "\n".join(self._topologies) + "\n")
        chain.File("rch_policy_file", "chain.conf", "\n".join(self._steps) + "\n")
        if lanes:
            chain.Set(qos="TRUE", chain_lanes="TRUE")
        chain.lanes_by_routing = lanes
        chain.Say("chain of %d steps%s" % (self._count, " with lanes" if lanes else ""))
        chain.Expect(("chain",))
        if not lanes:  # Two steps may close a loop together, which is told.
            chain.expected.outcomes, chain.expected.statuses = (VERIFIED, MAY_DEADLOCK), (0, 8)


def _Adapters(switches):
    return [link.peer for switch in switches for _, link in sorted(switch.links.items())
            if not link.peer.is_switch]


def Islands(configuration, lanes):
    """A step for the whole, then one for each island; some with fallbacks and own options."""
    draft, chance, steps = configuration.draft, configuration.chance, Steps(configuration)
    by_name = chance.random() < 0.5
    for name, switches in draft.parts.items():
        named = by_name and name != "stor"
        steps.Part(name, switches, _Adapters(switches),
                   "port-regexp: isl-%s-.*" % name if by_name else None,
                   "port-regexp: %s.*" % name if named else None)
    steps.Step(1, chance.choice(("updn", "auto")))
    roots = configuration.File(None, "tree-roots.txt", option_files.Guids(
        node.guid for node in draft.part_roots))
    steps.Step(2, chance.choice(("ftree", "updn")), "tree", SPARE,
               [("root_guid_file", roots)] if chance.random() < 0.7 else None)
    sizes, at, wrap = draft.part_grid
    if lanes and chance.random() < 0.5:
        torus = configuration.File(None, "island-torus.conf", option_files.TorusConfig(
            sizes, at, wrap, chance))
        steps.Step(3, "torus-2QoS", "torus", SPARE + 1, [("torus_config", torus)])
    else:
        steps.Step(3, "dfsssp" if lanes else "updn", "torus", SPARE + 1)
    if chance.random() < 0.5:
        steps.Step(4, "minhop", "stor")
    steps.Step(SPARE, "updn", "tree")
    steps.Step(SPARE + 1, "updn", "torus")
    steps.Write(lanes)


def OfTree(configuration, count, lanes=False, pods=None):
    """`count` steps on a tree: the whole, then parts of whole pods."""
    steps = Steps(configuration)
    shares = [pods[i::count - 1] for i in range(count - 1)]
    for number, share in enumerate(shares):
        switches = [switch for pod in share for switch in pod]
        steps.Part("p%d" % number, switches + list(configuration.draft.roots),
                   _Adapters(switches))
    steps.Step(1, "updn")
    for number in range(count - 1):
        steps.Step(2 + number, ("ftree", "minhop", "updn")[number % 3] if not lanes else "minhop",
                   "p%d" % number, SPARE)
    steps.Step(SPARE, "updn")
    steps.Write(lanes)

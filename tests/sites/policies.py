# SPDX-License-Identifier: Apache-2.0
# EmberSM: draws partitions and a QoS policy, and knows which ports may talk, on which level.
import dataclasses

import option_files
from configuration import Level, Talk
from fabric import Hex

DEFAULT_KEY = 0x7FFF
WORDS = ("", ",ipoib", ",ipoib,mtu=4", ",ipoib,rate=3", ",ipoib,mtu=4,rate=3,scope=2",
         ",ipoib,Q_Key=0x1ee")


@dataclasses.dataclass
class Partition:
    name: str
    key: int
    full: set
    limited: set

    def Lets(self, one, other):
        members = self.full | self.limited
        return one in members and other in members and bool({one, other} & self.full)


class _Ends:
    """The end ports in sight of the manager, by what they are for. Ports are PortGUIDs."""

    def __init__(self, draft):
        seen = draft.net.Seen(draft.seat)
        self.switches = {node.guid for node in seen if node.is_switch}
        adapters = [node for node in seen if not node.is_switch]
        self.adapters = {node.port_guids[port] for node in adapters for port in node.links}
        self.seat = draft.seat_port_guid
        hosts = [(node.role, node.port_guids[port]) for node in adapters
                 if node.role != "aggregation" for port in sorted(node.links)]
        self.hosts = [guid for _, guid in hosts]
        self.compute = [guid for role, guid in hosts if role == "compute"]
        self.services = [guid for role, guid in hosts if role != "compute"]


def _Chunks(words, size):
    return [words[i:i + size] for i in range(0, len(words), size)]


def _DefaultPartition(configuration, ends):
    """The lines of the default partition, and its members; `servers` has few full ones."""
    chance = configuration.chance
    style = chance.choice(("limited", "full", "servers", "adapters"))
    ipoib = ",ipoib" if chance.random() < 0.7 else ""
    others = (ends.adapters | ends.switches) - {ends.seat}
    if style == "full":
        groups = ["   mgid=ff12:401b::1   # all hosts of IPv4", "   mgid=ff12:401b::16",
                  "   mgid=ff12:401b::fb,sl=0"] if ipoib else []
        lines = ["Default=0x7fff%s,defmember=full :" % ipoib, *groups,
                 "   ALL, ALL_SWITCHES=full, SELF=full ;"]
        return lines, Partition("Default", DEFAULT_KEY, others | {ends.seat}, set())
    if style == "limited":
        lines = ["Default=0x7fff%s : ALL=limited, SELF=full ;" % ipoib]
        return lines, Partition("Default", DEFAULT_KEY, {ends.seat}, others)
    if style == "adapters" and not configuration.draft.routers:
        lines = ["Default=0x7fff%s : ALL_CAS=limited, ALL_SWITCHES=full, SELF=full ;" % ipoib]
        full = ends.switches | {ends.seat}
        return lines, Partition("Default", DEFAULT_KEY, full, ends.adapters - full)
    full = set(ends.services) | {ends.seat}
    named = ["%s=full" % Hex(guid) for guid in ends.services]
    lines = ["Default=0x7fff%s :" % ipoib, "   ALL=limited,"]
    # OpenSM cuts a line at 4,093 characters.
    lines += ["   " + ", ".join(chunk) + "," for chunk in _Chunks(named, 4)]
    lines.append("   SELF=full;")
    return lines, Partition("Default", DEFAULT_KEY, full, others - full)


def _Tenant(configuration, ends, name, key, members):
    chance = configuration.chance
    flags, full, limited = chance.choice(WORDS), set(members), set()
    defaults = chance.random() < 0.3
    words = [Hex(guid) + ("" if defaults else "=full") for guid in members]
    others = [guid for guid in ends.services if guid not in full][:8]
    if others and chance.random() < 0.6:
        kind = chance.choice(("full", "limited"))
        words += ["%s=%s" % (Hex(guid), kind) for guid in others]
        (full if kind == "full" else limited).update(others)
    chunks = [", ".join(chunk) for chunk in _Chunks(words, 3)]
    lines = ["", "%s=0x%04x%s%s :" % (name, key, flags, ",defmember=full" if defaults else "")]
    lines.append(",\n".join("   " + chunk for chunk in chunks) + ";")
    return lines, Partition(name, key, full, limited)


def DrawPartitions(configuration, count=None):
    """partition_config_file, of 1 to 64 partitions; whether some pairs may talk."""
    chance, ends = configuration.chance, _Ends(configuration.draft)
    if len(ends.hosts) < 2:
        return
    count = count or chance.choice((1, 2, 4, 8, 16, 32, 64))
    if not ends.services:
        ends.services = chance.sample(ends.hosts, max(1, len(ends.hosts) // 30))
        ends.compute = [guid for guid in ends.hosts if guid not in set(ends.services)]
    lines, default = _DefaultPartition(configuration, ends)
    partitions, keys, share = [default], {DEFAULT_KEY}, 0
    if count > 1:
        share = max(1, len(ends.compute) // (count - 1))
    for number in range(count - 1):
        key = chance.choice([key for key in range(1, 0x7000, 37) if key not in keys])
        keys.add(key)
        members = (ends.compute[number * share:(number + 1) * share]
                   or chance.sample(ends.hosts, 2))
        name = chance.choice(("tenant%02d", "proj-%d", "lab_%d", "vm%d")) % (number + 1)
        text, partition = _Tenant(configuration, ends, name, key, members)
        lines += text
        partitions.append(partition)
    configuration.File("partition_config_file", "partitions.conf",
                       "# partitions of the site\n" + "\n".join(lines) + "\n")
    configuration.partitions = partitions
    configuration.Say("%d partitions" % count)
    for _ in range(10):
        one, other = chance.sample(ends.hosts, 2)
        lets = [partition.name for partition in partitions if partition.Lets(one, other)]
        configuration.talks.append(Talk(one, other, bool(lets), ", ".join(lets) or "none"))
    if chance.random() < 0.3:
        configuration.Set(part_enforce=chance.choice(("in", "out", "off", "both")))


def _SimplePolicy(target, level):
    return ["# levels by protocol", "qos-ulps", "    default : 0",
            "    any, service-id 0x0000000001000000-0x0000000001000fff : 2",
            "    any, target-port-guid %s : %d" % (Hex(target), level),
            "    sdp, port-num 5001-5010 : 1", "    rds : 1", "end-qos-ulps"]


def _AdvancedPolicy(targets, level):
    return ["port-groups", "  port-group", "    name: Storage", "    use: targets of SRP",
            "    port-guid: " + ", ".join(map(Hex, targets)), "  end-port-group",
            "end-port-groups", "", "qos-levels", "  qos-level", "    name: DEFAULT", "    sl: 0",
            "  end-qos-level", "  qos-level", "    name: Stor", "    sl: %d" % level,
            "  end-qos-level", "end-qos-levels", "", "qos-match-rules", "  qos-match-rule",
            "    use: by destination", "    destination: Storage", "    qos-level-name: Stor",
            "  end-qos-match-rule", "end-qos-match-rules"]


def DrawPolicy(configuration):
    """qos_policy_file and the tables; the level of one path, where lanes are not the routing's."""
    chance, ends = configuration.chance, _Ends(configuration.draft)
    if len(ends.hosts) < 4:
        return
    configuration.Set(qos="TRUE")
    if not configuration.lanes_by_routing:
        lanes = chance.choice((4, 8))
        configuration.Set(
            qos_max_vls=lanes, qos_high_limit=chance.choice((0, 4, 255)),
            qos_vlarb_high="0:4,1:0,2:0,3:0", qos_vlarb_low="0:0,1:64,2:128,3:32",
            qos_sl2vl="0,1,2,3,0,1,2,3,0,1,2,3,0,1,2,%d" % (lanes - 1))
        if chance.random() < 0.4:
            configuration.Set(qos_ca_sl2vl=configuration.keys["qos_sl2vl"],
                              qos_swe_vlarb_low="0:1,1:64,2:128,3:32")
    level, targets = chance.choice((1, 2, 3)), chance.sample(ends.hosts, 4)
    simple = chance.random() < 0.5
    lines = _SimplePolicy(targets[0], level) if simple else _AdvancedPolicy(targets[:3], level)
    configuration.File("qos_policy_file", "qos-policy.conf", "\n".join(lines) + "\n")
    configuration.Say("QoS policy")
    if not configuration.lanes_by_routing:
        configuration.levels.append(Level(targets[3], targets[0], level))


def DrawBandwidths(configuration):
    """enhanced_qos_policy_file, for a group of the policy of port groups."""
    net = configuration.draft.net
    configuration.Set(qos="TRUE")
    if "pgrp_policy_file" not in configuration.keys:
        configuration.File("pgrp_policy_file", "groups.conf", option_files.PortGroup(
            "limited", option_files.ByGuid(net.hosts[:8])))
        group = "limited"
    else:
        group = "ALL_CAS"
    configuration.File("enhanced_qos_policy_file", "bandwidths.conf", option_files.Bandwidths(
        option_files.HostGuids(net, "compute"), group))
    configuration.Say("limits of bandwidth")

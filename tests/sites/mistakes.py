# SPDX-License-Identifier: Apache-2.0
# EmberSM: plants mistakes into a copy of a configuration, and knows where each must be told.
import collections
import os

Mistake = collections.namedtuple("Mistake", "file lines severity names")
NAME = "opensm-bad.conf"


class _Copy:
    def __init__(self, configuration, folder):
        self.configuration, self.folder = configuration, folder
        self.lines = configuration.Text().rstrip("\n").split("\n")
        self.planted = []

    def Has(self, key):
        return any(line.split(" ")[0] == key for line in self.lines)

    def Add(self, line, names, severity="error"):
        self.lines.append(line)
        self.planted.append(Mistake(NAME, (len(self.lines),), severity, names))

    def Spoil(self, key, change):
        """A copy of the file that `key` names, changed; `change` returns the line, from 1."""
        name = self.configuration.keys.get(key)
        text = self.configuration.files[name].rstrip("\n").split("\n")
        line = change(text)
        bad = "bad-" + name
        with open(os.path.join(self.folder, bad), "w", encoding="utf-8") as file:
            file.write("\n".join(text) + "\n")
        at = next(i for i, one in enumerate(self.lines) if one.split(" ")[0] == key)
        self.lines[at] = "%s %s" % (key, bad)
        self.planted.append(Mistake(bad, (line,), "error", ""))


def _Append(line):
    def Change(text):
        text.append(line)
        return len(text)
    return Change


def _SpoilPolicy(text):
    if "port-groups" in text:
        at = text.index("    qos-level-name: Stor")
        text[at] = "    qos-level-name: Stoor"
        return at + 1
    text.insert(-1, "    any, target-port-guid 0xnone : 3")
    return len(text) - 1


# (the key that must not stand in the file yet, the line, what the message must name)
PLAIN = (
    ("", "sweep_intervall 10", "sweep_intervall"),
    ("", "sm_prioritiy 3", "sm_prioritiy"),
    ("", "qos_hi_limit 4", "qos_hi_limit"),
    ("sm_priority", "sm_priority 16", "16"),
    ("routing_engine", "routing_engine fattree", "fattree"),
    ("reassign_lids", "reassign_lids maybe", "maybe"),
    ("prefix_routes_file", "prefix_routes_file no-such-file.txt", "no-such-file"),
    ("overrun_errors_threshold", "overrun_errors_threshold 8 octets", ""),
    ("vl_stall_count", "vl_stall_count = 7", ""),
)
IN_FILES = (
    ("partition_config_file", _Append("broken=0x0e0e : 0x12zz=full ;")),
    ("root_guid_file", _Append("spine-17")),
    ("qos_policy_file", _SpoilPolicy),
    ("torus_config", _Append("w_dateline 1")),
    ("hop_weights_file", _Append("0x10 300 1")),
)


def Plant(configuration, chance, folder, count):
    """Writes the copy; returns what must be told, at these lines and nowhere else."""
    copy = _Copy(configuration, folder)
    ways = [("plain", way) for way in PLAIN] + [("file", way) for way in IN_FILES]
    ways.append(("twice", None))
    for kind, way in chance.sample(ways, len(ways)):
        if len(copy.planted) >= count:
            break
        if kind == "plain" and not (way[0] and copy.Has(way[0])):
            copy.Add(way[1], way[2])
        elif kind == "twice" and not copy.Has("subnet_timeout"):
            copy.lines += ["subnet_timeout 17", "subnet_timeout 18"]
            copy.planted.append(Mistake(NAME, (len(copy.lines) - 1, len(copy.lines)), "warning",
                                        "subnet_timeout"))
        elif kind == "file" and configuration.keys.get(way[0]) in configuration.files:
            copy.Spoil(*way)
    with open(os.path.join(folder, NAME), "w", encoding="utf-8") as file:
        file.write("\n".join(copy.lines) + "\n")
    return copy.planted

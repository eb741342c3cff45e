# SPDX-License-Identifier: Apache-2.0
# EmberSM: an opensm.conf with its files, and what is to be expected of it.
"""A Configuration collects keys and files, and beside each what must come of it. It is written
plain, or as `opensm -c` writes it with the changed keys in their places."""
import dataclasses
import functools
import os
import subprocess
import tempfile

# `opensm -c` names these files, and emberc takes a name at its word: where a site has no such file
# the line is deleted, as docs/moving-from-opensm.md says.
NAMED_BY_DEFAULT = ("partition_config_file", "prefix_routes_file", "qos_policy_file")
VERIFIED, MAY_DEADLOCK = "verified", "possible credit loop"


@functools.lru_cache(None)
def OpensmDefaults():
    """The lines of `opensm -c`."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "opensm.conf")
        subprocess.run(["opensm", "-c", path, "-f", os.path.join(folder, "log")], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=folder)
        with open(path, encoding="utf-8") as file:
            return tuple("log_file /var/log/opensm.log" if line.startswith("log_file") else line
                         for line in file.read().rstrip("\n").split("\n"))


@dataclasses.dataclass
class Expected:
    """Of plan and run: which engines, which verdicts, which exit statuses are right."""
    engines: tuple = ("auto",)
    outcomes: tuple = (VERIFIED,)
    statuses: tuple = (0,)


@dataclasses.dataclass
class Talk:
    """Whether two ports may talk, by the partition of that name."""
    one: int
    other: int
    may: bool
    partition: str


@dataclasses.dataclass
class Level:
    """The service level of the path from one port to another."""
    one: int
    other: int
    level: int


class Configuration:
    def __init__(self, draft, chance, name, tag=""):
        self.draft, self.chance, self.name, self.tag = draft, chance, name, tag
        self.as_opensm_writes = False
        self.keys, self.files, self.said = {}, {}, []
        self.expected = Expected()
        self.partitions, self.talks, self.levels = None, [], []
        self.lanes_by_routing = False  # The engine decides about service levels.

    def Set(self, **keys):
        for key, value in keys.items():
            self.keys[key] = str(value)

    def File(self, key, name, text):
        """Puts a file beside the opensm.conf, and names it there by `key`, if any."""
        if self.tag:
            stem, dot, ending = name.partition(".")
            name = stem + self.tag + dot + ending
        self.files[name] = text
        if key:
            self.keys[key] = name
        return name

    def Say(self, text):
        """A word for the reader of a report."""
        self.said.append(text)

    def Engine(self, words, engines=None, may_deadlock=False):
        """routing_engine; `engines` may end up routing, the first one unless said."""
        self.Set(routing_engine=words)
        self.Say(words)
        self.Expect(engines or (words.split(",")[0],), may_deadlock)

    def Expect(self, engines, may_deadlock=False):
        self.expected = Expected(tuple(engines),
                                 (VERIFIED, MAY_DEADLOCK) if may_deadlock else (VERIFIED,),
                                 (0, 8) if may_deadlock else (0,))

    def Lanes(self):
        self.Set(qos="TRUE")
        if self.chance.random() < 0.5:
            self.Set(qos_max_vls=8)

    def Text(self):
        lines = ["# " + ("; ".join(self.said) or "all at its default")]
        left = dict(self.keys)
        if self.as_opensm_writes:
            for line in OpensmDefaults():
                key = line.split(" ")[0]
                if key in left:
                    lines.append("%s %s" % (key, left.pop(key)))
                elif key not in NAMED_BY_DEFAULT:
                    lines.append(line)
        lines += ["%s %s" % item for item in left.items()]
        return "\n".join(lines) + "\n"

    def Write(self, folder):
        for name, text in ((self.name, self.Text()), *self.files.items()):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(text)

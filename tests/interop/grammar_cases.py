# SPDX-License-Identifier: Apache-2.0
# EmberSM: cases: partition files drawn by chance, as OpenSM's own parser reads them.
"""A file is a valid one, every other with a mistake or two in it. OpenSM manages a switch with six
hosts and reads one file after the other; then emberc and EmberSM do. What emberc takes must give
each port the P_Keys that it has with OpenSM. Where emberc says that OpenSM would drop the file OpenSM
must have done so; and it may not have dropped what emberc takes without a word. `FILES=n` and `SEED=n` in the environment ask for more
files, or others.
"""
import collections
import json
import os
import random
import re
import signal
import struct
import subprocess
import time

import ibsim
import nets
from cases import Named
from checks import Expect

FILES, SEED = int(os.environ.get("FILES", 150)), int(os.environ.get("SEED", 13))
P_KEY_TABLE, MOST_TOLD = 0x16, 5
DROPS = "OpenSM would drop all partitions"
HAS_DROPPED = "Partition configuration in error"
NO_PLACE = re.compile(r"Failed to set PKey 0x(\w+) because Pkey table is full .* \((\S+)\)")
TAKEN_OVER = "SUBNET UP"
NEUTRAL = "Default=0x7fff: ALL=full;\n"
CLASSES = ("ALL", "ALL_CAS", "ALL_SWITCHES", "ALL_ROUTERS", "SELF", "NONE")
FORMS = ("full", "limited", "both")
SIGNS = ",;:=# \n\tx0_A\"-"


class Writer:
    """Partition files, one after the other, for a fabric of these PortGUIDs."""

    def __init__(self, guids, seed):
        self.guids, self.draw = guids, random.Random(seed)

    def _Cut(self, word):
        """The word, or now and then the beginning of it."""
        return word[:self.draw.randint(1, len(word))] if self.draw.random() < 0.1 else word

    def _Blank(self):
        return self.draw.choice(("", "", "", " ", "\t", "  "))

    def _Member(self):
        draw = self.draw
        if draw.random() < 0.35:
            who = self._Cut(draw.choice(CLASSES))
        else:
            guid = draw.choice(self.guids + [0xABCDEF])
            who = draw.choice(("0x%x", "0x%016x", "%d", "0%o"), ) % guid
        if draw.random() < 0.6:
            who += self._Blank() + "=" + self._Blank() + self._Cut(draw.choice(FORMS))
        return who

    def _Head(self):
        draw = self.draw
        name = draw.choice(("P1", "P2", "P3", "P4", "Default", "P 5", ""))
        number = draw.randint(1, 9)
        key = draw.choice(("=0x%x", "=%d", "=0x80%02x", "= 0%o", "=0x%x")) % number
        if name == "Default":
            key = draw.choice(("=0x7fff", "=0x7fff", "=0xffff", ""))
        elif draw.random() < 0.12:
            key = ""
        flags = []
        for flag, likely in (("indx0", 0.15), ("ipoib", 0.15), ("defmember", 0.3)):
            if draw.random() < likely:
                more = "=" + self._Cut(draw.choice(FORMS)) if flag == "defmember" else ""
                flags.append((flag if flag == "indx0" else self._Cut(flag)) + more)
        if draw.random() < 0.1:
            flags.append(draw.choice(("mtu=4", "rate=3", "sl=0", "scope=2", "Q_Key=0xb1b")))
        draw.shuffle(flags)
        return name + key + "".join(self._Blank() + "," + self._Blank() + f for f in flags)

    def _Definition(self):
        members = [self._Member() for _ in range(self.draw.choice((0, 1, 1, 2, 2, 3, 4)))]
        comma = self.draw.choice((",", ", ", " ,", ",\n  "))
        return self._Head() + self._Blank() + ":" + self._Blank() + comma.join(members) + ";"

    def _Mistaken(self, text):
        draw, at = self.draw, self.draw.randrange(len(text))
        kind = draw.randrange(6)
        if kind == 0:  # A character is lost,
            return text[:at] + text[at + 1:]
        if kind == 1:  # doubled,
            return text[:at] + text[at] + text[at:]
        if kind == 2:  # comes from nowhere,
            return text[:at] + draw.choice(SIGNS) + text[at:]
        if kind == 3:  # is another one,
            return text[:at] + draw.choice(SIGNS) + text[at + 1:]
        if kind == 4:  # or of the other case;
            return text[:at] + text[at].swapcase() + text[at + 1:]
        end = min(len(text), at + draw.randint(2, 12))  # or more of them are lost.
        return text[:at] + text[end:]

    def Next(self):
        draw = self.draw
        definitions = [self._Definition() for _ in range(draw.randint(1, 5))]
        text = draw.choice(("\n", "\n", " ", "\n# a comment\n")).join(definitions) + "\n"
        if draw.random() < 0.5:
            for _ in range(draw.choice((1, 1, 2))):
                text = self._Mistaken(text)
        return text


def PKeys(simulator, witness):
    """node -> the P_Keys of its end port, in no order."""
    held = {}
    with ibsim.Client(simulator, witness) as client:
        for name, route in simulator.Routes(witness).items():
            keys = set()
            for block in range(1 if simulator.nodes[name].is_switch else 2):
                status, table = client.Ask(route, P_KEY_TABLE, block, tries=3)
                keys |= set(struct.unpack(">32H", table)) if status == 0 else set()
            held[name] = keys - {0}
    return held


def Wait(condition, what):
    end = time.monotonic() + 30
    while not condition():
        Expect(time.monotonic() < end, "in vain: %s", what)
        time.sleep(0.005)


class Reader:
    """A manager on a net, which is given one option file after the other."""

    def __init__(self, context, kind, net, options):
        """`options(context, simulator)` ends with the key that names the file."""
        self.context, self.kind = context, kind
        self.simulator = context.Simulate(net)
        self.path = os.path.abspath(os.path.join(context.directory, kind + "-option-file"))
        self.text = "sweep_interval 0\n%s %s\n" % (options(context, self.simulator), self.path)
        self.seat = self.simulator.hosts[0].name
        self.witness = context.Witness(self.seat)

    def Start(self, text):
        self.Write(text)
        self.manager = self.context.Manage(self.seat, self.kind, kind=self.kind,
                                           configuration=self.text)
        self.manager.WaitUp()
        return self

    def Write(self, text):
        with open(self.path, "w", encoding="utf-8") as file:
            file.write(text)


class Theirs(Reader):
    def Sweep(self, text):
        """What OpenSM logs meanwhile."""
        before = len(self.manager.Log())
        self.Write(text)
        self.manager.process.send_signal(signal.SIGHUP)
        Wait(lambda: self.manager.HasSaid("SUBNET UP"), "OpenSM's sweep")
        return self.manager.Log()[before:]


    def Restart(self, text):
        """The same of an OpenSM that has read no other file: its parser of policies keeps words of
        a file that it dropped."""
        before = len(self.manager.Log())
        self.Write(text)
        self.manager.Kill()
        self.manager.Start()
        self.manager.WaitUp()
        return self.manager.Log()[before:]


class Ours(Reader):
    counter = int(time.time()) + 1000

    def Take(self, text):
        """(what emberc remarks on the file, whether it is in force then; else there is no blob)."""
        self.Write(text)
        with open(os.path.join(self.manager.directory, "opensm.conf"), "w",
                  encoding="utf-8") as file:
            file.write("order opensm\n" + self.text)
        self.counter += 1
        blob = os.path.join(self.manager.directory, "config.blob")
        if os.path.exists(blob):
            os.unlink(blob)
        done = subprocess.run(
            [self.context.tools.Program("emberc"), "compile", "--no-default-files", "opensm.conf",
             "-o", "config.blob", "--key", "key.pem", "--counter", str(self.counter), "--json"],
            capture_output=True, text=True, check=False, cwd=self.manager.directory)
        remarks = [one for one in json.loads(done.stdout)["diagnostics"]
                   if one["file"] == self.path]
        is_refused = any(one["severity"] == "error" for one in remarks)
        Expect(is_refused == (done.returncode != 0), "exit status %d of a file that is %s:\n%s",
               done.returncode, "refused" if is_refused else "taken", text)
        Expect(is_refused != os.path.exists(blob), "a blob of a file with errors:\n%s", text)
        if not is_refused:
            self.manager.process.send_signal(signal.SIGHUP)
            Wait(lambda: self.manager.HasSaid(TAKEN_OVER), "configuration %d" % self.counter)
        return remarks, not is_refused


def Told(remarks):
    """For people."""
    return "\n".join("%s: %s [%s]" % (one["severity"], one["text"], one["code"])
                     for one in remarks)


def Judge(context, wrong, seen):
    wrong = [one for one in wrong if one]
    Expect(not wrong, "%d of %d files are not read as emberc says, among them\n%s", len(wrong),
           FILES, "\n".join(wrong[:MOST_TOLD]))
    context.Note("%d files: %s", FILES, ", ".join("%d %s" % (n, what) for what, n in
                                                  sorted(seen.items())))


def Enough(seen, *kinds):
    for what in kinds:
        Expect(seen[what] >= sum(seen.values()) // 20, "too few files are %s: %s", what, dict(seen))


def ReadAsTheyDo(theirs, text):
    """(whether OpenSM dropped the file, the P_Keys that ports got).

    What OpenSM makes of a file depends on the one before: a P_Key that it chooses is none that it
    has, and 0xffff may find no place in a table that has held it elsewhere, which it tells: such
    P_Keys are told as if the ports had them."""
    theirs.Sweep(NEUTRAL)
    log = theirs.Sweep(text)
    held = PKeys(theirs.simulator, theirs.witness)
    for key, name in NO_PLACE.findall(log):
        held[name].add(int(key, 16))
    return HAS_DROPPED in log, held


def Compare(text, theirs, remarks, our_keys, seen):
    """Counts in `seen` what became of the file; without a blob there are no keys of ours. What is
    wrong about that; empty: nothing."""
    has_dropped, their_keys = theirs
    says_so = any(DROPS in one["text"] for one in remarks)
    if says_so and not has_dropped:
        return "emberc says that OpenSM would drop it, and it did not:\n%s\n%s" % (
            text, Told(remarks))
    if has_dropped and not says_so and our_keys is not None:
        return "OpenSM drops what emberc takes:\n%s\n%s" % (text, Told(remarks))
    if our_keys is None:
        seen["refused, and OpenSM %s" % ("drops it" if has_dropped else "reads on")] += 1
    elif has_dropped:  # It was told.
        seen["taken, and OpenSM drops it"] += 1
    elif their_keys != our_keys:
        return "P_Keys differ, OpenSM: %s, EmberSM: %s; file:\n%s\n%s" % (
            their_keys, our_keys, text, Told(remarks))
    else:
        seen["taken alike"] += 1
    return ""


@Named("grammar.partitions", timeout_s=900, short=False, kinds=("embersm",),
       hosts_only="OpenSM sits at a host")
def Partitions(context):
    """Partition files drawn by chance, with and without mistakes, are read as by OpenSM."""
    def Options(*_):
        return "allow_both_pkeys TRUE\npartition_config_file"

    theirs = Theirs(context, "opensm", nets.Single(6), Options).Start(NEUTRAL)
    guids = [node.PortGuid(0 if node.is_switch else 1) for node in theirs.simulator.nodes.values()]
    writer = Writer(sorted(guids), SEED)
    files = [writer.Next() for _ in range(FILES)]
    by_theirs = [ReadAsTheyDo(theirs, text) for text in files]
    ours = Ours(context, "embersm", nets.Single(6), Options).Start(NEUTRAL)
    seen, wrong = collections.Counter(), []
    for text, they in zip(files, by_theirs):
        remarks, is_taken = ours.Take(text)
        keys = PKeys(ours.simulator, ours.witness) if is_taken else None
        wrong.append(Compare(text, they, remarks, keys, seen))
    Judge(context, wrong, seen)
    Enough(seen, "taken alike", "refused, and OpenSM drops it", "refused, and OpenSM reads on")

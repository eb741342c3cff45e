# SPDX-License-Identifier: Apache-2.0
# EmberSM: cases: QoS policy files drawn by chance, as OpenSM's own parser reads them.
"""As grammar_cases.py, with questions for paths in place of P_Keys: what emberc takes must give
each question the status and the records that it has with OpenSM."""
import collections
import os
import random
import re

import ibsim
import path_cases
import sa
from cases import Named
from checks import Expect
from grammar_cases import FILES, SEED, Enough, Judge, Ours, Theirs, Told
from path_cases import GET, PREFIX, Pack
from qos_policy_cases import Fields

QUESTIONS = 40
REFUSES = "OpenSM refuses the file"  # What emberc says about such a file.
NEUTRAL = "qos-ulps\n    default : 0\nend-qos-ulps\n"
HAS_DROPPED = re.compile("ERR AC0[34]")
SIGNS = ":,- \n\tq0_x#\""


class Writer:
    """Policy files, one after the other, for hosts of these names and PortGUIDs."""

    def __init__(self, hosts, seed):
        self.hosts, self.draw = hosts, random.Random(seed)

    def _List(self, value, most=3):
        return ", ".join(value() for _ in range(self.draw.randint(1, most)))

    def _Range(self, low, high, form="0x%x"):
        one, other = sorted((self.draw.randint(low, high), self.draw.randint(low, high)))
        return form % one if one == other else (form + "-" + form) % (one, other)

    def _Guids(self):
        guids = sorted(guid for _, guid in self.hosts)
        one, other = sorted(self.draw.sample(guids, 2))
        return self.draw.choice(("0x%x" % one, "0x%x-0x%x" % (one, other), "0xabcdef"))

    def _Section(self, word, entries):
        blank = self.draw.choice(("    ", "\t", ""))
        return [word] + [blank + entry for entry in entries] + ["end-" + word]

    def _Some(self, entries, likely=0.5):
        chosen = [entry for entry in entries if self.draw.random() < likely]
        self.draw.shuffle(chosen)
        return chosen

    def _Group(self, name):
        draw = self.draw
        return self._Section("port-group", ["name: " + name] + self._Some((
            "use: %s" % draw.choice(("storage", "a group, and more")),
            "port-guid: " + self._List(self._Guids),
            "pkey: " + self._List(lambda: self._Range(1, 4)),
            "port-name: %s/P1" % draw.choice(self.hosts)[0],
            "partition: Part%d" % draw.randint(1, 4),
            "node-type: " + draw.choice(("CA", "SWITCH", "SELF", "ROUTER", "ALL", "CA, SELF")))))

    def _Level(self, name):
        draw = self.draw
        return self._Section("qos-level", ["name: " + name, "sl: %d" % draw.randint(0, 15)] +
                             self._Some((
                                 "mtu-limit: %d" % draw.randint(1, 5),
                                 "rate-limit: %d" % draw.randint(2, 10),
                                 "packet-life: %d" % draw.randint(1, 30),
                                 "pkey: " + self._List(lambda: self._Range(1, 4), 2)), 0.3))

    def _Rule(self, groups, levels):
        draw = self.draw
        entries = self._Some((
            "qos-class: " + self._List(lambda: self._Range(0, 12, "%d")),
            "service-id: " + self._List(lambda: self._Range(0, 0x20000)),
            "pkey: " + self._List(lambda: self._Range(1, 4)), "use: a rule"), 0.35)
        if groups:
            entries += self._Some(("source: " + self._List(lambda: draw.choice(groups), 2),
                                   "destination: " + self._List(lambda: draw.choice(groups), 2)),
                                  0.35)
        entries.append("qos-level-name: " + draw.choice(levels))
        return self._Section("qos-match-rule", entries)

    def _Ulps(self, has_default):
        """Beside a level DEFAULT there is no other default."""
        draw, (_, guid) = self.draw, self.draw.choice(self.hosts)
        lines = self._Some((
            "sdp", "sdp, port-num %s" % self._Range(1, 9, "%d"), "rds", "rds, port-num 5", "iser",
            "iser, port-num 7", "srp, target-port-guid 0x%x" % guid, "ipoib",
            "ipoib, pkey %s" % self._Range(1, 4), "any, service-id %s" % self._Range(0, 0x20000),
            "any, pkey %s" % self._Range(1, 4), "any, target-port-guid 0x%x" % guid,
            "any, source-port-guid 0x%x" % guid), 0.3)
        lines = ["%s :%d" % (line, draw.randint(0, 14)) for line in lines]
        default = ["default : %d" % draw.randint(0, 14)] if has_default else []
        return self._Section("qos-ulps", default + lines)

    def _Sections(self):
        draw = self.draw
        groups = ["Group%d" % i for i in range(draw.randint(0, 3))]
        levels = ["DEFAULT"] + ["Level%d" % i for i in range(draw.randint(0, 3))]
        if groups:
            yield self._Section("port-groups", sum((self._Group(name) for name in groups), []))
        if draw.random() < 0.2:
            yield ["qos-setup", "end-qos-setup"]
        has_levels = draw.random() < 0.7
        if has_levels:
            yield self._Section("qos-levels", sum((self._Level(name) for name in levels), []))
            rules = [self._Rule(groups, levels) for _ in range(draw.randint(0, 4))]
            if rules:
                yield self._Section("qos-match-rules", sum(rules, []))
        if not has_levels or draw.random() < 0.5:
            yield self._Ulps(not has_levels)

    def _Mistaken(self, text):
        draw, at = self.draw, self.draw.randrange(len(text))
        kind = draw.randrange(5)
        if kind == 0:
            return text[:at] + text[at + 1:]
        if kind == 1:
            return text[:at] + draw.choice(SIGNS) + text[at:]
        if kind == 2:
            return text[:at] + draw.choice(SIGNS) + text[at + 1:]
        lines = text.split("\n")
        at = draw.randrange(len(lines))
        if kind == 3:  # A line is lost,
            del lines[at]
        else:  # or stands there twice.
            lines.insert(at, lines[at])
        return "\n".join(lines)

    def Next(self):
        text = "\n".join("\n".join(section) for section in self._Sections()) + "\n"
        return self._Mistaken(text) if self.draw.random() < 0.4 else text


def Options(context, simulator):
    """Partitions of which some ports are members. OpenSM drops a policy with a line `ipoib, pkey` of
    a partition that has less than two full members; EmberSM does not."""
    lines = ["Default=0x7fff, ipoib: ALL=full;"]
    for p_key, members in ((1, (1, 2, 4, 6)), (2, (3, 5, 6)), (3, (0, 1, 2, 4)), (4, (3, 5, 6))):
        words = ["0x%x=%s" % (simulator.hosts[i].PortGuid(1), "limited" if i in (0, 6) else "full")
                 for i in members]
        lines.append("Part%d=0x%x, sl=%d: %s;" % (p_key, p_key, p_key + 10, ", ".join(words)))
    path = os.path.abspath(os.path.join(context.directory, "partitions.conf"))
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    return ("qos TRUE\nqos_sl2vl 0,1,2,3,4,5,6,7,0,1,2,3,4,5,6,15\npartition_config_file %s\n"
            "qos_policy_file" % path)


def Questions(ends, guids, seed):
    """`guids` are those of hosts, one of which is an end of each path: from a switch to itself
    OpenSM tells a path also by a service level that is dropped."""
    draw = random.Random(seed)
    hosts = [end for end in ends if end[0] in guids]
    for _ in range(QUESTIONS):
        (guid, lid), (other_guid, other_lid) = draw.choice(ends), draw.choice(hosts)
        if draw.random() < 0.5:
            (guid, lid), (other_guid, other_lid) = (other_guid, other_lid), (guid, lid)
        names = dict(slid=lid, dlid=other_lid) if draw.random() < 0.5 else dict(
            sgid=PREFIX << 64 | guid, dgid=PREFIX << 64 | other_guid)
        yield Pack(**names, **Fields(draw))


class Asker:
    """Asks a manager's subnet administrator for paths."""

    def __init__(self, context, reader):
        self.reader = reader
        lids = context.Read(reader.witness, reader.seat).LidsByGuid()
        self.ends = sorted(((guid, lid[0]) for guid, lid in lids.items()), key=lambda end: end[1])
        self.hosts = {host.PortGuid(1) for host in reader.simulator.hosts}

    def Ask(self, seed):
        """[(question, status, records)]."""
        with sa.Client(self.reader.simulator, self.reader.witness) as client:
            server = ibsim.PortField(client.Ask((), ibsim.PORT_INFO)[1], "master_sm_lid")
            answers = []
            for mask, data in Questions(self.ends, self.hosts, seed):
                status, records = client.Query(server, "PathRecord", mask=mask, data=data,
                                               method=GET)
                answers.append((data, status, records))
            return answers


def Compare(text, theirs, remarks, ours, seen):
    has_dropped, their_answers = theirs
    if ours is None:
        seen["refused, and OpenSM %s" % ("drops it" if has_dropped else "reads on")] += 1
        return ""
    says_so = any(REFUSES in one["text"] for one in remarks)
    if says_so != has_dropped:
        return "OpenSM %s what emberc takes, which says that it would %s:\n%s\n%s" % (
            "drops" if has_dropped else "takes", "drop it" if says_so else "take it", text,
            Told(remarks))
    if has_dropped:  # It was told.
        seen["taken, and OpenSM drops it"] += 1
        return ""
    for one, other in zip(their_answers, ours):
        if one != other:
            told = [path_cases.Named(record) for _, _, records in (one, other)
                    for record in records]
            return "asked %s, OpenSM: status %#x, EmberSM: %#x; %s; file:\n%s\n%s" % (
                path_cases.Named(one[0]), one[1], other[1], told, text, Told(remarks))
    seen["taken alike"] += 1
    return ""


@Named("grammar.qos-policy", timeout_s=900, short=False, kinds=("embersm",),
       hosts_only="OpenSM sits at a host")
def QosPolicies(context):
    """QoS policies drawn by chance, with and without mistakes, are read as by OpenSM."""
    theirs = Theirs(context, "opensm", path_cases.MixedNet(), Options).Start(NEUTRAL)
    hosts = [(host.name, host.PortGuid(1)) for host in theirs.simulator.hosts]
    writer = Writer(hosts, SEED)
    files = [writer.Next() for _ in range(FILES)]
    asker, by_theirs = Asker(context, theirs), []
    for seed, text in enumerate(files):
        has_dropped = HAS_DROPPED.search(theirs.Restart(text)) is not None
        by_theirs.append((has_dropped, asker.Ask(seed)))
    ours = Ours(context, "embersm", path_cases.MixedNet(), Options).Start(NEUTRAL)
    asker, seen, wrong = Asker(context, ours), collections.Counter(), []
    for seed, (text, they) in enumerate(zip(files, by_theirs)):
        remarks, is_taken = ours.Take(text)
        wrong.append(Compare(text, they, remarks, asker.Ask(seed) if is_taken else None, seen))
    Judge(context, wrong, seen)
    Enough(seen, "taken alike", "refused, and OpenSM drops it")
    Expect(seen["taken alike"] >= FILES // 4, "too few policies are compared")

# SPDX-License-Identifier: Apache-2.0
# EmberSM: cases: paths, as OpenSM tells them.
"""OpenSM and the SM under test manage the same net one after the other; both are asked for the same
paths, some hundred combinations of components, and must answer alike, octet for octet.

What may differ: the order of records, and which path a Get tells of many (ours is the one with the
lowest LIDs). Rates of 800 Gb/s and more are a mistake to OpenSM 3.3.23; nobody is asked for them.
"""
import ibsim
import nets
import sa
from cases import Add
from checks import Expect

sa.RECORDS.setdefault("PathRecord", (0x35, 64))
GET, TABLE = sa.GET, sa.GET_TABLE
PREFIX = 0xFE80000000000000
OTHER_PREFIX = 0xFEC0000000000001
# PathRecord's rows (bit, width) and the components that make them count. IBA vol. 1, 15.2.5.16.
ROWS = {
    "service": (0, 64, (0, 1)), "dgid": (64, 128, (2,)), "sgid": (192, 128, (3,)),
    "dlid": (320, 16, (4,)), "slid": (336, 16, (5,)), "raw": (352, 1, (6,)),
    "flow": (356, 20, (8,)), "hops": (376, 8, (9,)), "tclass": (384, 8, (10,)),
    "reversible": (392, 1, (11,)), "numb": (393, 7, (12,)), "pkey": (400, 16, (13,)),
    "qos": (416, 12, (14,)), "sl": (428, 4, (15,)), "mtu": (432, 8, (16, 17)),
    "rate": (440, 8, (18, 19)), "life": (448, 8, (20, 21)), "preference": (456, 8, ()),
}
ABOVE, BELOW, EXACTLY, BEST = 0x00, 0x40, 0x80, 0xC0  # Selectors, in the octet of their value.


def Pack(mask=0, **fields):
    """(component mask, octets of the record) of a question; `mask` adds bits."""
    number = 0
    for name, value in fields.items():
        bit, width, components = ROWS[name]
        number |= value << (512 - bit - width)
        mask |= sum(1 << component for component in components)
    return mask, number.to_bytes(64, "big")


def Named(record):
    """For people: what is not 0 in a record."""
    number = int.from_bytes(record, "big")
    rows = {name: number >> (512 - bit - width) & ((1 << width) - 1)
            for name, (bit, width, _) in ROWS.items()}
    return ", ".join("%s %#x" % row for row in rows.items() if row[1])


class Mixed(nets.Net):
    """Links of several speeds and widths: ibsim takes them from the lines of their ports."""

    marks = {}

    def Mark(self, host, text):
        end = ("H-" + host, 1)
        for one in (end, self.cables[end]):
            self.marks[one] = text

    def Text(self):
        lines, node = [], None
        for line in super().Text().split("\n"):
            words = line.split('"')
            if line.startswith(("Switch", "Hca", "Rt")):
                node = words[1]
            elif line.startswith("["):
                mark = self.marks.get((node, int(line[1:line.index("]")])), "")
                line += " " + mark if mark else ""
            lines.append(line)
        return "\n".join(lines)


def MixedNet():
    """Three switches in a triangle, one side of it doubled, and seven hosts."""
    net = Mixed()
    net.marks = {}
    switches = [net.Switch(str(i), 8) for i in range(3)]
    for i in range(7):
        net.Host("h%d" % i, switches[i % 3])
    for one, other in ((0, 1), (1, 2), (0, 2), (0, 1)):
        net.Cable(switches[one], switches[other])
    net.Mark("h1", "w=1")
    net.Mark("h2", "s=4")
    net.Mark("h5", "s=2")
    return net


def Values():
    """Each selector with each value that OpenSM knows, and some that nobody does."""
    for how in (ABOVE, BELOW, EXACTLY, BEST):
        for value in list(range(0, 23)) + [40, 63]:
            yield "rate", how | value
        for value in (0, 1, 2, 3, 4, 5, 6, 63):
            yield "mtu", how | value
        for value in (0, 1, 2, 17, 18, 19, 31, 63):
            yield "life", how | value


def Questions(ends):
    """(name, method, mask and octets); `ends`: (PortGUID, base LID) by LID."""
    gid = {i: PREFIX << 64 | guid for i, (guid, _) in enumerate(ends)}
    lid = {i: first for i, (_, first) in enumerate(ends)}
    pairs = [(i, (i * 5 + j) % len(ends)) for i in range(len(ends)) for j in (0, 3)]
    for i, j in pairs:
        for method in (GET, TABLE):
            yield "by LID", method, Pack(slid=lid[i], dlid=lid[j])
            yield "by GID", method, Pack(sgid=gid[i], dgid=gid[j])
            yield "by both", method, Pack(sgid=gid[i], slid=lid[i], dgid=gid[j], dlid=lid[j])
            yield "by GID and LID", method, Pack(sgid=gid[i], dlid=lid[j])
            yield "other names", method, Pack(sgid=gid[i], slid=lid[j], dgid=gid[j])
            yield "other names", method, Pack(sgid=gid[i], dgid=gid[j], dlid=lid[i])
        for numb in (0, 1, 2, 5, 127):
            yield "numb", TABLE, Pack(sgid=gid[i], dgid=gid[j], numb=numb)
            yield "numb from a LID", TABLE, Pack(slid=lid[i], dgid=gid[j], numb=numb)
    for i in range(len(ends)):
        for name in ("sgid", "dgid"):
            yield "half " + name, TABLE, Pack(**{name: gid[i]})
        yield "half, two a pair", TABLE, Pack(slid=lid[i], numb=2)
    yield "all", TABLE, Pack()
    pair = dict(slid=lid[2], dlid=lid[len(ends) - 1])
    yield "ignored", GET, Pack(flow=5, hops=6, tclass=7, qos=8, service=9, **pair)
    for name, value in Values():
        yield name, GET, Pack(**{name: value}, **pair)
        yield name + " to itself", GET, Pack(**{name: value}, slid=lid[2], dlid=lid[2])
    for i, value in ((i, value) for i in range(len(ends)) for value in range(2, 23)):
        yield "rate to itself", GET, Pack(rate=BELOW | value, slid=lid[i], dlid=lid[i])
    for p_key in (0, 1, 0x7FFF, 0x8001, 0xFFFF):
        yield "P_Key", GET, Pack(pkey=p_key, **pair)
    for name in ("raw", "reversible"):
        for value in (0, 1):
            yield name, GET, Pack(**{name: value}, **pair)
    for sl in (0, 7, 15):
        yield "SL", GET, Pack(sl=sl, **pair)
    for mask in (1, 2):
        yield "half a service", GET, Pack(mask=mask, **pair)
    for component in (16, 17, 18, 19, 20, 21):
        yield "half a value", GET, Pack(mask=1 << component, **pair)
    for wrong in (0, 200, 0xBFFF, 0xC000, 0xFFFF):
        yield "no such LID", TABLE, Pack(slid=lid[0], dlid=wrong)
        yield "no such LID", GET, Pack(slid=wrong)
    for far in (PREFIX << 64 | 0xDEAD, OTHER_PREFIX << 64 | ends[0][0]):
        for method in (GET, TABLE):
            yield "no such GID", method, Pack(sgid=far, dgid=gid[1])
            yield "no such GID", method, Pack(slid=lid[0], dgid=far)


def AskAll(context, kind, lmc, attribute, questions, configure, net):
    """[(name, method, question, status, records)] of a manager of that kind."""
    simulator = context.Simulate(net())
    seat = simulator.hosts[0].name
    manager = context.Manage(seat, kind, kind=kind, lmc=lmc,
                             configuration=configure(context, simulator))
    manager.WaitUp()
    manager.WaitQuiet()
    witness = context.Witness(seat)
    lids = context.Read(witness, seat).LidsByGuid()
    ends = sorted(((guid, lid[0]) for guid, lid in lids.items()), key=lambda end: end[1])
    answers = []
    with sa.Client(simulator, witness) as client:
        server = ibsim.PortField(client.Ask((), ibsim.PORT_INFO)[1], "master_sm_lid")
        for name, method, question in questions(ends):
            status, records = client.Query(server, attribute, mask=question[0],
                                           data=question[1], method=method)
            answers.append((name, method, question, status, sorted(records)))
    manager.Stop()
    return answers


def IsOneOfMany(method, question):
    """A Get that does not name both ends."""
    mask = question[0]
    return method == GET and not (mask & 0b010100 and mask & 0b101000)


METHODS = {GET: "Get", TABLE: "GetTable", sa.GET_MULTI: "GetMulti"}


def RunBesideOpensm(context, lmc, attribute="PathRecord", questions=Questions, tell=Named,
                    configure=lambda context, simulator: "", net=MixedNet):
    """Goal: every question for paths is answered as OpenSM answers it. Gives back their answers."""
    theirs, ours = (AskAll(context, kind, lmc, attribute, questions, configure, net)
                    for kind in ("opensm", context.kind))
    Expect(len(theirs) == len(ours), "the subnets have not the same ends")
    told = 0
    for (name, method, question, status, records), (_, _, same, our_status, ours_told) in zip(
            theirs, ours):
        what = "%s %s (%s)" % (METHODS[method], name, tell(question[1]))
        Expect(question == same, "%s: the subnets differ", what)
        Expect(status == our_status, "%s: status %#x with OpenSM, %#x with us", what, status,
               our_status)
        Expect(len(records) == len(ours_told), "%s: %d paths with OpenSM, %d with us", what,
               len(records), len(ours_told))
        told += len(records)
        if IsOneOfMany(method, question):
            continue
        for one, other in zip(records, ours_told):
            Expect(one == other, "%s: OpenSM told %s, we told %s", what, Named(one), Named(other))
    context.Note("%d questions, %d paths, alike", len(theirs), told)
    return theirs


for _lmc in (0, 2):
    Add("paths.beside-opensm-lmc%d" % _lmc,
        lambda context, lmc=_lmc: RunBesideOpensm(context, lmc), timeout_s=240, kinds=("embersm",))

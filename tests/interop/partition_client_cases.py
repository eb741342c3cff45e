# SPDX-License-Identifier: Apache-2.0
# EmberSM: cases: what clients and tools see of partitions.
"""Hosts 1 and 2 are full members of a partition, host 3 is not. Everybody is a limited member of the
default one, and the subnet manager's port a full one. RESULTS.md lists the attempts."""
import os
import re
import struct

import checks
import ibsim
import multi_path_cases
import multicast_cases
import osmtest_cases
import path_cases
import sa
from cases import Named
from checks import Expect

NET, P_KEY = "ft2-k8", 0x8001
BROADCAST = multicast_cases.Mgid("ff12401b80010000 00000000ffffffff")
KINDS = ("embersm", "opensm")
# Records that begin with the LID of the port that they are about.
ABOUT_PORTS = ("NodeRecord", "PortInfoRecord", "SLtoVLMappingTableRecord", "GUIDInfoRecord",
               "VLArbitrationTableRecord", "LinkRecord")
NO_RECORDS = 0x0300


def Start(context, more="", members=(1, 2)):
    simulator = context.Simulate(NET)
    words = ", ".join("0x%x=full" % simulator.hosts[at].PortGuid(1) for at in members)
    path = os.path.join(context.directory, "partitions.conf")
    with open(path, "w", encoding="utf-8") as file:
        file.write("Default=0x7fff, ipoib: ALL=limited, SELF=full;\nPart1=0x1, ipoib: %s;\n" % words)
    manager = context.Manage(simulator.hosts[0].name,
                             configuration="partition_config_file %s\n%s" % (path, more))
    manager.WaitUp()
    manager.WaitQuiet()
    return simulator, manager


class Host(sa.Client):
    """A client at a host, with its LID."""

    def __init__(self, simulator, at, sm_lid):
        host = simulator.hosts[at]
        super().__init__(simulator, host.name)
        self.sm_lid, self.guid = sm_lid, host.PortGuid(1)
        self.gid = path_cases.PREFIX << 64 | self.guid

    def Lid(self):
        return ibsim.PortField(self.Ask((), ibsim.PORT_INFO)[1], "lid")

    def Table(self, name, **what):
        """The records of a table; none if it is refused or empty."""
        status, records = self.Query(self.sm_lid, name, **what)
        return records if status == 0 else []

    def Path(self, source, destination):
        mask, data = path_cases.Pack(sgid=source.gid, dgid=destination.gid)
        return self.Query(self.sm_lid, "PathRecord", mask=mask, data=data, method=sa.GET)[0]


def LidsOf(records):
    return {struct.unpack_from(">H", record)[0] for record in records}


def Paths(records):
    return {tuple(struct.unpack_from(">HH", record, 40)) for record in records}


@Named("partitions.hostile", kinds=KINDS)
def Hostile(context):
    """Tables of all kinds, asked for without a condition, tell a host nothing of a partition that it
    is not in, and its members all."""
    TryAll(*Start(context))
    context.Note("%d kinds of records", len(ABOUT_PORTS) + 3)


@Named("proof.partitions-hostile", kinds=KINDS)
def HostileCanFail(context):
    """Where the stranger is let in, the same attempts succeed, and each of them is complained of."""
    simulator, manager = Start(context, members=(1, 2, 3))
    complaints = []
    TryAll(simulator, manager, complaints.append)
    for words in ("NodeRecord", "PortInfoRecord", "SLtoVLMappingTableRecord", "GUIDInfoRecord",
                  "VLArbitrationTableRecord", "paths of LIDs", "a path is told", "MultiPathRecord",
                  "groups told", "a join is answered"):
        Expect(any(words in complaint for complaint in complaints), "no complaint of: %s", words)
    context.Note("%d complaints", len(complaints))


def TryAll(simulator, manager, complain=None):
    """All attempts. `complain` hears of those that succeed; without it the first one ends the case."""
    def Expect(claim, sentence, *values):
        if complain is None or claim:
            checks.Expect(claim, sentence, *values)
        else:
            complain(sentence % values if values else sentence)

    sa.RECORDS["MultiPathRecord"] = (0x3A, 64)
    sm_lid = multicast_cases.LidOf(simulator, manager)
    with Host(simulator, 1, sm_lid) as member, Host(simulator, 2, sm_lid) as other, \
            Host(simulator, 3, sm_lid) as evil:
        secret = {member.Lid(), other.Lid()}
        for name in ABOUT_PORTS:
            Expect(secret <= LidsOf(member.Table(name)) or name == "LinkRecord",
                   "%s: a member is not told of its partition", name)
            told = LidsOf(evil.Table(name))
            Expect(not secret & told, "%s: LIDs %s are told to a stranger", name,
                   sorted(secret & told))
            Expect(evil.Lid() in told or name == "LinkRecord", "%s: a host is not told of itself", name)
        for mask, data in ((0, b""), path_cases.Pack(sgid=evil.gid), path_cases.Pack(dgid=member.gid)):
            ends = {end for path in Paths(evil.Table("PathRecord", mask=mask, data=data))
                    for end in path}
            Expect(not secret & ends, "paths of LIDs %s are told to a stranger", sorted(secret & ends))
        Expect(member.Path(member, other) == 0, "members have no path")
        for source, destination in ((evil, member), (member, evil), (member, other)):
            Expect(evil.Path(source, destination) == NO_RECORDS, "a path is told to a stranger")
        for client, count in ((member, 1), (evil, 0)):
            mask, data = multi_path_cases.Pack([client.gid], [other.gid])
            found = client.Table("MultiPathRecord", mask=mask, data=data, method=sa.GET_MULTI)
            Expect(len(found) == count, "MultiPathRecord: %d paths, not %d", len(found), count)
        for client, is_told in ((member, True), (evil, False)):
            groups = [bytes(record[:16]) for record in client.Table("MCMemberRecord")]
            Expect((BROADCAST in groups) == is_told, "groups told: %s",
                   ", ".join(group.hex() for group in groups))
            port = (path_cases.PREFIX, client.guid)
            status, _ = multicast_cases.Ask(client, sm_lid, sa.SET, mgid=BROADCAST, port=port, join=1)
            Expect((status == 0) == is_told, "a join is answered by status 0x%04x", status)


def PKeys(text):
    """The P_Keys that smpquery prints, without the empty ones behind."""
    found = [int(word, 16) for word in re.findall(r"0x([0-9a-f]{4})\b",
                                                  " ".join(line.split(":", 1)[-1]
                                                           for line in text.splitlines()
                                                           if re.match(r"\s*\d+:", line)))]
    while found and found[-1] == 0:
        found.pop()
    return found


@Named("partitions.tools", kinds=KINDS)
def Tools(context):
    """smpquery pkeys, saquery and ibdiagnet's stage of partitions read what partitions.conf says."""
    simulator, manager = Start(context)
    witness = context.Witness(manager.node)
    subnet = context.Read(manager.node)
    members = {simulator.hosts[at].name for at in (1, 2)}
    for host in simulator.hosts[:6]:
        lid = subnet.lids[(host.name, 1)][0]
        held = PKeys(checks.RunTool(context, "smpquery", "pkeys", str(lid), node=witness).stdout)
        wanted = [0xFFFF if host.name == manager.node else 0x7FFF]
        wanted += [P_KEY] if host.name in members else []
        Expect(held == wanted, "smpquery pkeys of %s: %s, not %s", host.name, held, wanted)
    lid = subnet.lids[(simulator.hosts[1].name, 1)][0]
    told = checks.RunTool(context, "saquery", "--smkey", "1", "PKTR", str(lid),
                          node=simulator.hosts[2].name)
    Expect(told.returncode == 0 and "0x7fff" in told.stdout and "0x8001" in told.stdout,
           "saquery PKTR: %s", told.stdout[-400:] + told.stderr[-200:])
    told = checks.RunTool(context, "saquery", "PKTR", str(lid), node=simulator.hosts[2].name)
    Expect("0x8001" not in told.stdout, "P_Keys are told without the SM_Key")
    output = os.path.join(context.directory, "ibdiagnet")
    told = checks.RunTool(context, "ibdiagnet", "-o", output, node=witness, timeout_s=100)
    path = os.path.join(output, "ibdiagnet.pkey")
    Expect(os.path.exists(path), "ibdiagnet wrote no partitions: %s", told.stdout[-600:])
    with open(path, encoding="utf-8") as file:
        text = file.read()
    groups = {int(group.group(1), 16): group.group(2) for group in
              re.finditer(r"GROUP PKey:0x([0-9a-f]+) Hosts:\d+(.*?)(?=GROUP PKey|\Z)", text, re.S)}
    Expect(P_KEY & 0x7FFF in groups and 0x7FFF in groups, "ibdiagnet's partitions: %s",
           text[:600])
    for host in simulator.hosts:
        is_in = "0x%x" % host.PortGuid(1) in groups[P_KEY & 0x7FFF] or \
            host.name in groups[P_KEY & 0x7FFF]
        Expect(is_in == (host.name in members), "ibdiagnet: %s is %s the partition", host.name,
               "in" if is_in else "not in")
    context.Note("ibdiagnet reads %d partitions", len(groups))


@Named("partitions.osmtest-qos", kinds=KINDS, timeout_s=900)
def OsmtestQos(context):
    """osmtest's flow of QoS tables passes under partitions and `qos`."""
    keys = "qos TRUE\nqos_sl2vl 0,1,2,3,4,5,6,7,0,1,2,3,4,5,6,7\n"
    _, manager = Start(context, keys + ("sa_max_requests_per_source 0\n"
                                        if context.kind == "embersm" else ""))
    for options in ("-f c", "-f q"):
        status, output = osmtest_cases.Osmtest(context, options)
        Expect(status == 0 and "PASS" in output, "osmtest %s: status %s: %s", options, status,
               output[-400:])
    Expect(manager.IsRunning(), "the subnet manager ended")

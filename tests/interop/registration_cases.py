# SPDX-License-Identifier: Apache-2.0
# EmberSM: interoperability: what clients registered survives the death of the subnet manager.
import os
import re
import struct
import time

import ibsim
import multicast_cases
import sa
from cases import Named
from checks import Expect

SERVICE, INFORM = "ServiceRecord", "InformInfoRecord"
OWN = {SERVICE: (0x31, 176), INFORM: (0xF3, 64), "InformInfo": (0x03, 40)}


def Service(number, guid, lease):
    return struct.pack(">QQQHHI16s64s64s", number, multicast_cases.PREFIX, guid, 0xFFFF, 0, lease,
                       b"key", b"service %d" % number, bytes([number]) * 64)


def Register(client, lid, guid):
    """Two services, two subscriptions and two alias GUIDs of whoever asks."""
    for number, lease in ((1, 0xFFFFFFFF), (2, 3600)):
        status, _ = client.Query(lid, SERVICE, mask=0b11111 | 1 << 6 | 1 << 7,
                                 data=Service(number, guid, lease), method=sa.SET)
        Expect(status == 0, "Set(ServiceRecord): status 0x%04x", status)
    for trap in (66, 67):
        data = struct.pack(">QQHHHBBHHIII", 0, 0, 0xFFFF, 0, 0, 1, 1, 0xFFFF, trap, 0, 4, 0)
        status, _ = client.Query(lid, "InformInfo", data=data, method=sa.SET)
        Expect(status == 0, "Set(InformInfo): status 0x%04x", status)
    own = next(record for record in client.Records(lid, "NodeRecord")
               if struct.unpack_from(">Q", record, 24)[0] == guid)
    own_lid, = struct.unpack_from(">H", own)
    data = struct.pack(">HBBI", own_lid, 0, 0, 0) + struct.pack(">QQQ", 0, 0x1111, 0x2222)
    status, _ = client.Query(lid, "GUIDInfoRecord", mask=0b11 | 0b11 << 5, data=data,
                             method=sa.SET)
    Expect(status == 0, "Set(GUIDInfoRecord): status 0x%04x", status)


def Tables(client, lid):
    """What is registered, as a trusted requester is told; leases as whether they end."""
    services = [bytes(record[:28]) + bytes([record[28:32] == b"\xff" * 4]) + bytes(record[32:])
                for record in client.Records(lid, SERVICE, key=1)]
    return {"MCMemberRecord": sorted(multicast_cases.Ask(client, lid, sa.GET_TABLE, key=1)[1]),
            SERVICE: sorted(services),
            INFORM: sorted(client.Records(lid, INFORM, key=1)),
            "GUIDInfoRecord": sorted(client.Records(lid, "GUIDInfoRecord", key=1))}


@Named("registrations.kill", kinds=("embersm",), timeout_s=180)
def Kill(context):
    """Killed and started again, the subnet administrator tells the same tables, MLIDs included,
    and no multicast forwarding table is written."""
    sa.RECORDS.update(OWN)  # Here, lest other cases ask for them too.
    context.Simulate("ft2-k8")
    simulator = context.simulator
    node = multicast_cases.Seat(simulator)
    manager = context.Manage(node)
    manager.WaitUp()
    multicast_cases.JoinAll(context, manager, 11)
    lid = multicast_cases.LidOf(simulator, manager)
    witness = context.Witness(node)
    guid = next(host for host in simulator.hosts if host.name == witness).PortGuid(1)
    with sa.Client(simulator, witness) as client:
        Register(client, lid, guid)
        manager.WaitQuiet(1.5)
        before = Tables(client, lid)
    Expect(len(before[SERVICE]) == 2 and len(before[INFORM]) == 2, "%d services, %d subscriptions",
           len(before[SERVICE]), len(before[INFORM]))
    for how in ("Kill", "Stop"):
        getattr(manager, how)()
        manager.Start().WaitUp(60)
        manager.WaitQuiet(1.5)
        lid = multicast_cases.LidOf(simulator, manager)
        with sa.Client(simulator, witness) as client:
            after = Tables(client, lid)
        for name, records in before.items():
            Expect(records == after[name], "%s after %s: %d records before, %d now, or others",
                   name, how, len(records), len(after[name]))
        sets = manager.traffic().Count(method=ibsim.SET, attribute=multicast_cases.MFT)
        Expect(sets == 0, "%d multicast forwarding blocks were written after %s", sets, how)
        status = manager.Status()
        Expect(status["restored"]["source"] == "journal", "restored from: %s", status["restored"])
        Expect(status["sa_journal"]["kept"], "the journal: %s", status["sa_journal"])
        context.Note("after %s: %s", how, ", ".join(
            "%s %d" % (name, len(records)) for name, records in after.items()))


DATABASE = "opensm-sa.dump"
# Of a group OpenSM names the creator; times are those of the day.
APART = re.compile(r"(?<=^MC Group).*?(?=mgid)| port_gid=\S+(?= qkey)| modified_time=\S+|"
                   r"(?<= lease_period=)0x(?!ffffffff$)\S+")


def Entries(text):
    """The lines of a database by kind and group, in no order; what may differ is left out."""
    lines = text.decode().split("\n\n")
    Expect(lines.pop() == "", "the last line does not end with an empty one: %r", lines[-1:])
    entries, group = [], ""
    for line in lines:
        Expect("\n" not in line, "two lines in one: %r", line)
        if line.startswith("MC Group"):
            group = re.search(r"mgid=(\S+)", line)[1]
        is_member = line.startswith("mcm_port")
        entries.append((group if is_member else "", APART.sub("", line)))
    return sorted(entries)


def WaitFor(path, what, timeout_s=20):
    """Until the file is there; what it has in it."""
    end = time.monotonic() + timeout_s
    while not os.path.exists(path) and time.monotonic() < end:
        time.sleep(0.1)
    Expect(os.path.exists(path), "%s: %s was not written within %d s", what, path, timeout_s)
    with open(path, "rb") as file:
        return file.read()


def Registered(context, kind, configuration="", registers=True):
    """(tables of a manager on a fresh net, its database, the path of that); OpenSM's database is of
    its last sweep. Without registering: the tables only."""
    simulator = context.Simulate("ft2-k8")
    node = multicast_cases.Seat(simulator)
    manager = context.Manage(node, name="%s.%s" % (kind, registers), kind=kind,
                             configuration=configuration)
    manager.WaitUp()
    if registers:
        multicast_cases.JoinAll(context, manager, 11)
    lid, witness = multicast_cases.LidOf(simulator, manager), context.Witness(node)
    guid = next(host for host in simulator.hosts if host.name == witness).PortGuid(1)
    with sa.Client(simulator, witness) as client:
        if registers:
            Register(client, lid, guid)
        manager.WaitQuiet(1.5)
        tables = Tables(client, lid)
    if not registers:
        manager.Stop()
        return tables, b"", ""
    path = os.path.join(manager.Dump(), DATABASE)
    if kind == "opensm":
        os.remove(path)  # It is of the first sweep.
        manager.Sweep()
    text = WaitFor(path, kind)
    manager.Stop()
    return tables, text, os.path.abspath(path)


@Named("registrations.dump", kinds=("embersm",), timeout_s=180)
def Dump(context):
    """After the same requests our database has the lines of OpenSM's, and OpenSM answers from ours
    what we did."""
    sa.RECORDS.update(OWN)  # Here, lest other cases ask for them too.
    _, opensms, their_path = Registered(context, "opensm", "sa_db_dump TRUE\n")
    tables, database, path = Registered(context, "embersm")
    for one, other in ((opensms, database), (database, opensms)):
        odd = sorted(set(Entries(one)) - set(Entries(other)))
        Expect(not odd, "only in %s: %s", "OpenSM's" if one is opensms else "ours", odd[:1])
    Expect(Entries(opensms) == Entries(database), "some lines are there more often than with OpenSM")
    loaded, theirs = (Registered(context, "opensm", "sa_db_file %s\n" % file, False)[0]
                      for file in (path, their_path))
    Expect(loaded == theirs, "OpenSM answers otherwise from our database than from its own")
    for name, records in tables.items():
        Expect(records, "%s: there is none", name)
        if name == "MCMemberRecord":  # OpenSM tells ProxyJoin in another bit, from its own file too.
            records, loaded[name] = (sorted(record[:49] for record in some)
                                     for some in (records, loaded[name]))
        odd = next((pair for pair in zip(records, loaded[name]) if pair[0] != pair[1]), ())
        Expect(records == loaded[name], "%s: %d records with us, %d loaded by OpenSM: %s", name,
               len(records), len(loaded[name]), " is ".join(bytes(one).hex() for one in odd))
    context.Note("%d lines are the same; OpenSM loads %s", len(Entries(database)), ", ".join(
        "%s %d" % (name, len(records)) for name, records in tables.items()))


def Common(record):
    """Of a MCMemberRecord what OpenSM tells from a file as we do: ProxyJoin is in another bit."""
    return bytes(record[:49])


def ExpectSame(ours, theirs, what):
    for name, records in ours.items():
        pairs = [records, theirs[name]]
        if name == "MCMemberRecord":
            pairs = [sorted(Common(record) for record in some) for some in pairs]
        odd = next((pair for pair in zip(*pairs) if pair[0] != pair[1]), ())
        Expect(pairs[0] and pairs[0] == pairs[1], "%s: %s: %d records, and %d: %s", what, name,
               len(pairs[0]), len(pairs[1]), " is ".join(bytes(one).hex() for one in odd))


@Named("registrations.by_itself", kinds=("embersm",), timeout_s=180)
def ByItself(context):
    """Under sa_db_dump the database is written without a word, with every registration, and OpenSM
    answers from it what we did. Without --dump-directory the log says that there is none."""
    sa.RECORDS.update(OWN)  # Here, lest other cases ask for them too.
    simulator = context.Simulate("ft2-k8")
    node = multicast_cases.Seat(simulator)
    dumps = os.path.join(context.directory, "by_itself")
    os.makedirs(dumps)
    path = os.path.join(dumps, DATABASE)
    # A sweep is short of nothing: light ones do as well.
    conf = "sa_db_dump TRUE\nsweep_interval 1\n"
    manager = context.Manage(node, kind="embersm", configuration=conf,
                             flags=["--dump-directory", dumps])
    manager.WaitUp()
    first = WaitFor(path, "the first sweep")
    multicast_cases.JoinAll(context, manager, 11)
    lid, witness = multicast_cases.LidOf(simulator, manager), context.Witness(node)
    guid = next(host for host in simulator.hosts if host.name == witness).PortGuid(1)
    with sa.Client(simulator, witness) as client:
        Register(client, lid, guid)
        manager.WaitQuiet(3)
        tables = Tables(client, lid)
    with open(path, "rb") as file:
        text = file.read()
    Expect(len(Entries(text)) > len(Entries(first)), "%d lines at first, %d now",
           len(Entries(first)), len(Entries(text)))
    Expect(os.listdir(dumps) == [DATABASE], "beside the database: %s", os.listdir(dumps))
    before = os.stat(path)
    manager.WaitQuiet(3)
    Expect(os.stat(path).st_ino == before.st_ino, "written again though nothing has changed")
    asked = os.path.join(manager.Dump(), DATABASE)  # Who asks gets it also while that goes on.
    with open(asked, "rb") as file:
        Expect(Entries(file.read()) == Entries(text), "what is asked for is another database")
    manager.Stop()
    loaded = Registered(context, "opensm", "sa_db_file %s\n" % path, False)[0]
    ExpectSame(tables, loaded, "as OpenSM loads it")
    context.Simulate("ft2-k8")
    nowhere = context.Manage(node, name="nowhere", kind="embersm", configuration=conf)
    nowhere.WaitUp()
    nowhere.WaitQuiet(1.5)
    Expect("sa_db_dump has no effect" in nowhere.Log(), "nobody says that it is written nowhere")
    context.Note("%d lines by itself; OpenSM loads them", len(Entries(text)))


@Named("registrations.migrate", kinds=("embersm",), timeout_s=180)
def Migrate(context):
    """From the database that OpenSM wrote, EmberSM answers what OpenSM does, and writes the same
    lines; its journal counts from then on."""
    sa.RECORDS.update(OWN)  # Here, lest other cases ask for them too.
    _, text, path = Registered(context, "opensm", "sa_db_dump TRUE\n")
    theirs = Registered(context, "opensm", "sa_db_file %s\n" % path, False)[0]
    simulator = context.Simulate("ft2-k8")
    node = multicast_cases.Seat(simulator)
    # Nobody is asked to register again, so that what is there is of the file.
    manager = context.Manage(node, kind="embersm",
                             configuration="sa_db_file %s\nno_clients_rereg TRUE\n" % path)
    for source in ("sa_db_file", "journal"):
        manager.WaitUp()
        manager.WaitQuiet(1.5)
        lid = multicast_cases.LidOf(simulator, manager)
        with sa.Client(simulator, context.Witness(node)) as client:
            ours = Tables(client, lid)
        ExpectSame(ours, theirs, "as EmberSM has it from the " + source)
        restored = manager.Status()["restored"]
        Expect(restored["source"] == source, "restored from %s, not the %s", restored, source)
        Expect(restored["unusable"] == 0 and restored["moved_groups"] == 0, "lost: %s", restored)
        with open(os.path.join(manager.Dump(), DATABASE), "rb") as file:
            odd = sorted(set(Entries(file.read())) ^ set(Entries(text)))
        Expect(not odd, "only in one of the databases: %s", odd[:2])
        manager.Stop()
        if source == "sa_db_file":
            manager.Start()
    Expect("sa_db_file is not read" in manager.Log(), "nobody says that the journal was taken")
    context.Note("%d lines of OpenSM's; the same tables and lines with EmberSM", len(Entries(text)))

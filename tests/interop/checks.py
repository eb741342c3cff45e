# SPDX-License-Identifier: Apache-2.0
# EmberSM: what must be true of a subnet, read from the switches themselves and through Debian's tools.
"""Two kinds of checks.

Subnet reads ports and tables with raw SMPs and judges them; nothing of the subnet manager under
test takes part. The functions at the end run infiniband-diags and ibdmchk and compare what they
say with the netlist and with the raw reading. Every check raises Wrong with one sentence.
"""
import os
import re
import subprocess

import ibsim


class Wrong(Exception):
    """A claim about the subnet that does not hold."""


def Expect(claim, sentence, *values):
    if not claim:
        raise Wrong(sentence % values if values else sentence)


class Subnet:
    """Everything that the simulator stores, read from `witness` (a host that is not the SM's)."""

    TRIES = 25  # With ten per cent of loss at a node, a read of ours fails now and then as well.

    def __init__(self, simulator, witness, down=()):
        self.simulator, self.down = simulator, set(down)
        self.routes = simulator.Routes(witness, down)
        self.switches = [node for node in simulator.switches if node.name in self.routes]
        self.hosts = [node for node in simulator.hosts if node.name in self.routes]
        with ibsim.Client(simulator, witness) as client:
            self._ReadPorts(client)
            self._ReadTables(client)

    def AskAll(self, client, questions):
        answers = client.AskAll(questions)
        for _ in range(Subnet.TRIES):
            missing = [i for i, answer in enumerate(answers) if answer is None]
            if not missing:
                return answers
            for i, answer in zip(missing, client.AskAll([questions[i] for i in missing])):
                answers[i] = answer
        raise Wrong("%s cannot be read" % (questions[missing[0]],))

    def _ReadPorts(self, client):
        """`ports` holds PortInfo by (node name, port), `lids` what each end port owns."""
        places = []
        for node in self.switches + self.hosts:
            wired = [p for p, peer in node.ports.items() if self._IsUp(node.name, p)]
            places += [(node, port) for port in ([0] if node.is_switch else []) + wired]
        routes = [self.RouteTo(node, port) for node, port in places]
        answers = self.AskAll(client, [(route, ibsim.PORT_INFO, port)
                                        for route, (_, port) in zip(routes, places)])
        self.ports = {(node.name, port): answer for (node, port), answer in zip(places, answers)}
        self.lids = {}  # (node name, port) -> (base LID, LMC)
        for (node, port), answer in zip(places, answers):
            if port == 0 or not node.is_switch:
                self.lids[(node.name, port)] = (ibsim.PortField(answer, "lid"),
                                                ibsim.PortField(answer, "lmc"))

    def _IsUp(self, node, port):
        peer = self.simulator.nodes[node].ports[port]
        return (node, port) not in self.down and tuple(peer) not in self.down

    def RouteTo(self, node, port):
        """A CA answers for the port at which the question arrives, so it is asked through it."""
        if node.is_switch or not self.routes[node.name]:
            return self.routes[node.name]
        peer = node.ports[port]
        return self.routes[peer.node] + (peer.port,)

    def _ReadTables(self, client):
        names = [node.name for node in self.switches]
        infos = self.AskAll(client, [(self.routes[n], ibsim.SWITCH_INFO, 0) for n in names])
        self.tops = {n: int.from_bytes(info[6:8], "big") for n, info in zip(names, infos)}
        blocks = max(self.tops.values(), default=0) // 64 + 1
        answers = self.AskAll(client, [(self.routes[n], ibsim.LINEAR_FORWARDING_TABLE, block)
                                        for n in names for block in range(blocks)])
        self.tables = {n: b"".join(answers[i * blocks:(i + 1) * blocks])
                       for i, n in enumerate(names)}

    # What the reading amounts to.
    def LidsByGuid(self):
        nodes = self.simulator.nodes
        return {nodes[name].PortGuid(port): value for (name, port), value in self.lids.items()}

    def TablesByGuid(self):
        return {self.simulator.nodes[name].guid: table for name, table in self.tables.items()}

    def BlocksThatDiffer(self, before):
        """How many 64-entry blocks of the forwarding tables changed since `before`."""
        count = 0
        for name, table in self.tables.items():
            old = before.tables.get(name, b"").ljust(len(table), b"\xff")
            table = table.ljust(len(old), b"\xff")
            count += sum(table[i:i + 64] != old[i:i + 64] for i in range(0, len(table), 64))
        return count

    def CableCount(self):
        return sum(1 for name, port in self.ports if port) // 2

    def Check(self, switches_apart=False):
        """All that must hold of a subnet that is up. Returns the number of entries walked.

        With `switches_apart` only hosts must reach hosts: up/down routing has no way between two
        roots, nor on a broken tree between a leaf and a switch above it that it lost.
        """
        self.CheckLids()
        self.CheckStates()
        return self.CheckTables(switches_apart)

    def CheckLids(self):
        owners = {}
        for (name, port), (base, lmc) in self.lids.items():
            Expect(0 < base < 0xC000, "%s port %d has LID %d", name, port, base)
            Expect(base % (1 << lmc) == 0, "%s port %d: LID %d does not fit LMC %d",
                   name, port, base, lmc)
            for lid in range(base, base + (1 << lmc)):
                Expect(lid not in owners, "LID %d belongs to %s and to %s", lid, owners.get(lid),
                       (name, port))
                owners[lid] = (name, port)
        self.owners = owners

    def CheckStates(self):
        for (name, port), info in self.ports.items():
            state = ibsim.PortField(info, "state")
            Expect(state == ibsim.ACTIVE, "%s port %d is in state %d, not ACTIVE", name, port, state)
        leaders = {ibsim.PortField(self.ports[place], "master_sm_lid") for place in self.lids}
        Expect(len(leaders) == 1, "the ports name different masters: LIDs %s", sorted(leaders))
        self.master_lid = leaders.pop()
        Expect(self.master_lid in self.owners, "the master's LID %d is nobody's", self.master_lid)

    def CheckTables(self, switches_apart=False):
        """Follows the tables from every switch to every LID: each must arrive, at its owner."""
        crowded = {peer.node for node in self.simulator.hosts for peer in node.ports.values()}
        out = {}  # (switch, port) -> next node
        for name, port in self.ports:
            if port:
                out[(name, port)] = self.simulator.nodes[name].ports[port].node
        arrived, lost = "arrived", "lost"
        for lid, (owner, owner_port) in self.owners.items():
            owner_is_switch = owner_port == 0
            verdict = {}
            for start in self.tables:
                trail, here = [], start
                while here not in verdict:
                    verdict[here] = lost  # A loop comes back here and finds this.
                    trail.append(here)
                    table = self.tables[here]
                    exit_port = table[lid] if lid < len(table) and lid <= self.tops[here] else 255
                    if exit_port == 0:
                        result = arrived if owner_is_switch and here == owner else lost
                        break
                    following = out.get((here, exit_port))
                    if following is None:
                        result = lost
                        break
                    if not owner_is_switch and following == owner:
                        peer = self.simulator.nodes[here].ports[exit_port]
                        result = arrived if peer.port == owner_port else lost
                        break
                    if following not in self.tables:
                        result = lost
                        break
                    here = following
                else:
                    result = verdict[here]
                for name in trail:
                    verdict[name] = result
                pardoned = switches_apart and (owner_is_switch or start not in crowded)
                Expect(result == arrived or pardoned, "LID %d (%s) cannot be reached from %s", lid,
                       owner, start)
        return len(self.owners) * len(self.tables)


def RunTool(context, *command, node=None, timeout_s=60):
    """Runs a program of Debian's on the simulator, through the preload."""
    environment = context.simulator.Environment(node, context.tools.preload)
    done = subprocess.run(command, cwd=context.directory, env=environment, capture_output=True,
                          text=True, errors="replace", timeout=timeout_s,
                          preexec_fn=ibsim.DieWithParent)
    with open(os.path.join(context.directory, "tools.log"), "a", encoding="utf-8") as log:
        log.write("$ %s\n%s%s(exit status %d)\n\n" % (" ".join(command), done.stdout, done.stderr,
                                                    done.returncode))
    return done


def CheckIbnetdiscover(context, subnet, node):
    """The nodes, cables and LIDs that ibnetdiscover finds are those of the netlist."""
    done = RunTool(context, "ibnetdiscover", node=node, timeout_s=120)
    Expect(done.returncode == 0, "ibnetdiscover: exit status %d", done.returncode)
    switches = re.findall(r"^Switch\s+\d+ \"S-(\w+)\".* lid (\d+) lmc (\d+)", done.stdout, re.M)
    hosts = re.findall(r"^Ca\s+\d+ \"H-(\w+)\"", done.stdout, re.M)
    cables = re.findall(r"^\[(\d+)\](?:\(\w+\))?\s+\"[SH]-\w+\"\[\d+\]", done.stdout, re.M)
    Expect(len(switches) == len(subnet.switches), "ibnetdiscover sees %d switches, not %d",
           len(switches), len(subnet.switches))
    Expect(len(hosts) == len(subnet.hosts), "ibnetdiscover sees %d hosts, not %d",
           len(hosts), len(subnet.hosts))
    Expect(len(cables) == 2 * subnet.CableCount(), "ibnetdiscover sees %d cable ends, not %d",
           len(cables), 2 * subnet.CableCount())
    lids = subnet.LidsByGuid()
    for guid, lid, lmc in switches:
        Expect(lids[int(guid, 16)] == (int(lid), int(lmc)), "ibnetdiscover: switch %s LID %s",
               guid, lid)


def CheckIblinkinfo(context, subnet, node):
    """Every cable is ACTIVE and LinkUp on both ends."""
    done = RunTool(context, "iblinkinfo", "-l", node=node, timeout_s=120)
    Expect(done.returncode == 0, "iblinkinfo: exit status %d", done.returncode)
    lines = [line for line in done.stdout.splitlines() if "==" in line]
    alive = [line for line in lines if re.search(r"Active/\s*LinkUp", line)]
    waiting = [line for line in lines if re.search(r"(Initialize|Armed)/", line)]
    Expect(not waiting, "iblinkinfo: a link is not up: %s", waiting[:1])
    Expect(len(alive) == 2 * subnet.CableCount(), "iblinkinfo: %d ends are active, not %d",
           len(alive), 2 * subnet.CableCount())


def CheckSminfo(context, subnet, node, sm_node):
    """The master answers at the LID that every port was told, with the GUID of its port."""
    done = RunTool(context, "sminfo", node=node)
    found = re.search(r"sm lid (\d+) sm guid (0x\w+), activity count \d+ priority (\d+) "
                      r"state (\d+) SMINFO_(\w+)", done.stdout)
    Expect(found, "sminfo: %s", (done.stdout + done.stderr).strip()[-200:])
    place = subnet.owners[subnet.master_lid]
    guid = context.simulator.nodes[place[0]].PortGuid(place[1])
    Expect(int(found[1]) == subnet.master_lid, "sminfo: LID %s, not %d", found[1],
           subnet.master_lid)
    Expect(int(found[2], 16) == guid, "sminfo: GUID %s, not 0x%x", found[2], guid)
    Expect(place[0] == sm_node, "the master is at %s, not at %s", place[0], sm_node)
    Expect(found[5] == "MASTER", "sminfo: state %s", found[5])


def CheckDumpFts(context, subnet, node):
    """dump_fts reads the very tables that the raw reading found. Returns the entries compared."""
    done = RunTool(context, "dump_fts", node=node, timeout_s=120)
    Expect(done.returncode == 0, "dump_fts: exit status %d", done.returncode)
    tables, current = {}, None
    for line in done.stdout.splitlines():
        head = re.match(r"Unicast lids .* of switch .*guid (0x\w+)", line)
        row = re.match(r"(0x\w+)\s+(\d+)\s", line)
        if head:
            current = tables.setdefault(int(head[1], 16), {})
        elif row and current is not None:
            current[int(row[1], 16)] = int(row[2])
    compared = 0
    for name, table in subnet.tables.items():
        top = subnet.tops[name]
        seen = tables.get(context.simulator.nodes[name].guid, {})
        for lid in range(1, top + 1):
            if lid == top and lid % 64 == 0:
                continue  # infiniband-diags 44 leave out the last LID when it starts a block.
            held = None if table[lid] == 255 else table[lid]
            Expect(seen.get(lid) == held, "dump_fts: %s sends LID %d to %s, not to %s", name, lid,
                   seen.get(lid), held)
            compared += 1
    return compared


def CheckIbtracert(context, subnet, node, sample):
    """ibtracert follows a sample of pairs, spread over the fabric, from end to end."""
    places = sorted(subnet.lids.items(), key=lambda item: item[1])
    places = [(place, lid) for place, (lid, _) in places if place[1]]
    step = max(1, len(places) // sample)
    for i in range(0, min(len(places), step * sample), step):
        source, target = places[i][1], places[(i * 7 + len(places) // 2) % len(places)][1]
        if source == target:
            continue
        done = RunTool(context, "ibtracert", str(source), str(target), node=node)
        Expect(done.returncode == 0, "ibtracert %d %d: exit status %d", source, target,
               done.returncode)
        end = re.search(r"To ca .*portnum \d+ lid (\d+)-\d+", done.stdout)
        Expect(end and int(end[1]) == target, "ibtracert %d %d ends elsewhere", source, target)


def CheckIbdmchk(context, dumps, subnet, credit_loops):
    """ibdmchk reads the dumps, traces all pairs and finds no error.

    Debian's program crashes while it ends, after its last finding, on dumps of OpenSM as well, so
    its text decides and not its exit status. On the nets where min-hop may have a credit loop
    that one finding is allowed. Returns the number of paths scanned and whether it found a loop.
    """
    multicast = os.path.join(dumps, "opensm.mcfdbs")
    command = ["ibdmchk", "-s", os.path.join(dumps, "opensm-subnet.lst"),
               "-f", os.path.join(dumps, "opensm.fdbs"),
               "-m", multicast if os.path.exists(multicast) else "/dev/null"]
    lmc = max(lmc for _, lmc in subnet.lids.values())
    done = RunTool(context, *command, *(["-l", str(lmc)] if lmc else []), timeout_s=300)
    errors = [line for line in done.stdout.splitlines() + done.stderr.splitlines()
              if line.startswith(("-E-", "-W-"))]
    finding = "-E- credit loops in routing"
    found_loop = finding in errors
    if credit_loops:
        errors = [line for line in errors if line != finding]
    Expect(not errors, "ibdmchk: %s", "; ".join(errors[:3]))
    Expect("Analyzing Fabric for Credit Loops" in done.stdout, "ibdmchk did not get to its end")
    entries = re.search(r"Defined (\d+) fdb entries for:(\d+) switches", done.stdout)
    Expect(entries and int(entries[2]) == len(subnet.switches), "ibdmchk: tables of %s switches",
           entries and entries[2])
    scanned = re.search(r"Scanned:(\d+) CA to CA paths", done.stdout)
    Expect(scanned, "ibdmchk scanned no path")
    return int(scanned[1]), found_loop

# SPDX-License-Identifier: Apache-2.0
# EmberSM: what a test case is given: programs, a simulator on a net, subnet managers.
import os
import subprocess

import checks
import ibsim
import managers
import nets

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))

# A program of the sanitizer build reads all its static memory at its end, in search of leaks. That
# of embersm is half a gigabyte, seconds for each of hundreds of processes, and allocates nothing.
os.environ.setdefault("ASAN_OPTIONS", "detect_leaks=0")


class Tools:
    """Where the programs are. `build` is a CMake build directory, `work` holds what is made here.

    `through_mailbox`: every EmberSM sits behind the mailbox of a switch's emulated chip.
    """

    def __init__(self, build, work, through_mailbox=False):
        self.build, self.work, self.through_mailbox = build, work, through_mailbox
        machine = subprocess.run(["cc", "-dumpmachine"], capture_output=True, text=True,
                                 check=True).stdout.strip()
        triplet = "-".join(part for part in machine.split("-") if part not in ("pc", "unknown"))
        self.stock_preload = managers.STOCK_PRELOAD % triplet
        self.preload = os.path.join(work, "simumad.so")

    def Prepare(self):
        os.makedirs(self.work, exist_ok=True)
        source = os.path.join(HERE, "simumad.c")
        if (os.path.exists(self.preload)
                and os.path.getmtime(self.preload) > os.path.getmtime(source)):
            return
        fresh = "%s.%d" % (self.preload, os.getpid())
        subprocess.run(["cc", "-O2", "-Wall", "-Wextra", "-shared", "-fPIC", "-o", fresh, source,
                        "-ldl", "-lpthread"], check=True)
        os.replace(fresh, self.preload)

    def Capture(self):
        """The preload that writes down what goes through libibumad."""
        built = os.path.join(self.work, "capture.so")
        source = os.path.join(HERE, "capture", "capture.c")
        if (not os.path.exists(built)
                or os.path.getmtime(built) <= os.path.getmtime(source)):
            fresh = "%s.%d" % (built, os.getpid())
            subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", fresh, source, "-ldl"],
                           check=True)
            os.replace(fresh, built)
        return built

    def Program(self, name):
        path = os.path.join(self.build, "bin", name)
        if not os.access(path, os.X_OK):
            raise checks.Wrong("%s is not built: there is no %s" % (name, path))
        return path

    def Compile(self, directory, text):
        """Options in opensm.conf's format -> (signed blob, public key)."""
        source, blob = (os.path.join(directory, name) for name in ("opensm.conf", "config.blob"))
        private, public = (os.path.join(directory, name) for name in ("key.pem", "key.pub"))
        with open(source, "w", encoding="utf-8") as file:
            file.write(text)
        emberc = self.Program("emberc")
        if not os.path.exists(private):
            subprocess.run([emberc, "keygen", "--private", private, "--public", public],
                           check=True, capture_output=True)
        done = subprocess.run([emberc, "compile", "--no-default-files", source, "-o", blob,
                               "--key", private],
                              capture_output=True, text=True, check=False)
        checks.Expect(done.returncode == 0, "emberc: %s", done.stderr.strip()[-300:])
        return blob, public


class Context:
    """One case: a directory of its own, at most one simulator at a time, notes for the report."""

    def __init__(self, directory, tools, kind):
        self.directory, self.tools, self.kind = directory, tools, kind
        self.simulator, self.managers, self.notes = None, [], []
        os.makedirs(directory, exist_ok=True)

    def Note(self, text, *values):
        self.notes.append(text % values if values else text)

    def Simulate(self, net):
        """A fresh simulator on the net of that name (or a Net); the one before is closed."""
        self.Close()
        path = os.path.join(self.directory, "fabric.net")
        with open(path, "w", encoding="utf-8") as file:
            file.write((nets.NETS[net]() if isinstance(net, str) else net).Text())
        self.simulator = ibsim.Simulator(path, self.directory)
        return self.simulator

    def Manage(self, node, name="sm", kind=None, **options):
        """Starts a subnet manager of the kind under test at `node`, or, when managers sit at
        switches, at the switch there. Where it sits is the manager's `node`."""
        node = self.Seat(node)
        return managers.KINDS[kind or self.kind](self, node, name, **options).Start()

    def Seat(self, node):
        """The node, or through the mailbox its switch; when that one is taken, another."""
        if not self.tools.through_mailbox or self.simulator.nodes[node].is_switch:
            return node
        taken = {manager.node for manager in self.managers}
        here = [peer.node for _, peer in sorted(self.simulator.nodes[node].ports.items())]
        switches = [name for name in here if self.simulator.nodes[name].is_switch]
        if not switches:
            return node  # Two hosts back to back: the chip stands in for the adapter's.
        others = [switch.name for switch in self.simulator.switches]
        return next(name for name in switches + others if name not in taken)

    def Witness(self, *busy):
        """A host at which nobody sits, for reading."""
        return next(host.name for host in reversed(self.simulator.hosts) if host.name not in busy)

    def Read(self, *busy, down=()):
        return checks.Subnet(self.simulator, self.Witness(*busy), down)

    def Close(self):
        for manager in self.managers:
            manager.Kill()
        self.managers = []
        if self.simulator is not None:
            self.simulator.Close()
            self.simulator = None

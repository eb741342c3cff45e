# SPDX-License-Identifier: Apache-2.0
# EmberSM: starts subnet managers on a simulator: ours, and OpenSM beside it.
"""OpenSm and EmberSm answer to the same verbs, so that every check is proved on OpenSM first.

Both run through simumad.so by default, which counts their datagrams in a file that survives a
kill, or through ibsim's own preload (`stock`).
"""
import json
import os
import re
import signal
import struct
import subprocess
import time

import checks
import ibsim

STOCK_PRELOAD = "/usr/lib/%s/umad2sim/libumad2sim.so"
OUT, IN = 0, 1
COUNTS_BYTES = 2 * 3 * 64 * 256 * 4


class Traffic:
    """What went over the wire, read from the counters of simumad."""

    def __init__(self, path):
        try:
            with open(path, "rb") as file:
                raw = file.read().ljust(COUNTS_BYTES, b"\0")
        except FileNotFoundError:
            raw = bytes(COUNTS_BYTES)
        self._counts = struct.unpack("=%dI" % (COUNTS_BYTES // 4), raw)

    def Count(self, direction=OUT, method=None, attribute=None):
        total = 0
        for smp_class in (0, 1):
            for m in range(64) if method is None else (method,):
                first = ((direction * 3 + smp_class) * 64 + m) * 256
                total += (sum(self._counts[first:first + 256]) if attribute is None
                          else self._counts[first + attribute])
        return total

    def Sets(self):
        return self.Count(method=ibsim.SET)

    def TableSets(self):
        return self.Count(method=ibsim.SET, attribute=ibsim.LINEAR_FORWARDING_TABLE)

    def Requests(self):
        return self.Count(method=ibsim.GET) + self.Sets()

    def Named(self):
        """The requests sent, by method and attribute, for people."""
        names = {0x10: "NodeDescription", 0x11: "NodeInfo", 0x12: "SwitchInfo", 0x14: "GUIDInfo",
                 0x15: "PortInfo", 0x16: "P_KeyTable", 0x17: "SLtoVL", 0x18: "VLArbitration",
                 0x19: "LFT", 0x1B: "MFT", 0x20: "SMInfo"}
        result = {}
        for method, verb in ((ibsim.GET, "Get"), (ibsim.SET, "Set")):
            for attribute in range(256):
                count = self.Count(method=method, attribute=attribute)
                if count:
                    result["%s(%s)" % (verb, names.get(attribute, hex(attribute)))] = count
        return result


class Manager:
    """A process that manages the subnet from one node; its files lie in a directory of its own."""

    kind = ""

    def __init__(self, context, node, name, stock=False, **options):
        self.context, self.node, self.options, self.stock = context, node, options, stock
        self.directory = os.path.join(context.directory, name)
        os.makedirs(self.directory, exist_ok=True)
        self.log_path = os.path.join(self.directory, self.kind + ".log")
        self.counts_path, self.process, self._runs = "", None, 0
        self.files = options.get("files")  # Of a run before it, for `as_is`.
        context.managers.append(self)

    def _Spawn(self, command, **environment):
        self.counts_path = os.path.join(self.directory, "counts.%d" % (self._runs + 1))
        return self._SpawnAs(command, self._Environment(**environment))

    def _Environment(self, **environment):
        """That of a client of the simulator, at this manager's node."""
        preload = self.context.tools.stock_preload if self.stock else self.context.tools.preload
        if "asan" in self.options:  # For programs that are built with the sanitizer.
            environment["ASAN_OPTIONS"] = self.options["asan"]
        if "capture" in self.options:  # Every datagram, octet by octet, in a file of that name.
            preload = "%s:%s" % (self.context.tools.Capture(), preload)
            environment["EMBER_CAPTURE"] = self.options["capture"]
        return self.context.simulator.Environment(
            self.node, preload, SIMUMAD_COUNTS=self.counts_path, TZ="UTC", **environment)

    def _SpawnAs(self, command, environment):
        self._runs += 1
        if "under" in self.options:  # A tool, which is no client of the simulator itself.
            told = ["%s=%s" % one for one in environment.items() if os.environ.get(one[0]) != one[1]]
            command = [*self.options["under"], "env", *told, *command]
            environment = dict(os.environ)
        self._output = open(os.path.join(self.directory, "output"), "ab")
        self._tail_at, self._tail = self._LogBytes(), ""
        self.started = time.monotonic()
        self.process = subprocess.Popen(
            command, cwd=self.directory, stdin=subprocess.DEVNULL, stdout=self._output,
            stderr=self._output, preexec_fn=ibsim.DieWithParent, env=environment)
        return self

    def _EndChip(self):
        """What stands between the manager and the simulator ends with it."""

    def traffic(self):
        return Traffic(self.counts_path)

    def Log(self):
        try:
            with open(self.log_path, encoding="utf-8", errors="replace") as log:
                return log.read()
        except FileNotFoundError:
            return ""

    def IsRunning(self):
        return self.process is not None and self.process.poll() is None

    def _LogBytes(self):
        return os.path.getsize(self.log_path) if os.path.exists(self.log_path) else 0

    def HasSaid(self, words):
        """Whether this run's log has said so since it was last asked; reads only what is new."""
        if self._LogBytes() > self._tail_at:
            with open(self.log_path, "rb") as log:
                log.seek(self._tail_at)
                fresh = log.read()
            self._tail_at += len(fresh)
            self._tail += fresh.decode(errors="replace")
        found = words in self._tail
        self._tail = self._tail[-len(words):]
        return found

    def WaitUp(self, timeout_s=60):
        """Until this run has said SUBNET UP; returns the seconds since its start."""
        while not self.HasSaid("SUBNET UP"):
            checks.Expect(self.IsRunning(), "%s ended with status %s before SUBNET UP", self.kind,
                          self.process.poll())
            checks.Expect(time.monotonic() - self.started < timeout_s,
                          "%s: no SUBNET UP within %d s", self.kind, timeout_s)
            time.sleep(0.02)
        return time.monotonic() - self.started

    def WaitQuiet(self, quiet_s=0.7, timeout_s=60):
        """Until it has sent no Set for a while."""
        end, last, since = time.monotonic() + timeout_s, -1, time.monotonic()
        while time.monotonic() < end:
            sets = self.traffic().Sets()
            if sets != last:
                last, since = sets, time.monotonic()
            if time.monotonic() - since >= quiet_s:
                return
            time.sleep(0.05)
        raise checks.Wrong("%s still sends Sets after %d s" % (self.kind, timeout_s))

    def PeakMemoryBytes(self):
        with open("/proc/%d/status" % self.process.pid, encoding="utf-8") as status:
            return int(re.search(r"VmHWM:\s+(\d+) kB", status.read())[1]) * 1024

    def Kill(self):
        """As a crash: no farewell."""
        if self.IsRunning():
            self.process.send_signal(signal.SIGKILL)
        self._End()

    def Stop(self, timeout_s=15):
        if self.IsRunning():
            self.process.terminate()
            try:
                self.process.wait(timeout_s)
            except subprocess.TimeoutExpired:
                self.process.kill()
        self._End()

    def _End(self):
        if self.process is not None:
            self.process.wait()
            self._EndChip()
            self._output.close()
            self.process = None
            if self.context.simulator.process.poll() is None:
                self.context.simulator.ForgetTheDead()


class OpenSm(Manager):
    kind = "opensm"

    def Start(self):
        path = os.path.join(self.directory, "opensm.conf")
        with open(path, "w", encoding="utf-8") as file:  # Without it the log lags by 10 s and more.
            flush = "FALSE" if "once" in self.options else "TRUE"
            file.write("force_log_flush %s\n%s" % (flush, self.options.get("configuration", "")))
        big = len(self.context.simulator.nodes) > 4000  # The dumps of such a net take minutes.
        flags = "0x07" if "once" in self.options else "0x03" if big else "0x43"
        command = ["opensm", "-F", path, "-f", self.log_path, "-D", flags]
        if "routing_engine" not in self.options.get("configuration", ""):
            command += ["-R", "minhop"]
        if "once" in self.options:  # Ends after the first sweep; the log is complete then.
            command += ["-o"]
        if "lmc" in self.options:
            command += ["-l", str(self.options["lmc"])]
        if "priority" in self.options:
            command += ["-p", str(self.options["priority"])]
        return self._Spawn(command, OSM_CACHE_DIR=self.directory, OSM_TMP_DIR=self.directory)

    def Dump(self):
        return self.directory

    def Sweep(self):
        self.process.send_signal(signal.SIGHUP)


class EmberSm(Manager):
    """`configuration` is text in opensm.conf's format; it goes through emberc into a signed blob.

    `mailbox` is what ember_asic is told beside its socket: EmberSM then sits behind the mailbox of
    an emulated chip, and that program, not EmberSM, is the client of the simulator.
    """

    kind = "embersm"
    SOCKET = "socket"  # Relative to the directory in which all runs: such paths end at 107 octets.
    MAILBOX = "mailbox"
    chip = None

    def Start(self):
        command = [self.context.tools.Program("embersm"), "--state-dir", "state",
                   "--socket", EmberSm.SOCKET, *self.options.get("flags", ())]
        mailbox = self.options.get("mailbox", [] if self.context.tools.through_mailbox else None)
        command += ["--umad"] if mailbox is None else ["--mailbox", "shm:" + EmberSm.MAILBOX]
        text = self.options.get("configuration", "")
        if not re.search(r"^order ", text, re.M):  # Most cases compare with OpenSM.
            text += "order opensm\n"
        for key, name in (("lmc", "lmc"), ("priority", "sm_priority")):
            if key in self.options:
                text += "%s %s\n" % (name, self.options[key])
        if not self.options.get("as_is"):  # Else with the files that the run before had.
            self.files = self.context.tools.Compile(self.directory, text)
        blob, key = self.files
        command += ["--blob", blob, "--public-key", key]
        self.log_path = os.path.join(self.directory, "output")
        if mailbox is None:
            return self._Spawn(command)
        self._StartChip(mailbox)
        return self._SpawnAs(command, dict(os.environ, TZ="UTC"))

    def _StartChip(self, told):
        """The chip at this node, waiting for its host."""
        path = os.path.join(self.directory, EmberSm.MAILBOX)
        self.counts_path = os.path.join(self.directory, "counts.%d" % (self._runs + 1))
        with open(os.path.join(self.directory, "chip.log"), "ab") as log:
            self.chip = subprocess.Popen(
                [self.context.tools.Program("ember_asic"), EmberSm.MAILBOX, *told],
                cwd=self.directory, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                preexec_fn=ibsim.DieWithParent, env=self._Environment())
        end = time.monotonic() + 10
        while not os.path.exists(path):
            checks.Expect(self.chip.poll() is None and time.monotonic() < end,
                          "ember_asic does not listen at %s", path)
            time.sleep(0.01)

    def _EndChip(self):
        if self.chip is None:
            return
        try:
            self.chip.wait(5)  # It ends by itself when its host is gone.
        except subprocess.TimeoutExpired:
            self.chip.kill()
            self.chip.wait()
        self.chip = None
        path = os.path.join(self.directory, EmberSm.MAILBOX)
        if os.path.exists(path):
            os.unlink(path)

    def Control(self, *words, timeout_s=30):
        done = subprocess.run(
            [self.context.tools.Program("emberctl"), "--socket", EmberSm.SOCKET, *words],
            capture_output=True, text=True, timeout=timeout_s, cwd=self.directory, check=False)
        checks.Expect(done.returncode == 0, "emberctl %s: exit status %d: %s", " ".join(words),
                      done.returncode, (done.stderr or done.stdout).strip()[-200:])
        return done.stdout

    def Status(self):
        return json.loads(self.Control("status", "--json"))

    def Dump(self):
        dumps = os.path.join(self.directory, "dumps")
        os.makedirs(dumps, exist_ok=True)
        self.Control("dump", dumps)
        return dumps

    def Sweep(self):
        self.Control("sweep", "heavy")


KINDS = {"opensm": OpenSm, "embersm": EmberSm}

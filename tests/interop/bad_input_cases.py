# SPDX-License-Identifier: Apache-2.0
# EmberSM: cases: what a user gets wrong is answered with one sentence and an exit status.
import os
import stat
import subprocess
import time

import ibsim
from cases import Named
from checks import Expect

USAGE, DEVICE, FILE = 2, 3, 6  # Exit statuses as embersm --help lists them.


class Bench:
    """Runs embersm with arguments of which one is bad."""

    def __init__(self, context):
        self.context, self.directory = context, context.directory
        self.program = context.tools.Program("embersm")
        context.Simulate("ft2-k8")  # Up without a warning: exit status 0.
        self.attached = context.simulator.Environment(context.simulator.hosts[0].name,
                                                      context.tools.preload)

    def Path(self, name, octets=None):
        path = os.path.join(self.directory, name)
        if octets is not None:
            with open(path, "wb") as file:
                file.write(octets)
        return path

    def MustRefuse(self, what, status, *arguments, environment=None, says=""):
        done = subprocess.run(
            [self.program, "--once", *arguments], cwd=self.directory, capture_output=True,
            text=True, env=environment or self.attached, stdin=subprocess.DEVNULL, timeout=20,
            preexec_fn=ibsim.DieWithParent, check=False)
        lines = [line for line in done.stderr.splitlines()
                 if line.strip() and not line.startswith("simumad:")]
        Expect(done.returncode == status, "%s: exit status %d, not %d; it said: %s", what,
               done.returncode, status, done.stderr.strip()[-300:])
        Expect(len(lines) == 1, "%s: %d lines instead of one: %s", what, len(lines), lines[-3:])
        Expect(lines[0].startswith("embersm: ") and len(lines[0]) > 25, "%s: it said only \"%s\"",
               what, lines[0])
        Expect(says in lines[0], "%s: \"%s\" does not speak of %s", what, lines[0], says)
        self.context.Note("%s", lines[0])


@Named("bad-input.blob", kinds=("embersm",))
def Blob(context):
    """A blob that is missing, unreadable, empty, truncated, tampered with, or another's."""
    bench = Bench(context)
    blob, key = context.tools.Compile(context.directory, "lmc 0\n")
    with open(blob, "rb") as file:
        good = file.read()
    done = subprocess.run([bench.program, "--once", "--umad", "--blob", blob, "--public-key", key],
                          cwd=context.directory, capture_output=True, text=True, timeout=60,
                          env=bench.attached, check=False)
    Expect(done.returncode == 0, "the good blob is refused: %s", done.stderr[-300:])

    def With(what, path, public_key=key, status=FILE, says=""):
        bench.MustRefuse(what, status, "--umad", "--blob", path, "--public-key", public_key,
                         says=says)

    With("missing blob", "absent.blob", says="absent.blob")
    os.mkdir(bench.Path("folder"))
    With("a directory as blob", "folder", says="folder")
    With("empty blob", bench.Path("empty", b""))
    With("truncated blob", bench.Path("short", good[:len(good) // 2]))
    for place in (len(good) // 3, len(good) // 2, len(good) - 1):
        spoilt = bytearray(good)
        spoilt[place] ^= 1
        With("a bit changed at %d" % place, bench.Path("tampered", bytes(spoilt)))
    With("text as blob", bench.Path("text", b"lmc 0\n" * 100))
    With("missing key", blob, "absent.pub", says="absent.pub")
    With("bad key", blob, bench.Path("bad.pub", b"no key"))
    os.mkdir(bench.Path("other"))
    _, other = context.tools.Compile(bench.Path("other"), "lmc 0\n")
    With("the key of somebody else", blob, other)
    if os.geteuid() != 0:  # Root may read everything.
        os.chmod(blob, stat.S_IWUSR)
        With("unreadable blob", blob, says="config.blob")


@Named("bad-input.port", kinds=("embersm",))
def Port(context):
    """No such device, port or GUID; no preload; no simulator behind the preload."""
    bench = Bench(context)
    bench.MustRefuse("no such device", DEVICE, "--umad", "--ca", "mlx5_7", "--once",
                     says="mlx5_7")
    bench.MustRefuse("no such port", DEVICE, "--umad", "--port", "9")
    bench.MustRefuse("no such GUID", DEVICE, "--umad", "--guid", "0xdead", says="dead")
    bare = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
    if not os.path.isdir("/sys/class/infiniband"):
        bench.MustRefuse("no device at all", DEVICE, "--umad", "--once", environment=bare)
    for preload in (context.tools.preload, context.tools.stock_preload):
        alone = dict(bare, LD_PRELOAD=preload, IBSIM_SOCKNAME="nobody-is-here-%d" % os.getpid())
        bench.MustRefuse("no simulator behind " + os.path.basename(preload), DEVICE, "--umad",
                         "--once", environment=alone)


@Named("bad-input.files", kinds=("embersm",))
def Files(context):
    """Options and paths that make no sense."""
    bench = Bench(context)
    bench.MustRefuse("unknown option", USAGE, "--umat", says="--umat")
    bench.MustRefuse("no number", USAGE, "--umad", "--port", "one")
    bench.MustRefuse("a blob without a key", USAGE, "--umad", "--blob", "x", says="--public-key")
    bench.MustRefuse("socket in no directory", FILE, "--umad", "--socket", "/no/such/dir/socket",
                     says="/no/such/dir/socket")
    bench.MustRefuse("socket path too long", FILE, "--umad", "--socket", "/tmp/" + 120 * "x")
    bench.MustRefuse("state directory under a file", FILE, "--umad", "--state-dir",
                     os.path.join(bench.Path("file", b""), "state"))
    bench.MustRefuse("log file in no directory", FILE, "--umad", "--log-file", "/no/such/dir/log")
    done = subprocess.run([context.tools.Program("emberctl"), "--socket", "absent", "status"],
                          cwd=context.directory, capture_output=True, text=True, timeout=20,
                          check=False)
    Expect(done.returncode > 0 and done.stderr.count("\n") == 1, "emberctl without embersm: %d, %s",
           done.returncode, done.stderr)
    context.Note("%s", done.stderr.strip())
    done = subprocess.run([context.tools.Program("emberctl"), "--socket", "absent", "statsu"],
                          capture_output=True, text=True, timeout=20, check=False)
    Expect(done.returncode == USAGE and
           done.stderr == "emberctl: there is no command 'statsu'; did you mean 'status'?\n",
           "a command that there is not: %d, %s", done.returncode, done.stderr)


@Named("bad-input.link-down", kinds=("embersm",),
       hosts_only="port 0 of a switch has no cable that could be unplugged")
def LinkDown(context):
    """With its own cable unplugged the manager says so; plugged in, the subnet comes up."""
    context.Simulate("ring")
    node = context.simulator.hosts[0].name
    context.simulator.Unlink(node)
    manager = context.Manage(node)
    end = time.monotonic() + 10
    while " is down" not in manager.Log():
        Expect(manager.IsRunning(), "it ended with status %s", manager.process.poll())
        Expect(time.monotonic() < end, "it said nothing about its link: %s", manager.Log()[-300:])
        time.sleep(0.05)
    time.sleep(1)
    Expect("SUBNET UP" not in manager.Log(), "a subnet is up behind an unplugged cable")
    context.simulator.Relink(node)
    context.Note("up %.1f s after the start", manager.WaitUp(60))
    context.Read(node).Check()

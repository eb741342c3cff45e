#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# EmberSM: runs the bare-metal images in QEMU and judges what they say over the serial line.
"""Usage: run.py [--build DIR] [--images arm64,arm32] [NAME...]

Each image brings up its simulated fabric; its summary must be the one that `embersm --sim --once` prints
on this machine for the same fabric and configuration. Then configurations that must be refused, and
images that do what must not be done. A line is printed for each case, with the figures of the image
itself; the exit status is 1 if one failed. NAME leaves out all but the cases with that in their name.
"""
import argparse
import concurrent.futures
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FLASH_BYTES = 64 << 20  # QEMU takes a bank as a whole.
ERASED_BYTES = 1 << 20  # More than a board reads; the rest of the file stays a hole.
QEMU = {
    "arm64": ["qemu-system-aarch64", "-cpu", "cortex-a53"],
    "arm32": ["qemu-system-arm", "-cpu", "cortex-a15"],
}
SIZE = {"arm64": "aarch64-linux-gnu-size", "arm32": "arm-linux-gnueabihf-size"}
WELL, CONFIGURATION, TRAP, HEAP = 0, 6, 71, 72  # platform/bare/exit.h
CASES = []


class Wrong(Exception):
    """What is not as it should be, in a sentence."""


def Case(function):
    CASES.append(function)
    return function


def Require(holds, sentence, text=""):
    if not holds:
        raise Wrong(sentence + (":\n" + text if text else ""))


class Bench:
    """Programs, keys and blobs; and a machine to switch on."""

    def __init__(self, build, work, image):
        self.build, self.image = build, image
        self.work = os.path.join(work, image)
        os.makedirs(self.work, exist_ok=True)
        self.elf = self.Elf("qemu_virt_" + image)
        self.conf = os.path.join(ROOT, "board", "qemu_virt", "opensm.conf")
        self.key = os.path.join(build, "keys", "board.pem")

    def Elf(self, name):
        return os.path.join(self.build, "bare-" + self.image, "bin", name + ".elf")

    def Host(self, program, *arguments):
        path = os.path.join(self.build, "release", "bin", program)
        run = subprocess.run([path, *arguments], capture_output=True, text=True, timeout=120)
        Require(run.returncode == 0, f"{program} ended with {run.returncode}", run.stdout + run.stderr)
        return run.stdout

    def Blob(self, name="board", key=None, sign=True):
        path = os.path.join(self.work, name + ".blob")
        signer = ["--key", key or self.key] if sign else []
        self.Host("emberc", "compile", self.conf, "-o", path, "--counter", "7", *signer)
        with open(path, "rb") as file:
            return file.read()

    def Flash(self, octets, name):
        path = os.path.join(self.work, name + ".flash")
        with open(path, "wb") as file:
            file.write(octets + b"\xff" * (ERASED_BYTES - len(octets)))
            file.truncate(FLASH_BYTES)
        return path

    def Run(self, elf, flash=None):
        """What the machine said, and its exit status. Instructions are counted, so time is exact."""
        command = QEMU[self.image] + ["-M", "virt", "-m", "128", "-display", "none", "-serial", "stdio",
                                      "-monitor", "none", "-nic", "none", "-semihosting",
                                      "-icount", "shift=0,sleep=off", "-kernel", elf]
        if flash:
            command += ["-drive", f"if=pflash,unit=1,format=raw,readonly=on,file={flash}"]
        try:
            run = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=100)
        except subprocess.TimeoutExpired as slow:
            raise Wrong("it did not end in 100 s: " + str(slow.stdout)) from slow
        said = run.stdout.decode("utf-8", "replace").replace("\r\n", "\n")
        return said, run.returncode

    def RunBoard(self, octets, name):
        flash = self.Flash(octets, name)
        try:
            return self.Run(self.elf, flash)
        finally:
            os.remove(flash)


def Comparable(text):
    """The summary without what depends on the machine: times of its own work, sizes of its tables."""
    begin = text.index("SUBNET UP\n")
    lines = text[begin:text.index("static memory\n")].splitlines()
    lines = [line for line in lines
             if not re.match(r"  (computed in|verified in|longest step) ", line)]
    return [re.sub(r", own work .*", "", line) for line in lines]


def Figure(said, pattern):
    found = re.search(pattern, said, re.MULTILINE)
    Require(found, f"nothing is said of {pattern}", said)
    return [int(number) for number in found.groups()]


@Case
def BringUpAsOnTheHost(bench):
    blob = bench.Blob()
    said, status = bench.RunBoard(blob, "board")
    Require(status == WELL and said.endswith("verdict: passed\n"), f"exit status {status}", said)
    Require("configuration: running with supplied blob, counter 7" in said, "another configuration", said)
    fabric = re.search(r"^fabric: (\S+)$", said, re.MULTILINE).group(1)
    public = os.path.join(bench.build, "keys", "board.pub")
    host = bench.Host("embersm", f"--sim={fabric}", "--once", "--log=error", "--public-key", public,
                      "--blob", os.path.join(bench.work, "board.blob"))
    ours, theirs = Comparable(said), Comparable(host)
    Require(ours == theirs, "the summary differs from the host's",
            "\n".join(ours + ["--- host:"] + theirs))
    Require(len(ours) > 20, "the summary is short", said)
    switches = Figure(said, r"^  switches +(\d+)$")[0]
    Require(switches >= 64, f"only {switches} switches", said)
    reached, asked = Figure(said, r"^after a cable was cut: (\d+) of (\d+) routes")
    Require(reached == asked > 0, "routes are lost", said)

    again, status = bench.RunBoard(blob, "again")
    Require((again, status) == (said, WELL), "a second run says something else", again)

    deep, stack = Figure(said, r"^stack: (\d+) of (\d+) bytes$")
    Require(512 < deep <= stack // 2, f"the stack was {deep} of {stack} octets deep", said)
    step_us, step = Figure(said, r"^longest step: (\d+) us, (\d+) instructions$")
    table = subprocess.run([SIZE[bench.image], "-A", bench.elf], capture_output=True, text=True,
                           check=True).stdout
    sizes = dict(re.findall(r"^\.(text|rodata|data|bss) +(\d+)", table, re.MULTILINE))
    sizes = ", ".join(f"{name} {size}" for name, size in sizes.items())
    return (f"{sizes} bytes; stack {deep} of {stack} bytes; longest step {step} instructions "
            f"({step_us} us)")


def Refused(bench, octets, name, sentence):
    said, status = bench.RunBoard(octets, name)
    Require(status == CONFIGURATION, f"exit status {status}", said)
    Require(f"configuration: the one in flash is refused: {sentence}" in said,
            f"it does not say \"{sentence}\"", said)
    Require("SUBNET UP" not in said and said.endswith("verdict: FAILED\n"), "it went on", said)


@Case
def ForgedConfigurationIsRefused(bench):
    blob = bytearray(bench.Blob("forged"))
    blob[len(blob) // 2] ^= 1
    Refused(bench, bytes(blob), "forged", "tampered with: the signature does not fit")


@Case
def DamagedSignatureIsRefused(bench):
    blob = bytearray(bench.Blob("damaged"))
    blob[-1] ^= 0x80
    Refused(bench, bytes(blob), "damaged", "tampered with: the signature does not fit")


@Case
def TruncatedConfigurationIsRefused(bench):
    blob = bench.Blob("truncated")
    Refused(bench, blob[:-200], "truncated", "truncated: it ends before its header says")


@Case
def UnsignedConfigurationIsRefused(bench):
    Refused(bench, bench.Blob("unsigned", sign=False), "unsigned", "not signed")


@Case
def AnotherSignerIsRefused(bench):
    private = os.path.join(bench.work, "other.pem")
    bench.Host("emberc", "keygen", "--force", "--private", private, "--public", private + ".pub")
    Refused(bench, bench.Blob("other", private), "other", "signed by another key than the one trusted here")


@Case
def ErasedFlashIsRefused(bench):
    Refused(bench, b"", "erased", "there is no configuration blob")


@Case
def RubbishIsRefused(bench):
    Refused(bench, bytes(range(7, 200)) * 40, "rubbish", "this is no configuration blob")


@Case
def ALengthBeyondTheFlashIsRefused(bench):
    blob = bytearray(bench.Blob("endless"))
    blob[16:20] = b"\xff\xff\xff\xf0"
    Refused(bench, bytes(blob), "endless", "truncated: it ends before its header says")


def Ends(bench, name, said_first, status, sentence):
    said, ended = bench.Run(bench.Elf(name))
    Require(ended == status, f"exit status {ended}", said)
    Require(re.fullmatch(said_first + sentence + r"\n", said), "it says something else", said)


@Case
def StackOverflowIsReported(bench):
    Ends(bench, "stack_overflow", "going down\n", TRAP,
         r"stack overflow: trap \d+, syndrome 0x[0-9a-f]+, at 0x40[0-9a-f]+, address 0x3ff[0-9a-f]+")


@Case
def LateAllocationIsReported(bench):
    Ends(bench, "late_allocation", "lent\n", HEAP, r"heap: 4 octets are asked for after composition")


@Case
def TheProgramCannotBeWritten(bench):
    Ends(bench, "write_to_program", "writing\n", TRAP,
         r"trap \d+, syndrome 0x[0-9a-f]+, at 0x[0-9a-f]+, address 0x40200000")


@Case
def ANullPointerIsReported(bench):
    Ends(bench, "null_pointer", "reading\n", TRAP,
         r"trap \d+, syndrome 0x[0-9a-f]+, at 0x[0-9a-f]+, address 0x0")


def Judge(case, bench):
    try:
        return None, case(bench)
    except (Wrong, OSError, subprocess.SubprocessError, ValueError, KeyError, AttributeError) as wrong:
        return f"{type(wrong).__name__}: {wrong}", None


def Main():
    parser = argparse.ArgumentParser(description="Runs the bare-metal images in QEMU.")
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--images", default="arm64,arm32")
    arguments = parser.parse_args()
    work = os.path.join(arguments.build, "bare-check")
    chosen = [(image, case) for image in arguments.images.split(",") for case in CASES
              if not arguments.names or any(name in case.__name__ for name in arguments.names)]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        benches = {image: Bench(arguments.build, work, image) for image, _ in chosen}
        runs = [(image, case, pool.submit(Judge, case, benches[image])) for image, case in chosen]
        for image, case, run in runs:
            wrong, figures = run.result()
            failed += wrong is not None
            name = f"{image}.{case.__name__}"
            print(f"{'FAILED' if wrong else 'ok    '} {name}" + (f": {figures}" if figures else ""))
            if wrong:
                print("    " + wrong.replace("\n", "\n    "))
    print(f"{len(chosen) - failed} passed, {failed} failed")
    return 1 if failed or not chosen else 0


if __name__ == "__main__":
    sys.exit(Main())

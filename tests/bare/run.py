#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# EmberSM: runs the bare-metal images in QEMU and judges what they say over the serial line.
"""Usage: run.py [--build DIR] [--images arm64,arm32] [NAME...]

Each image brings up its simulated fabric; its summary must be the one that `embersm --sim --once` prints
on this machine for the same fabric and configuration, and so behind a mailbox. Then what survives a
restart, or an end at any moment; configurations that must be refused; and images that do what must not
be done. A line is printed for each case, with the figures of the image
itself; the exit status is 1 if one failed. NAME leaves out all but the cases with that in their name.
"""
import argparse
import concurrent.futures
import os
import random
import re
import signal
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FLASH_BYTES = 64 << 20  # QEMU takes a bank as a whole.
STATE_BYTES = 4 << 20  # platform/bare/machine.h: the state stands behind the configuration.
STATE_AT = 2 << 20
ERASED_BYTES = STATE_AT + STATE_BYTES  # The rest of the file stays a hole.
QEMU = {
    "arm64": ["qemu-system-aarch64", "-cpu", "cortex-a53"],
    "arm32": ["qemu-system-arm", "-cpu", "cortex-a15"],
}
SIZE = {"arm64": "aarch64-linux-gnu-size", "arm32": "arm-linux-gnueabihf-size"}
WELL, CONFIGURATION, TRAP, HEAP = 0, 6, 71, 72  # platform/bare/exit.h
MAX_TRIAL_STARTS = 2  # config/blob/trial_record.h
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

    def Blob(self, name="board", key=None, sign=True, counter=7, more=""):
        """The board's configuration, signed; `more` are lines of it for this case."""
        path, conf = os.path.join(self.work, name + ".blob"), os.path.join(self.work, name + ".conf")
        with open(self.conf, encoding="utf-8") as given, open(conf, "w", encoding="utf-8") as file:
            file.write(given.read() + more)
        signer = ["--key", key or self.key] if sign else []
        self.Host("emberc", "compile", "--no-default-files", conf, "-o", path, "--counter",
                  str(counter), *signer)
        with open(path, "rb") as file:
            return file.read()

    def Flash(self, octets, name, state=b""):
        path = os.path.join(self.work, name + ".flash")
        with open(path, "wb") as file:
            file.write((octets.ljust(STATE_AT, b"\xff") + state).ljust(ERASED_BYTES, b"\xff"))
            file.truncate(FLASH_BYTES)
        return path

    def Tidy(self):
        for name in os.listdir(self.work):
            if name.endswith(".flash"):
                os.remove(os.path.join(self.work, name))

    @staticmethod
    def Put(flash, octets):
        """Another configuration, as who provisions the switch writes it; the state stays."""
        with open(flash, "r+b") as file:
            file.write(octets.ljust(STATE_AT, b"\xff"))

    def Command(self, elf, flash=None, readonly=False):
        """Instructions are counted, so time is exact."""
        command = QEMU[self.image] + ["-M", "virt", "-m", "128", "-display", "none", "-serial", "stdio",
                                      "-monitor", "none", "-nic", "none", "-semihosting",
                                      "-icount", "shift=0,sleep=off", "-kernel", elf]
        if flash:
            mode = "on" if readonly else "off"
            command += ["-drive", f"if=pflash,unit=1,format=raw,readonly={mode},file={flash}"]
        return command

    def Run(self, elf, flash=None, readonly=False):
        """What the machine said, and its exit status."""
        command = self.Command(elf, flash, readonly)
        try:
            run = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=100)
        except subprocess.TimeoutExpired as slow:
            raise Wrong("it did not end in 100 s: " + str(slow.stdout)) from slow
        said = run.stdout.decode("utf-8", "replace").replace("\r\n", "\n")
        return said, run.returncode

    def CutOff(self, elf, flash, after, wait_s=0.0):
        """The machine loses its power `wait_s` after it said `after`; what it had said then."""
        run = subprocess.Popen(self.Command(elf, flash), stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        said = b""
        try:
            until = time.monotonic() + 100
            while after.encode() not in said and time.monotonic() < until:
                octets = os.read(run.stdout.fileno(), 4096)
                if not octets:
                    break
                said += octets
            time.sleep(wait_s)
        finally:
            run.send_signal(signal.SIGKILL)
            said += run.stdout.read()
            run.wait()
        said = said.decode("utf-8", "replace").replace("\r\n", "\n")
        Require(after in said, f"it did not say \"{after}\"", said)
        return said

    def RunBoard(self, octets, name):
        flash = self.Flash(octets, name)
        try:
            return self.Run(self.elf, flash)
        finally:
            os.remove(flash)

    def HostSays(self, said):
        """The summary of embersm for the fabric and the blob "board" that the image spoke of."""
        fabric = re.search(r"^fabric: (\S+)$", said, re.MULTILINE).group(1)
        public = os.path.join(self.build, "keys", "board.pub")
        return self.Host("embersm", f"--sim={fabric}", "--once", "--log=error", "--public-key", public,
                         "--blob", os.path.join(self.work, "board.blob"))


def Comparable(text):
    """The summary without what depends on the machine: times of its own work, sizes of its tables.

    A smaller board shares its rows out by port sooner, and asks some nodes by more than one.
    """
    begin = text.index("\nSUBNET UP\n") + 1 if not text.startswith("SUBNET UP\n") else 0
    lines = text[begin:text.index("static memory\n")].splitlines()
    lines = [line for line in lines
             if not re.match(r"  (computed in|verified in|longest step|sent|answered|NodeInfo|"
                             r"to SUBNET UP|discovering|preparing|programming|activating) ", line)]
    return [re.sub(r", own work .*", "", line) for line in lines]


def Figure(said, pattern):
    found = re.search(pattern, said, re.MULTILINE)
    Require(found, f"nothing is said of {pattern}", said)
    return [int(number) for number in found.groups()]


def SaysWhatTheHostSays(bench, said):
    ours, theirs = Comparable(said), Comparable(bench.HostSays(said))
    Require(ours == theirs, "the summary differs from the host's",
            "\n".join(ours + ["--- host:"] + theirs))
    Require(len(ours) > 15, "the summary is short", said)
    switches = Figure(said, r"^  switches +(\d+)$")[0]
    Require(switches >= 64, f"only {switches} switches", said)
    reached, asked = Figure(said, r"^after a cable was cut: (\d+) of (\d+) routes")
    Require(reached == asked > 0, "routes are lost", said)


@Case
def BringUpAsOnTheHost(bench):
    blob = bench.Blob()
    said, status = bench.RunBoard(blob, "board")
    Require(status == WELL and said.endswith("verdict: passed\n"), f"exit status {status}", said)
    Require("configuration: running with supplied blob, counter 7" in said, "another configuration", said)
    SaysWhatTheHostSays(bench, said)

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


@Case
def BehindAMailboxAsOnTheHost(bench):
    bench.Blob()
    said, status = bench.Run(bench.Elf("qemu_virt_mailbox"), bench.Flash(bench.Blob("mailbox"), "mailbox"))
    Require(status == WELL, f"exit status {status}", said)
    SaysWhatTheHostSays(bench, said)
    counts = Figure(said, r"^mailbox: (\d+) sent, (\d+) received, (\d+) dropped, (\d+) lost, (\d+) resets$")
    Require(counts[0] > 3000 and counts[1] > 3000 and counts[2:] == [0, 0, 1], "the mailbox erred", said)
    return f"{counts[0]} datagrams sent and {counts[1]} received through the rings"


def Digest(said):
    found = re.search(r"^LIDs: digest ([0-9a-f]+)$", said, re.MULTILINE)
    Require(found, "there is no digest of the LIDs", said)
    return found.group(1)


def Boots(bench, flash, state, configuration):
    """A whole run that must go well, and say these; returns the digest of its LIDs."""
    said, status = bench.Run(bench.elf, flash)
    Require(status == WELL, f"exit status {status}", said)
    Require(f"state: the flash {state}\n" in said, f"the state is not \"{state}\"", said)
    Require(f"configuration: {configuration}" in said, f"not \"{configuration}\"", said)
    return Digest(said)


AS_LEFT = "is as it was left"
BLANK = "was blank, and was formatted"


@Case
def WhatWasLearnedSurvivesARestart(bench):
    """LIDs given in another order show whether those of the first start were kept."""
    first = bench.Blob("first", counter=7, more="order guid\n")
    second = bench.Blob("second", counter=8)
    other = Boots(bench, bench.Flash(second, "fresh"), BLANK, "running with supplied blob, counter 8")
    flash = bench.Flash(first, "kept")
    began = time.monotonic()
    digest = Boots(bench, flash, BLANK, "running with supplied blob, counter 7")
    took_s = time.monotonic() - began
    Require(digest != other, "the order of LIDs makes no difference")

    bench.Put(flash, second)
    draw = random.Random(bench.image)
    cut = bench.CutOff(bench.elf, flash, "entropy:", draw.uniform(0, took_s))
    Require("state: the flash" not in cut or AS_LEFT in cut, "the state is not as it was left", cut)
    again = Boots(bench, flash, AS_LEFT, "running with supplied blob, counter 8")
    Require(again == digest, f"LIDs were forgotten: {digest}, then {again}")

    bench.Put(flash, first)
    again = Boots(bench, flash, AS_LEFT, "running with last good blob, counter 8; the supplied blob was refused")
    Require(again == digest, f"LIDs were forgotten: {digest}, then {again}")

    # A configuration with which no start comes to its end is given up, for the one before.
    bench.Put(flash, bench.Blob("third", counter=9, more="order opensm\n"))
    for start in range(MAX_TRIAL_STARTS):
        bench.CutOff(bench.elf, flash, "counter 9; on trial: waits for SUBNET UP")
    said = bench.CutOff(bench.elf, flash, "fabric:")
    Require("running with last good blob, counter 8" in said, "the trial was not given up", said)
    return f"LIDs {digest}, {other} without the store"


@Case
def AnEndAtAnyMomentLosesNothingThatWasKept(bench):
    elf, flash = bench.Elf("keep_counting"), bench.Flash(b"", "counting")
    draw = random.Random(bench.image)
    kept, ends_between = 0, 0
    for start in range(12):
        # At first while the flash is being formatted.
        after, wait_s = ("begin", 0.04 * start) if start < 3 else ("found", draw.uniform(0, 0.3))
        said = bench.CutOff(elf, flash, after, wait_s)
        said = said[:said.rfind("\n") + 1]  # The last line may have been cut as well.
        found = re.search(r"^found (\d+)$", said, re.MULTILINE)
        if not found:
            continue
        numbers = [int(number) for number in re.findall(r"^kept (\d+)$", said, re.MULTILINE)]
        Require(kept <= int(found.group(1)) <= kept + 1, f"{kept} was kept", said)
        kept = numbers[-1] if numbers else int(found.group(1))
        ends_between += int(found.group(1)) != 0
    Require(kept > 0 and ends_between > 0, "nothing was ever kept")
    return f"{kept} saves, ended {ends_between} times"


@Case
def RubbishInTheStateIsReplaced(bench):
    rubbish = random.Random(1).randbytes(STATE_BYTES)
    flash = bench.Flash(bench.Blob("rubbish"), "rubbish-state", rubbish)
    Boots(bench, flash, "held something else, and was erased and formatted", "running with supplied blob, counter 7")
    with open(flash, "rb") as file:
        Require(file.read(STATE_AT).rstrip(b"\xff") == bench.Blob("rubbish"), "the configuration was written to")


@Case
def WithoutAFlashToWriteToItGoesOn(bench):
    flash = bench.Flash(bench.Blob("readonly"), "readonly")
    said, status = bench.Run(bench.elf, flash, readonly=True)
    Require(status == WELL, f"exit status {status}", said)
    Require("state: the flash cannot be formatted; nothing will survive a restart\n" in said, "no word on it", said)


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
def TheConfigurationCannotBeWritten(bench):
    Ends(bench, "write_to_configuration", "writing\n", TRAP,
         r"trap \d+, syndrome 0x[0-9a-f]+, at 0x[0-9a-f]+, address 0x41ffffc")


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
    for bench in benches.values():
        bench.Tidy()
    print(f"{len(chosen) - failed} passed, {failed} failed")
    return 1 if failed or not chosen else 0


if __name__ == "__main__":
    sys.exit(Main())

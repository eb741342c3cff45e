#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# EmberSM: a bring-up on another processor is this machine's own, octet for octet.
"""Usage: equal.py [--short] --native BUILD --cross BUILD

Both builds bring up the same simulated fabrics from the same signed configuration, which the native
emberc wrote. What they print, dump and keep must be equal: the summary but for the processor time
and memory it tells, each dump file (LIDs, forwarding tables, routes, groups), and each file in the
state directory. Where the cross build has an emberc, that one must write, verify and show the same
blobs and plan the same routes. Prints a line for each fabric; the exit status is 1 if one differed.
"""
import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

# Name, shape, opensm.conf.
FABRICS = [
    ("fat-tree", "ft3:8", "order opensm\nrouting_engine ftree\n"),
    ("torus", "torus:4x4x4", "lmc 1\nrouting_engine dor,updn\nsm_priority 9\n"),
    ("hypercube", "hypercube:6",
     "order opensm\nrouting_engine minhop\nsubnet_prefix 0xfe80000000000001\n"),
    ("large", "ft3:16", "order balanced\n"),
]
SHORT = 2  # So many of them.
TIMEOUT_S = 240
# A configuration is confirmed when the subnet has been up for ten seconds: a matter of speed.
TRIAL = ("state/configuration-counter", "state/configuration-trial")
CLOCKED = re.compile(r"^  (computed in|verified in|longest step) .*\n?|, own work .*$", re.M)


class Wrong(Exception):
    """What differs, or what did not work, in one sentence."""


class Build:
    """The programs of a build directory, and what they are started with."""

    def __init__(self, directory):
        self.directory = os.path.abspath(directory)
        self.emulator = []
        with open(os.path.join(self.directory, "CMakeCache.txt"), encoding="utf-8") as cache:
            for line in cache:
                if line.startswith("EMBER_EMULATOR:INTERNAL="):
                    self.emulator = line.strip().split("=", 1)[1].split(";")

    def Has(self, program):
        return os.access(os.path.join(self.directory, "bin", program), os.X_OK)

    def Command(self, program, *arguments):
        return [*self.emulator, os.path.join(self.directory, "bin", program), *arguments]


CREDIT_LOOP = 8  # The exit status of a plan whose routing may deadlock.


def Emberc(build, *words, statuses=(0,)):
    """What emberc prints; it must end with one of these exit statuses."""
    done = subprocess.run(build.Command("emberc", *words), capture_output=True, text=True,
                          check=False, timeout=TIMEOUT_S)
    if done.returncode not in statuses:
        raise Wrong("emberc %s: %s" % (words[0], done.stderr.strip()[-300:]))
    return done.stdout


def Compile(native, directory, configuration):
    """The signed blob and the public key, as this machine's emberc writes them."""
    source, blob, private, public = (os.path.join(directory, name) for name in
                                     ("opensm.conf", "blob", "key.pem", "key.pub"))
    with open(source, "w", encoding="utf-8") as file:
        file.write(configuration)
    Emberc(native, "keygen", "--private", private, "--public", public)
    Emberc(native, "compile", "--no-default-files", source, "-o", blob, "--key", private)
    return blob, public


def OnPaper(build, directory, shape, public):
    """{what: octets} of an emberc, from the opensm.conf and the key of `directory`."""
    source, private, blob, netlist = (os.path.join(directory, name) for name in
                                      ("opensm.conf", "key.pem", "again", "netlist"))
    told = Emberc(build, "compile", "--no-default-files", source, "-o", blob, "--key", private, "--counter", "7")
    with open(blob, "rb") as file:
        found = {"blob": file.read()}
    Emberc(build, "fabric", *shape.split(":"), "-o", netlist)
    with open(netlist, "rb") as file:
        found["netlist"] = file.read()
    plan = json.loads(Emberc(build, "plan", "-f", netlist, "-c", source, "--bisections", "50",
                             "--quiet", "--json", "-", statuses=(0, CREDIT_LOOP)))
    del plan["boards"]  # Pointers have other sizes elsewhere.
    found["plan"] = json.dumps(plan, indent=1).encode()
    found["words"] = (told + Emberc(build, "verify", blob, "--public-key", public) +
                      Emberc(build, "show", "--all", blob)).encode()
    return found


def WaitUp(process, output):
    end = time.monotonic() + TIMEOUT_S
    while b"together" not in open(output, "rb").read():  # The summary's last line.
        if process.poll() is not None:
            raise Wrong("embersm ended with status %d: %s" %
                        (process.returncode, open(output, errors="replace").read()[-300:]))
        if time.monotonic() > end:
            raise Wrong("no summary within %d s" % TIMEOUT_S)
        time.sleep(0.05)


def BringUp(build, directory, shape, blob, public):
    """Runs until SUBNET UP, dumps, ends; returns {file: octets} with the summary among them."""
    for name in ("state", "dumps"):
        os.makedirs(os.path.join(directory, name))
    output = os.path.join(directory, "output")
    with open(output, "wb") as file:
        process = subprocess.Popen(
            build.Command("embersm", "--sim=" + shape, "--seed", "7", "--blob", blob, "--public-key",
                          public, "--state-dir", "state", "--socket", "socket", "--log", "error"),
            cwd=directory, stdin=subprocess.DEVNULL, stdout=file, stderr=file)
    try:
        WaitUp(process, output)
        done = subprocess.run(build.Command("emberctl", "--socket", "socket", "dump", "dumps"),
                              cwd=directory, capture_output=True, text=True, check=False,
                              timeout=TIMEOUT_S)
        if done.returncode != 0:
            raise Wrong("emberctl dump: %s" % (done.stderr or done.stdout).strip()[-300:])
        process.send_signal(signal.SIGTERM)
        if process.wait(TIMEOUT_S) != 0:
            raise Wrong("embersm ended with status %d" % process.returncode)
    finally:
        process.kill()
        process.wait()
    with open(output, encoding="utf-8") as file:
        summary = CLOCKED.sub("", file.read().split("\nstatic memory\n")[0])
    files = {"summary": summary.encode()}
    for folder in ("state", "dumps"):
        for place, _, names in os.walk(os.path.join(directory, folder)):
            for name in names:
                path = os.path.join(place, name)
                with open(path, "rb") as file:
                    files[os.path.relpath(path, directory)] = file.read()
    return files


def Compare(native, cross):
    """What is equal, in words."""
    if {name for name in TRIAL if name in native} != {name for name in TRIAL if name in cross}:
        native, cross = ({name: octets for name, octets in files.items() if name not in TRIAL}
                         for files in (native, cross))
    if set(native) != set(cross):
        raise Wrong("other files: %s" % " ".join(sorted(set(native) ^ set(cross))))
    for name, octets in native.items():
        if cross[name] != octets:
            at = next((i for i, pair in enumerate(zip(octets, cross[name])) if pair[0] != pair[1]),
                      min(len(octets), len(cross[name])))
            raise Wrong("%s differs from octet %d on: %r here, %r there" %
                        (name, at, octets[at:at + 40], cross[name][at:at + 40]))
    return "%d files, %d octets are equal" % (len(native), sum(map(len, native.values())))


def Case(native, cross, shape, configuration):
    directory = tempfile.mkdtemp(prefix="equal.", dir=os.path.join(native.directory, ".."))
    try:
        blob, public = Compile(native, directory, configuration)
        found = []
        for name, build in (("native", native), ("cross", cross)):
            os.makedirs(os.path.join(directory, name))
            found.append(BringUp(build, os.path.join(directory, name), shape, blob, public))
        if "SUBNET UP" not in found[0]["summary"].decode() or len(found[0]) < 5:
            raise Wrong("there is too little to compare: %s" % " ".join(found[0]))
        if cross.Has("emberc"):
            for files, build in zip(found, (native, cross)):
                files.update(OnPaper(build, directory, shape, public))
        return Compare(*found)
    finally:
        shutil.rmtree(directory)


def Main():
    parser = argparse.ArgumentParser(description="Compares bring-ups on two processors.")
    parser.add_argument("--short", action="store_true", help="only the first %d fabrics" % SHORT)
    parser.add_argument("--native", required=True, metavar="BUILD")
    parser.add_argument("--cross", required=True, metavar="BUILD")
    arguments = parser.parse_args()
    native, cross = Build(arguments.native), Build(arguments.cross)
    fabrics = FABRICS[:SHORT] if arguments.short else FABRICS
    failed = 0
    for name, shape, configuration in fabrics:
        begun = time.monotonic()
        try:
            verdict, good = Case(native, cross, shape, configuration), True
        except (Wrong, OSError, subprocess.SubprocessError) as reason:
            verdict, good = str(reason), False
        failed += not good
        print("%-6s %-16s %5.1f s  %s" % ("ok" if good else "FAILED", name,
                                         time.monotonic() - begun, verdict), flush=True)
    print("%d passed, %d failed" % (len(fabrics) - failed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(Main())

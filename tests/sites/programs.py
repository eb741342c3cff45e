# SPDX-License-Identifier: Apache-2.0
# EmberSM: runs emberc, embersm and emberctl on a site's files.
import json
import os
import re
import shutil
import subprocess
import tempfile
import time

import ibsim
import walk

CRASH = re.compile(r"panic|Sanitizer|runtime error:|Assertion|Segmentation|terminate called", re.I)
ORDERLY = (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10)


class Done:
    """How a program ended, and how one calls it again."""

    def __init__(self, command, status, out, err, folder):
        self.status, self.out, self.err = status, out, err
        self.call = "cd %s; %s" % (folder, " ".join(
            "'%s'" % word if re.search(r"[\s']", word) else word
            for word in [os.path.basename(command[0]), *command[1:]]))

    @property
    def crash(self):
        for line in (self.err + "\n" + self.out).split("\n"):
            if CRASH.search(line):
                return line.strip()
        if self.status in ORDERLY:
            return ""
        return self.err.strip()[-200:] or "exit status %s" % self.status

    def Json(self):
        try:
            return json.loads(self.out)
        except ValueError:
            return None

    def Errors(self):
        lines = (self.err + self.out).strip().split("\n")
        return " / ".join([line for line in lines if "error" in line][:3] or lines[-2:])[:300]


class Programs:
    """`slow` is by how much longer these programs take than released ones."""

    def __init__(self, build, work, slow):
        self.build, self.work, self.slow = build, work, slow
        self.private, self.public = (os.path.join(work, name) for name in ("key.pem", "key.pub"))
        self.sockets = tempfile.mkdtemp(prefix="ember-sites.")
        os.makedirs(work, exist_ok=True)

    def Path(self, name):
        return os.path.join(self.build, "bin", name)

    def MakeKeys(self):
        if not os.path.exists(self.private):
            subprocess.run([self.Path("emberc"), "keygen", "--private", self.private, "--public",
                            self.public], check=True, capture_output=True)

    def Run(self, folder, name, *words, timeout_s=300):
        command = [self.Path(name), *map(str, words)]
        try:
            ended = subprocess.run(command, cwd=folder, capture_output=True, text=True,
                                   errors="replace", timeout=timeout_s * self.slow, check=False,
                                   stdin=subprocess.DEVNULL, preexec_fn=ibsim.DieWithParent)
        except subprocess.TimeoutExpired:
            return Done(command, -1, "", "no end after %d s" % (timeout_s * self.slow), folder)
        return Done(command, ended.returncode, ended.stdout, ended.stderr, folder)

    def Compile(self, folder, configuration, blob, counter, timeout_s=300):
        return self.Run(folder, "emberc", "compile", "--no-default-files", configuration, "-o",
                        blob, "--key", self.private, "--counter", counter, timeout_s=timeout_s)

    def Close(self):
        shutil.rmtree(self.sockets, ignore_errors=True)


class Manager:
    """embersm on a simulated fabric, in its own process; `now.blob` is what it runs."""

    BLOB, LOG = "now.blob", "manager.log"

    def __init__(self, programs, folder, fabric, port_guid, state):
        self._programs, self._folder = programs, folder
        self._socket = os.path.join(programs.sockets, os.path.basename(folder)[:60])
        self._log = open(os.path.join(folder, Manager.LOG), "ab")
        words = [programs.Path("embersm"), "--sim=" + fabric, "--guid", port_guid, "--blob",
                 Manager.BLOB, "--public-key", programs.public, "--socket", self._socket,
                 "--state-dir", state]
        self.call = Done(words, 0, "", "", folder).call
        self._process = subprocess.Popen(words, cwd=folder, stdin=subprocess.DEVNULL,
                                         stdout=self._log, stderr=self._log,
                                         preexec_fn=ibsim.DieWithParent)

    def Control(self, *words, timeout_s=60):
        return self._programs.Run(self._folder, "emberctl", "--socket", self._socket, *words,
                                  timeout_s=timeout_s)

    def Ask(self, *words):
        return self.Control("--json", *words).Json() or {}

    def Wait(self, holds, timeout_s):
        """The status, when it holds or the time is over."""
        end = time.monotonic() + timeout_s * self._programs.slow
        while time.monotonic() < end and self.is_running:
            status = self.Ask("status")
            if status.get("ok") and holds(status):
                return status
            time.sleep(0.1)
        return self.Ask("status") if self.is_running else {}

    @property
    def is_running(self):
        return self._process.poll() is None

    def Dump(self, name, timeout_s=120):
        """(tables, LIDs) as emberctl dump tells them, or None."""
        folder = os.path.join(self._folder, name)
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        for _ in range(4):  # A sweep ends a dump.
            done = self.Control("dump", folder, timeout_s=timeout_s)
            if done.status == 0 or not self.is_running:
                break
            time.sleep(2)
        path = os.path.join(folder, "opensm-lfts.dump")
        tables = walk.ReadDump(path) if done.status == 0 and os.path.exists(path) else None
        shutil.rmtree(folder, ignore_errors=True)
        return tables

    def Stop(self):
        if self.is_running:
            self._process.terminate()
            try:
                self._process.wait(30 * self._programs.slow)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        if not self._log.closed:
            self._log.close()
        return self._process.returncode

    @property
    def crash(self):
        """The line in which it died, or why it is known that it did."""
        with open(os.path.join(self._folder, Manager.LOG), errors="replace") as log:
            for line in log:
                if CRASH.search(line):
                    return line.strip()[:300]
        status = self._process.poll()
        return "" if status in (None,) + ORDERLY else "exit status %s" % status

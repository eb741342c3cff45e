# SPDX-License-Identifier: Apache-2.0
# EmberSM: cases: the metrics go the whole way, through node_exporter into Prometheus.
"""Debian's own programs, on ports of the loopback that were free, each in a folder of its own."""
import http.client
import json
import os
import socket
import subprocess
import time
import urllib.parse

import ibsim
from cases import Named
from checks import Expect

SCRAPE_S = 1
PATIENCE_S = 30


def FreePort():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Daemon:
    """A program that answers HTTP; ended by its number."""

    def __init__(self, directory, name, command):
        self.name, self.port = name, FreePort()
        self.log = open(os.path.join(directory, name + ".log"), "wb")
        self.process = subprocess.Popen(
            [*command, "--web.listen-address=127.0.0.1:%d" % self.port], cwd=directory,
            stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log,
            preexec_fn=ibsim.DieWithParent)

    def Get(self, path):
        """The page, or nothing while it does not listen yet."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        try:
            connection.request("GET", path)
            answer = connection.getresponse()
            return answer.read().decode() if answer.status == 200 else None
        except ConnectionRefusedError:
            Expect(self.process.poll() is None, "%s ended with status %s", self.name,
                   self.process.returncode)
            return None
        finally:
            connection.close()

    def End(self):
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.log.close()


def Await(question, what):
    """What `question` returns, as soon as it is anything."""
    end = time.monotonic() + PATIENCE_S
    while True:
        answer = question()
        if answer:
            return answer
        Expect(time.monotonic() < end, "not within %d s: %s", PATIENCE_S, what)
        time.sleep(0.1)


class Prometheus(Daemon):
    CONFIGURATION = """global:
  scrape_interval: %ds
scrape_configs:
- job_name: node
  static_configs:
  - targets: ['127.0.0.1:%d']
"""

    def __init__(self, directory, exporter):
        with open(os.path.join(directory, "prometheus.yml"), "w", encoding="utf-8") as file:
            file.write(self.CONFIGURATION % (SCRAPE_S, exporter.port))
        super().__init__(directory, "prometheus",
                         ["prometheus", "--config.file=prometheus.yml", "--log.level=warn",
                          "--storage.tsdb.path=data"])

    def Query(self, expression):
        """{labels: number} of an instant vector; nothing while it is not there."""
        page = self.Get("/api/v1/query?" + urllib.parse.urlencode({"query": expression}))
        if page is None:
            return {}
        answer = json.loads(page)
        Expect(answer["status"] == "success", "%s: %s", expression, page)
        return {tuple(sorted(one["metric"].items())): float(one["value"][1])
                for one in answer["data"]["result"]}

    def Value(self, expression):
        found = list(self.Query(expression).values())
        Expect(len(found) == 1, "%s has %d values", expression, len(found))
        return found[0]

    def TypeOf(self, name):
        """As it keeps it for who asks, after a scrape."""
        page = self.Get("/api/v1/metadata?" + urllib.parse.urlencode({"metric": name}))
        return [one["type"] for one in json.loads(page)["data"].get(name, [])]


def Lint(page):
    """promtool, which comes with Prometheus, finds nothing to say."""
    done = subprocess.run(["promtool", "check", "metrics"], input=page, capture_output=True,
                          text=True, check=False)
    Expect(done.returncode == 0 and not done.stderr + done.stdout, "promtool: %s",
           (done.stderr + done.stdout)[-300:])


def Compare(context, manager, prometheus, page):
    """What Prometheus has is what the manager says."""
    samples = [line for line in page.splitlines() if not line.startswith("#")]
    subnet = manager.Status()["subnet"]
    for name in ("nodes", "switches", "links", "end_ports", "top_lid"):
        value = prometheus.Value("embersm_" + name)
        Expect(value == subnet[name], "%s: %s, and status says %s", name, value, subnet[name])
    Expect(prometheus.Value('embersm_role{embersm_role="MASTER"}') == 1, "it is no master")
    count = prometheus.Value('count({__name__=~"embersm_.*"})')
    Expect(count == len(samples), "%d of %d samples arrived", count, len(samples))
    Expect(prometheus.TypeOf("embersm_traps_total") == ["counter"], "a counter is none")
    Expect(prometheus.TypeOf("embersm_build_info") == ["gauge"], "the version is no gauge")
    Expect(prometheus.Value("node_textfile_scrape_error") == 0, "the collector complains")
    context.Note("%d samples; embersm_switches is %d in Prometheus", count, subnet["switches"])


@Named("metrics.prometheus", kinds=("embersm",))
def Metrics(context):
    """Debian's node_exporter and Prometheus collect the metrics; they go with the subnet manager."""
    simulator = context.Simulate("single-switch")
    manager = context.Manage(simulator.hosts[0].name, configuration="sweep_interval 0\n")
    folder = os.path.join(context.directory, "textfile")
    os.makedirs(folder)
    page = os.path.join(folder, "embersm.prom")
    # What its collector is given otherwise is the whole machine, which is nothing to us.
    exporter = Daemon(context.directory, "node_exporter",
                      ["prometheus-node-exporter", "--collector.disable-defaults",
                       "--collector.textfile", "--collector.textfile.directory", folder])
    prometheus = Prometheus(context.directory, exporter)
    try:
        manager.WaitUp()
        manager.WaitQuiet()
        manager.Control("metrics", "--output", page)
        with open(page, encoding="utf-8") as file:
            text = file.read()
        Lint(text)
        Await(lambda: prometheus.Query("embersm_switches"), "a scraped value")
        Await(lambda: prometheus.TypeOf("embersm_traps_total"), "a type")
        Compare(context, manager, prometheus, text)
        # The other format is one that this collector takes for an error, and says so.
        manager.Control("metrics", "--openmetrics", "--output", os.path.join(folder, "open.prom"))
        Await(lambda: prometheus.Query("node_textfile_scrape_error == 1"), "an error of OpenMetrics")
        os.unlink(os.path.join(folder, "open.prom"))
        Await(lambda: prometheus.Query("node_textfile_scrape_error == 0"), "an end of the error")
        manager.Stop()
        done = subprocess.run([context.tools.Program("emberctl"), "--socket", manager.SOCKET,
                               "metrics", "--output", page], cwd=manager.directory,
                              capture_output=True, text=True, check=False)
        Expect(done.returncode == 3 and os.listdir(folder) == [], "status %d, and there is %s",
               done.returncode, os.listdir(folder))
        Await(lambda: prometheus.Query("absent(embersm_up)"), "an end of the numbers")
    finally:
        prometheus.End()
        exporter.End()

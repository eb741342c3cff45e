# SPDX-License-Identifier: Apache-2.0
# EmberSM: cases: what emberc plan says on paper is what is there.
import json
import os
import re
import shutil
import struct
import subprocess
import zlib

import checks
import nets
from cases import Add, Named
from checks import Expect


def Emberc(context, *words, status=0):
    """The output of emberc, which must end with that exit status."""
    done = subprocess.run([context.tools.Program("emberc"), *words], capture_output=True,
                          text=True, timeout=100, check=False)
    Expect(done.returncode == status, "emberc %s: exit status %d: %s", " ".join(words),
           done.returncode, done.stderr.strip()[-300:])
    return done.stdout


class PaperNet:
    """A netlist that emberc fabric wrote, in the place of a nets.Net."""

    def __init__(self, text):
        self.text = text

    def Text(self):
        return self.text


CREDIT_LOOP = 8  # The exit status of a plan whose routing may deadlock.


def Configured(context, status):
    """The words of a plan that ends with this status: what auto routes has no credit loop."""
    if status != CREDIT_LOOP:
        return []
    path = os.path.join(context.directory, "minhop.conf")
    with open(path, "w", encoding="utf-8") as file:
        file.write("routing_engine minhop\n")
    return ["-c", path]


def SameAsDiscovered(context, shape, status):
    """A fabric that emberc writes is one to ibsim, and what the real ibnetdiscover finds there
    makes the same plan."""
    text = Emberc(context, "fabric", *shape)
    context.Simulate(PaperNet(text))
    paper = os.path.join(context.directory, "fabric.net")
    found = os.path.join(context.directory, "found.net")
    done = checks.RunTool(context, "ibnetdiscover", node=context.simulator.hosts[0].name,
                          timeout_s=100)
    Expect(done.returncode == 0, "ibnetdiscover: exit status %d", done.returncode)
    with open(found, "w", encoding="utf-8") as file:
        file.write(done.stdout)
    home = context.simulator.hosts[0].name
    plans = []
    for net in (paper, found):
        plans.append(json.loads(Emberc(context, "plan", "-f", net, "--sm", home, "--json", "-",
                                       *Configured(context, status), status=status)))
    one, other = plans
    for part in ("verdict", "all_to_all", "hops", "levels", "load_histogram", "boards"):
        mine, theirs = dict(Plain(one[part])), dict(Plain(other[part]))
        Expect(mine == theirs, "%s differs: %s, discovered: %s", part, mine, theirs)
    context.Note("%d routes planned alike", one["verdict"]["routes"])


def Plain(part):
    """Facts without the names of nodes and of places, which ibnetdiscover tells in other words."""
    rows = part.items() if isinstance(part, dict) else enumerate(part)
    return [(key, value) for key, value in rows if key not in ("busiest", "credit_loop")]


for case_name, case_shape, case_status in (
        ("tree", ("ft2", "6"), 0),
        ("broken-torus", ("torus", "3x4", "--hosts", "2", "--kill-links", "2", "--seed", "5"),
         CREDIT_LOOP)):
    def Run(context, shape=case_shape, status=case_status):
        SameAsDiscovered(context, shape, status)
    Add("plan.discovered-" + case_name, Run, kinds=("embersm",))


@Named("plan.manager", kinds=("embersm",))
def Manager(context):
    """The verdict, routes and hops that a plan promises are those that embersm then reports."""
    context.Simulate(nets.FatTree3(4))
    home = context.simulator.hosts[0].name
    sm = context.Manage(home, configuration="order balanced\n")
    sm.WaitUp()
    routing = sm.Status()["routing"]
    plan = json.loads(Emberc(context, "plan", "-f", os.path.join(context.directory, "fabric.net"),
                             "--sm", home, "--json", "-"))
    for fact in ("engine", "routes", "longer_routes", "max_hops"):
        Expect(plan["verdict"][fact] == routing[fact], "%s is %s, planned %s", fact, routing[fact],
               plan["verdict"][fact])
    context.Note("%d routes as planned", routing["routes"])


class Picture:
    """A PNG file, 8 bits a channel, as rows of octets."""

    def __init__(self, path):
        with open(path, "rb") as file:
            octets = file.read()
        Expect(octets[:8] == b"\x89PNG\r\n\x1a\n", "%s is no PNG", path)
        at, packed = 8, b""
        while at < len(octets):
            length, kind = struct.unpack(">I4s", octets[at:at + 8])
            body = octets[at + 8:at + 8 + length]
            if kind == b"IHDR":
                self.width, self.height, depth, color = struct.unpack(">IIBB", body[:10])
                Expect(depth == 8 and color in (2, 6), "a PNG of another kind")
                self.channels = 3 if color == 2 else 4
            if kind == b"IDAT":
                packed += body
            at += length + 12
        self.rows = self._Unfilter(zlib.decompress(packed))

    def _Unfilter(self, octets):
        stride, size, rows = self.width * self.channels, self.channels, []
        above = bytearray(stride)
        for y in range(self.height):
            begin = y * (stride + 1)
            row = bytearray(octets[begin + 1:begin + 1 + stride])
            self._UnfilterRow(octets[begin], row, above, size)
            rows.append(row)
            above = row
        return rows

    @staticmethod
    def _UnfilterRow(kind, row, above, size):
        for i in range(len(row)):
            left = row[i - size] if i >= size else 0
            corner = above[i - size] if i >= size else 0
            up = above[i]
            if kind == 1:
                guess = left
            elif kind == 2:
                guess = up
            elif kind == 3:
                guess = (left + up) // 2
            elif kind == 4:
                pa, pb, pc = abs(up - corner), abs(left - corner), abs(left + up - 2 * corner)
                guess = left if pa <= pb and pa <= pc else up if pb <= pc else corner
            else:
                guess = 0
            row[i] = (row[i] + guess) & 0xFF

    def Colors(self):
        """Color -> how many pixels have it, of every third row and column."""
        counts = {}
        for row in self.rows[::3]:
            for at in range(0, len(row), 3 * self.channels):
                color = bytes(row[at:at + 3])
                counts[color] = counts.get(color, 0) + 1
        return counts


def Chromium(context, *words):
    program = shutil.which("chromium")
    Expect(program, "chromium is not installed: toolchain/deps.sh")
    profile = os.path.join(context.directory, "profile")
    done = subprocess.run(
        [program, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
         "--user-data-dir=" + profile, *words], capture_output=True, text=True, timeout=100,
        check=False)
    Expect(done.returncode == 0, "chromium: exit status %d: %s", done.returncode,
           done.stderr.strip()[-300:])
    return done.stdout


def Page(context, fabric, scheme, status):
    """A real browser shows the page of a plan, in light and in dark: pictures, and the numbers of
    the JSON document."""
    page = os.path.join(context.directory, "plan.html")
    facts = os.path.join(context.directory, "plan.json")
    shot = os.path.join(context.directory, "plan.png")
    Emberc(context, "plan", "-f", fabric, "--html", page, "--json", facts, "--fail", "each-switch",
           "--fail-sample", "6", *Configured(context, status), status=status)
    with open(facts, encoding="utf-8") as file:
        plan = json.load(file)
    looks = ["--force-dark-mode", "--blink-settings=preferredColorScheme=0"]
    words = looks if scheme == "dark" else []
    tree = Chromium(context, *words, "--dump-dom", "file://" + page)
    loads = plan["all_to_all"]
    for said in ("%.4f</b><span>all-to-all saturation" % loads["saturation"],
                 "%g</b><span>flows on the busiest link" % loads["max"],
                 "%d of %d</b><span>links carry nothing" % (loads["idle"], loads["links"]),
                 "%.4f</b><span>effective bisection" % plan["bisections"]["effective"],
                 "<td>sim_small</td>", "Single failures, worst first: 6 of 6"):
        Expect(said in tree, "the page does not say \"%s\"", said)
    Expect(tree.count("<svg") >= 4, "the page has %d pictures", tree.count("<svg"))
    Chromium(context, *words, "--window-size=1060,1800", "--screenshot=" + shot, "file://" + page)
    picture = Picture(shot)
    colors = picture.Colors()
    total = sum(colors.values())
    paper, most = max(colors.items(), key=lambda row: row[1])
    Expect(most < 0.97 * total, "the page is blank: %d of %d pixels alike", most, total)
    Expect(len(colors) > 50, "the page has only %d colors", len(colors))
    is_dark = sum(paper) < 3 * 64
    Expect(is_dark == (scheme == "dark"), "the paper of the %s page is %s", scheme, paper.hex())
    context.Note("%d colors, %.1f %% paper", len(colors), 100.0 * most / total)


for case_name, case_fabric, case_scheme, case_status in (
        ("tree", "ft3:8", "light", 0), ("tree-dark", "ft3:8", "dark", 0),
        ("torus", "torus:4x4:2", "light", CREDIT_LOOP), ("large", "ft3:16", "light", 0)):
    def RunPage(context, fabric=case_fabric, scheme=case_scheme, status=case_status):
        Page(context, fabric, scheme, status)
    Add("plan.page-" + case_name, RunPage, kinds=("embersm",))


# What a reader's eye would see: labels of one picture whose boxes, as the browser lays them out, touch.
OVERLAPS = """<pre id="overlaps"></pre><script>
let found = [], labels = 0;
for (const svg of document.querySelectorAll("svg")) {
  const boxes = [...svg.querySelectorAll("text")].map(text => [text.textContent, text.getBBox()]);
  labels += boxes.length;
  boxes.forEach(([one, a], i) => boxes.slice(i + 1).forEach(([other, b]) => {
    // A box is as high as a line; the digits themselves are four fifths of that.
    const apart = Math.abs(a.y - b.y) >= 0.8 * Math.min(a.height, b.height);
    if (!apart && a.x < b.x + b.width && b.x < a.x + a.width) found.push(one + " and " + other);
  }));
}
document.getElementById("overlaps").textContent = labels + " labels: " + found.join("; ");
</script></body>"""


@Named("plan.page-k36", kinds=("embersm",))
def LargePage(context):
    """The page of a perfect three-level tree of 1,620 switches alarms nowhere, and no label in it
    prints over another, as a browser lays them out."""
    page = os.path.join(context.directory, "plan.html")
    Emberc(context, "plan", "-f", "ft3:36", "--html", page, "--shifts", "4", "--bisections", "4")
    with open(page, encoding="utf-8") as file:
        text = file.read()
    bands = [len(re.findall(r'<path d="M[^"]* Q[^"]*" class="b%d"' % band, text))
             for band in range(8)]
    Expect(sum(bands) == 1332, "%d cables are drawn", sum(bands))
    Expect(bands[3] == 1332, "cables by band of load: %s", bands)
    with open(page, "w", encoding="utf-8") as file:
        file.write(text.replace("</body>", OVERLAPS))
    tree = Chromium(context, "--dump-dom", "file://" + page)
    labels, overlaps = re.search(r'<pre id="overlaps">(\d+) labels: ([^<]*)', tree).groups()
    Expect(int(labels) > 100, "the page has %s labels", labels)
    Expect(not overlaps, "these print over each other: %s", overlaps)
    context.Note("%s labels apart, %d cables of one color", labels, bands[3])


# The cells of the matrix as the browser lays them out: how many, and how many of them cover no area.
CELLS = """<pre id="cells"></pre><script>
const rows = [...document.querySelectorAll("#membership tr")];
const cells = rows.map(row => [...row.children].map(cell => cell.getBoundingClientRect()));
const flat = cells.flat().filter(box => box.width < 4 || box.height < 4).length;
const wide = document.documentElement.scrollWidth > document.documentElement.clientWidth;
const colors = new Set([...document.querySelectorAll("#membership td")].map(
  cell => getComputedStyle(cell).backgroundColor));
document.getElementById("cells").textContent =
  [cells.length, cells[0].length, flat, wide, colors.size].join(" ");
</script></body>"""


@Named("plan.page-partitions", kinds=("embersm",), timeout_s=240)
def PartitionsPage(context):
    """The page of 1,620 switches and 11,664 hosts in 64 partitions shows a matrix of a bounded
    number of rows and columns, and a browser lays it out without widening the page."""
    page, facts, partitions, conf = (os.path.join(context.directory, name) for name in
                                     ("plan.html", "plan.json", "partitions.conf", "conf"))
    lines = ["Default=0x7fff: ALL_SWITCHES=full, SELF=full;"]
    for number in range(1, 65):  # Hosts of ft3:36 have the GUIDs 0x100000 + 2n, their ports 1 more.
        first = 180 * (number - 1)
        members = ["0x%x=%s" % (0x100001 + 2 * host, "full" if host % 2 else "limited")
                   for host in range(first, first + 190)]
        lines.append("part%d=0x%x: %s;" % (number, number, ", ".join(members)))
    with open(partitions, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    with open(conf, "w", encoding="utf-8") as file:
        file.write("partition_config_file %s\n" % partitions)
    Emberc(context, "plan", "-f", "ft3:36", "-c", conf, "--html", page, "--json", facts,
           "--shifts", "4", "--bisections", "4")
    with open(facts, encoding="utf-8") as file:
        membership = json.load(file)["membership"]
    Expect(len(membership["partitions"]) == 65, "%d partitions", len(membership["partitions"]))
    ports = sum(kind["ports"] for kind in membership["kinds"])
    Expect(ports == 1620 + 11664, "%d ports in the matrix", ports)
    alone = [kind["ports"] for kind in membership["kinds"] if kind["in"] == {"0x7fff": "limited"}]
    Expect(alone == [11664 - (180 * 63 + 190)], "ports that no line names: %s", alone)
    with open(page, encoding="utf-8") as file:
        text = file.read()
    with open(page, "w", encoding="utf-8") as file:
        file.write(text.replace("</body>", CELLS))
    tree = Chromium(context, "--dump-dom", "file://" + page)
    told = re.search(r'<pre id="cells">([^<]*)', tree).group(1).split()
    Expect(told[:4] == ["49", "41", "0", "false"],
           "rows, columns, flat cells, page too wide: %s", " ".join(told))
    Expect(int(told[4]) >= 3, "the cells have %s colors", told[4])
    Expect("40 of 65 partitions are shown" in tree, "the page hides that it hides partitions")
    context.Note("%d kinds of %d ports; 48 by 40 of them shown", len(membership["kinds"]), ports)

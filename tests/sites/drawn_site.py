# SPDX-License-Identifier: Apache-2.0
# EmberSM: one drawn site: a fabric, two configurations with their files, and the facts about them.
"""Site(kind, seed, size) is the same on every machine and run. Write(folder) puts the files there:
fabric.net as ibnetdiscover prints it, plain.net in its plain form, opensm.conf and opensm-2.conf
with what they name, and where drawn a copy with mistakes and one with keys of NVIDIA's manager."""
import os
import random

import engines
import graphs
import listing
import mistakes
import option_files
import policies
import trees
from configuration import Configuration
from fabric import Hex, Net
from names import ODD, Names

KINDS = {
    "two-level": trees.TwoLevelSite, "rails": trees.RailSite, "director": trees.DirectorSite,
    "thin": trees.ThinSite, "torus": graphs.TorusSite, "dragonfly-plus": graphs.DragonflySite,
    "islands": graphs.IslandSite, "router": trees.RouterSite, "tiny": graphs.TinySite,
    "mixed": trees.MixedSite, "half-built": trees.HalfBuiltSite, "mesh-cube": graphs.MeshCubeSite,
}
SIZES = ("small", "medium", "large")
# Keys of NVIDIA's manager at values that ask for nothing.
NEUTRAL = ("virt_enabled 0", "ar_mode 0", "ar_sl_mask 0xFFFF", "shield_mode 0", "sharp_enabled 0",
           "hm_unhealthy_ports_checks FALSE", "max_cas_on_spine 2", "mepi_cache_enabled TRUE",
           "enable_performance_manager FALSE", "aguid_inout_notice FALSE", "pfrn_mode 0",
           "rtr_selection_seed 0", "gmp_traps_threads_num 0", "nvlink_enable FALSE",
           "ltr_enabled FALSE", "drop_subscr_on_report_fail FALSE")
PLAIN_KEYS = (
    ("sweep_interval", (5, 30, 120)), ("max_wire_smps", (8, 16, 64)), ("sm_priority", (1, 13, 15)),
    ("transaction_timeout", (100, 500, 1000)), ("transaction_retries", (2, 5)),
    ("subnet_timeout", (17, 19, 20)), ("packet_life_time", ("0x13",)),
    ("head_of_queue_lifetime", ("0x0f",)), ("leaf_head_of_queue_lifetime", ("0x0c",)),
    ("max_op_vls", (4, 5)), ("polling_retry_number", (2,)), ("sminfo_polling_timeout", (5000,)),
    ("use_ucast_cache", ("TRUE",)), ("log_flags", ("0x07",)), ("log_max_size", (4096,)),
    ("force_log_flush", ("TRUE",)), ("console", ("off",)), ("daemon", ("TRUE",)),
    ("babbling_port_policy", ("FALSE",)), ("no_clients_rereg", ("FALSE",)),
    ("honor_guid2lid_file", ("TRUE",)), ("scrub_interval", (0, 1, 10)), ("sa_db_dump", ("TRUE",)),
    ("consolidate_ipv6_snm_req", ("TRUE",)),
)


class Draft:
    """What a kind of site fills in."""

    def __init__(self, kind, seed, size):
        self.kind, self.seed, self.size = kind, seed, size
        self.chance = random.Random("%s/%d/%s" % (kind, seed, size))
        self.net, self.names = Net(self.chance), Names(self.chance)
        self.net.two_port_hosts = self.chance.random() < 0.25 and kind not in ("tiny", "rails")
        self.seat, self.lmc, self.forms = None, 0, ("plain", "plain", "plain", "full")
        self.shape, self.whole = "irregular", False  # A whole tree has all cables between levels.
        self.roots, self.cuts, self.routers = [], [], []
        self.grid, self.parts, self.part_roots, self.part_grid = None, None, [], None
        self.aggregation = self.services_above = self.two_depths = False
        self.lids_style = "none"

    def Pick(self, small, medium, large=None):
        return {"small": small, "medium": medium, "large": large or medium}[self.size]

    @property
    def odd(self):
        """Whether end ports stand where a tree of textbooks has none."""
        return bool(self.aggregation or self.services_above or self.two_depths or self.routers)

    @property
    def seat_port_guid(self):
        if self.seat.is_switch:
            return self.seat.guid
        return self.seat.port_guids[min(self.seat.links, default=1)]


def _Slip(draft):
    """A cable in a hole not meant for it: from leaf to leaf, or back into its own switch."""
    leaves = [node for node in draft.net.switches if node.role == "leaf" and node.Room() > 1]
    if draft.seed % 5 != 2 or draft.shape != "tree" or len(leaves) < 2:
        return
    one, other = draft.chance.sample(leaves, 2)
    what = draft.chance.choice(("leaf to leaf", "loop"))
    draft.net.Join(one, one if what == "loop" else other, 4, "EDR")
    draft.net.slips.append(what)


def _Oddities(draft):
    """What goes wrong in each hall, from seed 3 on: names that hardly anyone meant, a seat on a
    switch, subnets that were joined."""
    chance, net = draft.chance, draft.net
    if draft.kind == "tiny":
        return
    _Slip(draft)
    if draft.seed > 2 and draft.seed % 3 == 1:
        named = [node for node in net.nodes if node.role != "aggregation"]
        for node, name in zip(chance.sample(named, min(len(ODD), len(named) // 4)), ODD):
            node.name = name
    if draft.seed > 2 and draft.seed % 4 == 3 and draft.seat is None:
        draft.seat = chance.choice([node for node in net.switches if node.links])


class Site:
    def __init__(self, kind, seed, size):
        self.name = "%s.%s.%d" % (kind, size, seed)
        draft = self.draft = Draft(kind, seed, size)
        KINDS[kind](draft)
        _Oddities(draft)
        net, chance = draft.net, draft.chance
        if draft.seat is None:
            hosts = [host for host in net.hosts if host.role in ("manager", "login")]
            draft.seat = chance.choice(hosts or net.hosts)
        draft.lids_style = chance.choice(("none", "dense", "dense", "holes"))
        net.GiveLids(draft.lids_style, draft.lmc)
        self.joined = seed > 2 and seed % 4 == 2 and draft.lids_style != "none" and kind != "tiny"
        if self.joined:
            net.JoinSubnets()
            draft.lids_style = "none"  # No table of LIDs would be true.
        self.form = chance.choice(draft.forms)
        self.configurations = [self._Configure("opensm.conf", ""), self._Configure("opensm-2.conf",
                                                                                    "-2")]
        self.mistakes, self.foreign = [], seed % 4 == 1
        self.has_mistakes = seed % 3 == 0
        self.seen = net.Seen(draft.seat)
        self.folder = None

    @property
    def net(self):
        return self.draft.net

    def _Configure(self, name, tag):
        draft = self.draft
        chance = random.Random("%s/%s/%d/%s" % (name, draft.kind, draft.seed, draft.size))
        configuration = Configuration(draft, chance, name, tag)
        configuration.as_opensm_writes = chance.random() < 0.33
        plain = draft.kind not in ("islands", "torus") and not draft.lmc and not draft.routers
        if not tag and plain and chance.random() < 0.12:
            return configuration
        engines.DrawEngine(configuration)
        if chance.random() < 0.5:
            policies.DrawPartitions(configuration)
        if chance.random() < 0.35:
            policies.DrawPolicy(configuration)
        self._DrawRest(configuration)
        return configuration

    def _DrawRest(self, configuration):
        draft, chance, net = self.draft, configuration.chance, self.net
        if draft.lmc:
            configuration.Set(lmc=draft.lmc)
        _DrawKeys(configuration)
        if chance.random() < 0.3:
            configuration.File("node_name_map_name", "node-name-map", option_files.NameMap(net))
            configuration.Say("name map")
        if draft.routers:
            configuration.File("prefix_routes_file", "prefix-routes.conf",
                               option_files.Prefixes(draft.routers))
            configuration.Say("prefix routes")
            if chance.random() < 0.5:
                configuration.Set(rtr_pr_sl=0, rtr_aguid_enable=1)
        if chance.random() < 0.15 and draft.kind != "tiny":
            configuration.File("edge_ports", "edge-ports.txt",
                               option_files.EdgePorts(net, draft.seat))
            configuration.Say("edge ports")
        if chance.random() < 0.1 and draft.kind != "tiny" and "chain" not in configuration.said:
            policies.DrawBandwidths(configuration)
        _DrawOpensmFiles(configuration)
        for key, values in chance.sample(PLAIN_KEYS, chance.randrange(0, 12)):
            configuration.Set(**{key: chance.choice(values)})

    def Write(self, folder):
        os.makedirs(folder, exist_ok=True)
        self.folder, draft = folder, self.draft
        order = "order/" + self.name
        for name, form in (("fabric.net", self.form), ("plain.net", "plain")):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(listing.Listing(self.net, draft.seat, form, draft.seed % 2 == 0,
                                           random.Random(order)))
        for configuration in self.configurations:
            configuration.Write(folder)
        first = self.configurations[0]
        if self.has_mistakes:
            self.mistakes = mistakes.Plant(first, random.Random("bad/" + self.name), folder,
                                           1 + draft.seed // 3 % 3)
        if self.foreign:
            keys = random.Random("foreign/" + self.name).sample(NEUTRAL, 12)
            with open(os.path.join(folder, "opensm-nvidia.conf"), "w", encoding="utf-8") as file:
                file.write(first.Text() + "".join(key + "\n" for key in keys))

    # Facts.
    @property
    def lid_count(self):
        per_port = max(1 << int(self.configurations[0].keys.get("lmc", 0)), 1)
        return sum(1 if node.is_switch else per_port * len(node.links) for node in self.seen)

    @property
    def switch_count(self):
        return sum(node.is_switch for node in self.seen)

    def HostPorts(self):
        """(host, port) of those that send data to each other."""
        return [(node, port) for node in self.seen
                if node.kind != "switch" and node.role != "aggregation"
                for port in sorted(node.links)]


def _DrawKeys(configuration):
    chance, draft = configuration.chance, configuration.draft
    if chance.random() < 0.2:
        configuration.Set(m_key=Hex(chance.randrange(1, 1 << 60)), m_key_lease_period=600,
                          m_key_protection_level=chance.choice((0, 1, 2)),
                          sa_key=Hex(chance.randrange(2, 1 << 60)))
        if chance.random() < 0.5:
            configuration.Set(m_key_per_port="TRUE")
        configuration.Say("M_Keys")
    if chance.random() < 0.2:
        configuration.Set(replication_key='"%032x"' % chance.randrange(1 << 127))
        configuration.Say("replication")
    if chance.random() < 0.15:
        configuration.Set(guid=Hex(draft.seat_port_guid), sm_key=Hex(chance.randrange(2, 1 << 60)),
                          sm_peers=Hex(draft.seat_port_guid))
        configuration.Say("peers")


def _DrawOpensmFiles(configuration):
    """Under `order opensm`, one of the options that steer OpenSM's choice among equal exits."""
    net, chance = configuration.draft.net, configuration.chance
    engine = configuration.keys.get("routing_engine", "").split(",")[0]
    if configuration.keys.get("order") != "opensm" or engine not in ("updn", "minhop", "dor"):
        return
    key, text = chance.choice((
        ("guid_routing_order_file",
         option_files.Guids(option_files.HostGuids(net, "compute"))),
        ("hop_weights_file", option_files.Weights(net)),
        ("port_prof_ignore_file", option_files.Ignored(net)),
        ("port_search_ordering_file", option_files.SearchOrder(net)),
    ))
    configuration.File(key, key.replace("_file", ".txt"), text)
    configuration.Say(key)

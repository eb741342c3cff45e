# SPDX-License-Identifier: Apache-2.0
# EmberSM: draws the routing engine of a site, with the option files that it reads.
"""Which engines suit a kind of fabric, and what may come of each, follows from the fabric that was
drawn: a tree with its roots given is routed by updn; a torus on one lane by minhop may deadlock."""
import chains
import option_files

TREE = ("default", "default", "updn", "updn", "dnup", "ftree", "ftree-nodes", "updn,minhop",
        "lanes", "minhop", "dfsssp", "updn-free", "nue", "pqft", "ftree,updn", "opensm-order",
        "sssp", "lash", "file")
BY_SHAPE = {
    "tree": TREE,
    "torus": ("torus", "torus", "torus", "dfsssp", "lash", "updn-one", "nue", "lanes", "default",
              "dor", "sssp"),
    "mesh": ("dor", "dfsssp", "lash", "nue", "updn-one", "lanes", "default", "minhop", "torus",
             "file"),
    "hypercube": ("dor", "dfsssp", "lash", "nue", "updn-one", "lanes", "default", "minhop"),
    "dragonfly+": ("default", "lanes", "dfsssp", "nue", "updn-free", "minhop", "sssp"),
    "islands": ("chain", "chain", "chain-lanes", "chain-lanes", "default", "updn-free"),
    "tiny": ("default", "minhop", "updn-free", "lanes"),
    "irregular": ("default", "lanes", "updn-free", "minhop", "dfsssp", "sssp"),
}
SLOW = ("lash", "nue", "dfsssp", "sssp")  # Minutes on ten thousand hosts; fixed.py has them.


def DrawEngine(configuration):
    draft, chance = configuration.draft, configuration.chance
    choice = chance.choice(BY_SHAPE[draft.shape])
    if draft.size == "large" and choice in SLOW:
        choice = "lanes"
    if draft.size != "small" and choice == "file":
        choice = "updn"
    if choice == "file" and draft.lids_style == "none":
        choice = "minhop"
    if choice == "torus" and (draft.grid is None or len(draft.grid[0]) > 3):
        choice = "lanes"
    _Draw(configuration, choice)


def _Draw(configuration, choice):
    draft = configuration.draft
    if choice == "default":
        configuration.Say("engine by default")
    elif choice == "lanes":
        configuration.Lanes()
        configuration.lanes_by_routing = True
        configuration.Say("auto with lanes")
    elif choice in ("updn", "updn,minhop", "dnup", "opensm-order", "updn-one"):
        _UpDown(configuration, choice)
    elif choice == "updn-free":
        if draft.shape == "tree":
            configuration.Engine("updn")
        else:
            configuration.Engine("updn,minhop", ("updn", "minhop"), may_deadlock=True)
    elif choice.startswith("ftree"):
        _FatTree(configuration, choice)
    elif choice in ("dfsssp", "lash", "nue", "sssp"):
        _LaneEngine(configuration, choice)
    elif choice == "pqft":
        plain = draft.whole and not draft.odd and not draft.net.slips
        configuration.Engine("pqft" if plain else "pqft,updn",
                             ("pqft",) if plain else ("pqft", "updn"))
    elif choice in ("minhop", "dor"):
        configuration.Engine(choice, may_deadlock=True)
    elif choice == "file":
        File(configuration)
    elif choice == "torus":
        Torus(configuration)
    else:
        chains.Islands(configuration, choice == "chain-lanes")


def _UpDown(configuration, choice):
    draft, chance = configuration.draft, configuration.chance
    if choice == "opensm-order":
        configuration.Set(order="opensm")
        # OpenSM leaves pairs of end ports on two roots apart, which no engine here does.
        plain = not draft.odd and draft.lmc == 0 and draft.whole
        choice = chance.choice(("updn", "ftree", "minhop") if plain else ("minhop",))
    words = {"dnup": "dnup,updn", "updn-one": "updn"}.get(choice, choice)
    engines = {"dnup": ("dnup", "updn")}.get(choice)
    # Down and up turns at hosts above the leaves, and at cables inside a level.
    may_deadlock = choice == "minhop" or (choice == "dnup" and (draft.odd or bool(draft.net.slips)))
    configuration.Engine(words, engines, may_deadlock=may_deadlock)
    roots = draft.roots or [chance.choice(draft.net.switches)]
    configuration.File("root_guid_file", "roots.txt",
                       option_files.Guids((node.guid for node in roots), "roots"))
    if choice == "updn" and chance.random() < 0.5:
        configuration.Set(connect_roots="TRUE")


def _FatTree(configuration, choice):
    draft = configuration.draft
    alone = draft.whole and not draft.lmc and choice != "ftree,updn"
    configuration.Engine("ftree" if alone else "ftree,updn",
                         ("ftree",) if alone else ("ftree", "updn"))
    configuration.File("root_guid_file", "roots.txt",
                       option_files.Guids(node.guid for node in draft.roots))
    if choice != "ftree-nodes":
        return
    net = draft.net
    configuration.File("cn_guid_file", "compute.txt",
                       option_files.Guids(option_files.HostGuids(net, "compute"), "compute"))
    others = option_files.HostGuids(net, "storage", "login", "manager", "gateway")
    if others:
        configuration.File("io_guid_file", "io.txt", option_files.Guids(others))
        configuration.Set(max_reverse_hops=4)


def _LaneEngine(configuration, engine):
    draft, chance = configuration.draft, configuration.chance
    if engine != "sssp":
        configuration.Lanes()
        configuration.lanes_by_routing = True
    if engine == "nue":
        configuration.Set(nue_max_num_vls=chance.choice((1, 4, 8)))
    if engine == "lash" and chance.random() < 0.5:
        configuration.Set(do_mesh_analysis="TRUE")
    if engine in ("dfsssp", "lash") and draft.shape != "tree":
        # A fabric may need more lanes than a link has: tests/interop/RESULTS.md.
        configuration.Engine(engine + ",updn", (engine, "updn"))
    else:
        configuration.Engine(engine, may_deadlock=engine == "sssp")


def File(configuration):
    """The engine `file`, with tables that were made at a desk."""
    net = configuration.draft.net
    configuration.Engine("file", may_deadlock=True)
    if configuration.chance.random() < 0.5:
        configuration.File("lfts_file", "lfts.txt", option_files.ForwardingTables(net))
    else:
        configuration.File("lid_matrix_dump_file", "matrix.txt", option_files.HopMatrix(net))


def Torus(configuration):
    draft = configuration.draft
    sizes, at, wrap = draft.grid
    configuration.Lanes()
    configuration.lanes_by_routing = True
    configuration.File("torus_config", "torus-2QoS.conf", option_files.TorusConfig(
        sizes, at, wrap, configuration.chance, 2 if draft.seed % 2 else 1))
    # Two holes in one ring are too much for it, and so is any of a mesh.
    if len(draft.net.missing) > 1 or (draft.net.missing and not wrap):
        configuration.Engine("torus-2QoS,updn", ("torus-2QoS", "updn"))
    else:
        configuration.Engine("torus-2QoS")

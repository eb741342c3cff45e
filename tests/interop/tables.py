# SPDX-License-Identifier: Apache-2.0
# EmberSM: what ports hold under OpenSM and under EmberSM, one after the other on the same net.
from checks import Expect


def BesideOpensm(context, net, configure, read):
    """`read(simulator, witness)` gives a dictionary under each of the two, which must be equal; it
    is given back. `configure(simulator, kind)` is the configuration of a manager of that kind."""
    tables = {}
    for kind, more in (("opensm", ""), ("embersm", "order opensm\n")):
        simulator = context.Simulate(net)
        manager = context.Manage(simulator.hosts[0].name, kind=kind,
                                 configuration=configure(simulator, kind) + more)
        manager.WaitUp(120)
        manager.WaitQuiet()
        tables[kind] = read(simulator, context.Witness(manager.node))
    theirs, ours = tables["opensm"], tables["embersm"]
    unlike = [at for at in theirs if theirs[at] != ours.get(at)]
    Expect(len(theirs) == len(ours) and not unlike, "%d of %d tables differ, as %s: OpenSM %s, "
           "EmberSM %s", len(unlike), len(theirs), unlike[:1],
           [theirs[at] for at in unlike[:1]], [ours.get(at) for at in unlike[:1]])
    return theirs

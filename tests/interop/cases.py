# SPDX-License-Identifier: Apache-2.0
# EmberSM: the register of interoperability cases.
"""A case is a function of a Context; its docstring says the goal. It fails by raising."""

CASES = {}  # name -> Case


class Case:
    def __init__(self, name, run, short, timeout_s, kinds, hosts_only):
        self.name, self.run, self.short = name, run, short
        self.timeout_s, self.kinds, self.hosts_only = timeout_s, kinds, hosts_only


def Add(name, run, short=True, timeout_s=120, kinds=("embersm", "opensm"), hosts_only=""):
    """`short` cases are part of make test; `kinds` are the subnet managers it can be run with;
    `hosts_only` says why it makes no sense when managers sit at switches."""
    CASES[name] = Case(name, run, short, timeout_s, kinds, hosts_only)


def Named(name, **facts):
    """Decorates a case that stands alone."""
    def Keep(run):
        Add(name, run, **facts)
        return run
    return Keep

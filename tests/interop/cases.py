# SPDX-License-Identifier: Apache-2.0
# EmberSM: the register of interoperability cases.
"""A case is a function of a Context; its docstring says the goal. It fails by raising."""

CASES = {}  # name -> Case


class Case:
    def __init__(self, name, run, short, timeout_s, kinds):
        self.name, self.run, self.short = name, run, short
        self.timeout_s, self.kinds = timeout_s, kinds


def Add(name, run, short=True, timeout_s=120, kinds=("embersm", "opensm")):
    """`short` cases are part of make test; `kinds` are the subnet managers it can be run with."""
    CASES[name] = Case(name, run, short, timeout_s, kinds)


def Named(name, **facts):
    """Decorates a case that stands alone."""
    def Keep(run):
        Add(name, run, **facts)
        return run
    return Keep

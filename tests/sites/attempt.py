# SPDX-License-Identifier: Apache-2.0
# EmberSM: what was tried on one site, and what did not hold.
import collections
import dataclasses

Failure = collections.namedtuple("Failure", "check text call")


@dataclasses.dataclass
class Attempt:
    """Checks have names with dots, as plan.shape; `tried` counts them."""
    site: object
    programs: object
    failures: list = dataclasses.field(default_factory=list)
    tried: collections.Counter = dataclasses.field(default_factory=collections.Counter)

    def Require(self, holds, check, text, call=""):
        """Notes a failure unless the claim holds; returns whether it does."""
        self.tried[check] += 1
        if not holds:
            self.failures.append(Failure(check, " ".join(str(text).split())[:600], call))
        return bool(holds)

    def Ended(self, check, done):
        """No panic, no finding of a sanitizer, no death by a signal."""
        return self.Require(not done.crash, check + ".crash", done.crash, done.call)

    def Run(self, name, *words, **how):
        return self.programs.Run(self.site.folder, name, *words, **how)

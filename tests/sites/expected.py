# SPDX-License-Identifier: Apache-2.0
# EmberSM: what is known to fall short, with its reason; a mark that no longer fails is a failure.
"""A Mark names checks, the sites where they fail, and why. Failures that it covers are counted in
the closing line and fail nothing. Where a run tried sites that a mark speaks of and none failed,
the mark is stale: it has to go."""
import dataclasses
import fnmatch
import typing


@dataclasses.dataclass(frozen=True)
class Mark:
    name: str
    checks: tuple  # Patterns of names.
    applies: typing.Callable  # Of a Site.
    reason: str

    def Covers(self, site, check):
        return any(fnmatch.fnmatchcase(check, one) for one in self.checks) and self.applies(site)


MARKS = ()


def MarkOf(site, check):
    return next((mark for mark in MARKS if mark.Covers(site, check)), None)


class Tally:
    """What marks covered, over all sites of a run."""

    def __init__(self):
        self.covered = {}  # Mark -> failures
        self.spoke = {}  # Mark -> sites on which a check of it was tried

    def Sort(self, attempt):
        """The failures that no mark covers; the others are counted."""
        left = []
        for mark in MARKS:
            if any(mark.Covers(attempt.site, check) for check in attempt.tried):
                self.spoke[mark] = self.spoke.get(mark, 0) + 1
        for failure in attempt.failures:
            mark = MarkOf(attempt.site, failure.check)
            if mark is None:
                left.append(failure)
            else:
                self.covered[mark] = self.covered.get(mark, 0) + 1
        return left

    def Stale(self, least=12):
        """Marks whose checks held on so many sites, or more, and failed on none."""
        return [mark for mark, sites in self.spoke.items()
                if sites >= least and mark not in self.covered]

"""Error bars that know which results hang together: the deal-clustered sandwich.

Matches of one deal share their tiles and the pairs of one match share its luck, so the plain
second derivative of the likelihood is the wrong bar: too narrow at four seats, too wide with
swapped deals. Here the residuals (result minus expectation) are added up by deal first, and their
spread between deals is what the bar measures.
"""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

import numpy as np

from arena.core.rating_fit import SCALE, expectation, pseudo_inverse
from arena.core.rating_pairs import Array, Indexes, Pairs


class Basis(Enum):
    """What the bars are clustered by."""

    DEAL = "deal"
    DEAL_AND_TABLE = "deal and table"


class Bars(NamedTuple):
    """The covariance of a group's ratings in Elo points squared, relative to their mean.

    ``covariance`` and ``basis`` are None when there are too few deals for it; ``clusters`` is the
    number of deals, or of deals at their tables, that it was or would have been made from.
    """

    covariance: Array | None
    basis: Basis | None
    clusters: int

    def relative_to(self, fixed: int) -> Bars:
        """The same relative to one bot of the group."""
        if self.covariance is None:
            return self
        shift = np.eye(len(self.covariance))
        shift[:, fixed] -= 1.0
        return self._replace(covariance=shift @ self.covariance @ shift.T)


def sandwich(pairs: Pairs, theta: Array, information: Array) -> Bars:
    """The covariance of a fit: H+ (sum of g g' over clusters) H+ x C / (C - n + 1).

    Clusters are deals. The last factor makes up for residuals being too small because the ratings
    were fitted to them; it needs more deals than bots. With fewer than two deals a bot, each deal
    is taken apart by its tables; if those are too few as well there is no bar.
    """
    n_bots = len(theta)
    for basis, clusters in ((Basis.DEAL, pairs.deal), (Basis.DEAL_AND_TABLE, pairs.table)):
        count = int(clusters.max()) + 1
        if count >= 2 * n_bots:
            residuals = _residuals(pairs, theta, clusters, count)
            inverse = pseudo_inverse(information)
            factor = count / (count - n_bots + 1)
            spread = residuals @ inverse
            return Bars(spread.T @ spread * (factor * SCALE**2), basis, count)
    return Bars(None, None, count)


def _residuals(pairs: Pairs, theta: Array, clusters: Indexes, count: int) -> Array:
    """One row a cluster, one column a bot: results minus expectations, added up."""
    rest = pairs.score - expectation(theta)[pairs.first, pairs.second]
    residuals = np.zeros((count, len(theta)))
    np.add.at(residuals, (clusters, pairs.first), rest)
    np.add.at(residuals, (clusters, pairs.second), -rest)
    return residuals

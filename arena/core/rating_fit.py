"""The Bradley-Terry fit of one group, by Newton's method."""

from __future__ import annotations

import math

import numpy as np

from arena.core.rating_pairs import Array

SCALE = 400.0 / math.log(10.0)
"""Elo points per unit of log odds."""

_MOST_STEPS = 500
_LONGEST_STEP = 4.0
_TINY = 1e-12


def fit_group(wins: Array) -> tuple[Array, Array]:
    """Fit bots that are strongly connected.

    ``wins[i, j]`` are the points that i took from j. Returns the ratings in log odds with mean 0,
    and the information matrix there (minus the second derivative of the log likelihood).
    """
    games = wins + wins.T
    theta = np.zeros(len(wins))
    value = _log_likelihood(wins, theta)
    for _ in range(_MOST_STEPS):
        gradient, information = _derivatives(wins, games, theta)
        step = _solve(information, gradient)
        step *= min(1.0, _LONGEST_STEP / max(float(np.abs(step).max()), _TINY))
        while True:
            ahead = theta + step
            reached = _log_likelihood(wins, ahead)
            # Near the top the likelihood no longer tells steps apart: then the step is taken.
            if reached >= value - 1e-9 * abs(value) or np.abs(step).max() < _TINY:
                break
            step /= 2.0
        theta, value = ahead - ahead.mean(), reached
        if np.abs(step).max() < _TINY:
            break
    return theta, _derivatives(wins, games, theta)[1]


def expectation(theta: Array) -> Array:
    """Square matrix: what the row's bot is expected to take from the column's in one game."""
    return np.exp(-np.logaddexp(0.0, theta[None, :] - theta[:, None]))


def pseudo_inverse(information: Array) -> Array:
    """The inverse of an information matrix on the vectors with mean 0."""
    n = len(information)
    # Its only null direction is (1, ..., 1): filling that in makes it invertible, and taking it
    # out again leaves the pseudo-inverse. The filling has the size of the rest, for precision.
    weight = float(np.trace(information)) / n
    ones = np.full((n, n), 1.0 / n)
    return np.linalg.inv(information + weight * ones) - ones / weight


def _derivatives(wins: Array, games: Array, theta: Array) -> tuple[Array, Array]:
    expected = expectation(theta)
    gradient = (wins - games * expected).sum(axis=1)
    weights = games * expected * expected.T
    return gradient, np.diag(weights.sum(axis=1)) - weights


def _solve(information: Array, gradient: Array) -> Array:
    n = len(information)
    weight = float(np.trace(information)) / n
    return np.linalg.solve(information + np.full((n, n), weight / n), gradient)


def _log_likelihood(wins: Array, theta: Array) -> float:
    return float(-(wins * np.logaddexp(0.0, theta[None, :] - theta[:, None])).sum())

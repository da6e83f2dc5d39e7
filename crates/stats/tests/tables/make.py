"""Makes the tables that tests/stats checks crates/stats against.

    pip install scipy && python3 crates/stats/tests/tables/make.py

The p values and quantiles are scipy's and numpy's own. What they lack (Hodges-Lehmann intervals, Holm) is made here by
brute force and by other means than the module's: all sign vectors or all rankings are enumerated where they are few,
and counted by the textbook recursion where not. Deterministic: the seeds are fixed.
"""

import functools
import itertools
import json
import math
import pathlib

import numpy as np
from scipy import fft, special, stats

HERE = pathlib.Path(__file__).parent
LIMIT = 50
LEVEL = 0.95


def write(name, rows):
    """One row a line, so that a change of a case is a change of a line."""
    text = ",\n".join(json.dumps(row, separators=(",", ":")) for row in rows)
    (HERE / name).write_text(f"[\n{text}\n]\n")


def short(values, digits=5):
    """Few digits, so that the tables stay small."""
    return [float(f"{v:.{digits}g}") for v in values]


def times(rng, n, centre=100.0, spread=0.05):
    """What times look like: log-normal, some of them spikes."""
    spikes = np.where(rng.random(n) < 0.1, 1.3, 1.0)
    return short(centre * rng.lognormal(0.0, spread, n) * spikes)


# ---- Wilcoxon signed-rank ----------------------------------------------------------------------------------------


def wilcoxon_row(d):
    d = np.array(d, dtype=float)
    kept = np.abs(d[d != 0])
    exact = len(kept) == len(d) <= LIMIT and len(np.unique(kept)) == len(kept)
    method = "exact" if exact else "asymptotic"
    r = stats.wilcoxon(d, zero_method="wilcox", correction=True, method=method)
    return {"d": d.tolist(), "statistic": r.statistic, "p": float(r.pvalue), "exact": exact}


def wilcoxon():
    rng = np.random.default_rng(1)
    rows = []
    for n in range(1, 61):
        for shift in (0.0, 0.4, 1.2):
            rows.append(wilcoxon_row(short(rng.normal(shift, 1.0, n))))
    for n in range(2, 61, 2):  # ties, and by the way zeros
        rows.append(wilcoxon_row(np.round(rng.normal(0.5, 2.0, n)) + 0.0))
        rows.append(wilcoxon_row(np.round(rng.normal(0.2, 1.0, n), 1) + 0.0))
    for n in (3, 8, 20, 50):
        d = short(rng.normal(0.3, 1.0, n))
        rows.append(wilcoxon_row(d[:-1] + [0.0]))  # one zero
        rows.append(wilcoxon_row([0.5] * n))  # all equal
        rows.append(wilcoxon_row([0.5, -0.5] * n))  # balanced: the statistic is the mean
        rows.append(wilcoxon_row(list(range(1, n + 1))))  # all on one side
        rows.append(wilcoxon_row([-(2.0**i) for i in range(n)]))
        rows.append(wilcoxon_row(short(np.array(d) * 1e-300)))
        rows.append(wilcoxon_row(short(np.array(d) * 1e300)))
    rows.append(wilcoxon_row(short(rng.normal(0.1, 1.0, 200))))
    return rows


# ---- Mann-Whitney U ----------------------------------------------------------------------------------------------


def mann_whitney_row(a, b):
    pooled = list(a) + list(b)
    exact = max(len(a), len(b)) <= LIMIT and len(set(pooled)) == len(pooled)
    method = "exact" if exact else "asymptotic"
    r = stats.mannwhitneyu(a, b, use_continuity=True, alternative="two-sided", method=method)
    row = {"a": list(map(float, a)), "b": list(map(float, b))}
    return row | {"statistic": float(r.statistic), "p": float(r.pvalue), "exact": exact}


def mann_whitney():
    rng = np.random.default_rng(2)
    rows = []
    sizes = [(n, n) for n in range(1, 61, 2)] + [(n, 7) for n in range(1, 61, 4)] + [(4, m) for m in range(1, 61, 4)]
    for n, m in sizes:
        for shift in (0.0, 0.7):
            rows.append(mann_whitney_row(short(rng.normal(shift, 1.0, n)), short(rng.normal(0.0, 1.0, m))))
    for n, m in [(2, 3), (6, 6), (6, 9), (12, 8), (20, 20), (36, 30), (50, 50), (60, 60)]:
        a, b = rng.normal(0.5, 2.0, n), rng.normal(0.0, 2.0, m)
        rows.append(mann_whitney_row(np.round(a) + 0.0, np.round(b) + 0.0))  # many ties
        rows.append(mann_whitney_row(np.round(a, 1) + 0.0, np.round(b, 1) + 0.0))  # some
        rows.append(mann_whitney_row([7.0] * n, [7.0] * m))  # nothing but ties
        rows.append(mann_whitney_row([7.0] * n, [7.0] * (m - 1) + [8.0]))
        rows.append(mann_whitney_row(range(n), range(n, n + m)))  # apart
        rows.append(mann_whitney_row(range(m, n + m), range(m)))
        rows.append(mann_whitney_row(short(a * 1e-300), short(b * 1e-300)))
        rows.append(mann_whitney_row(short(a * 1e300), short(b * 1e300)))
    # The crate statrs 0.19 gives 1.0 for these; scipy 0.0286 and 0.057.
    rows.append(mann_whitney_row([1, 2, 3, 4], [5, 6, 7, 8]))
    rows.append(mann_whitney_row([1, 2, 3], [4, 5, 6, 7]))
    return rows


# ---- Ratios ------------------------------------------------------------------------------------------------------


def rank_from(probabilities, largest, level=LEVEL):
    """The largest k with 1 - 2 P(S <= k-1) >= level, and that confidence."""
    best = None
    below = 0.0
    for k in range(1, largest // 2 + 1):
        below += probabilities(k - 1)
        if 1 - 2 * below >= level:
            best = (k, 1 - 2 * below)
    return best


def rank_from_normal(mean, sd, largest, level=LEVEL):
    best = None
    for k in range(1, largest // 2 + 1):
        confidence = 1 - 2 * stats.norm.cdf((k - 1 + 0.5 - mean) / sd)
        if confidence < level:
            break
        best = (k, float(confidence))
    return best


@functools.cache
def signed_rank_count(n, s):
    if s < 0 or s > n * (n + 1) // 2:
        return 0
    if n == 0:
        return 1
    return signed_rank_count(n - 1, s) + signed_rank_count(n - 1, s - n)


@functools.cache
def signed_rank_k(n, level=LEVEL):
    largest = n * (n + 1) // 2
    if n <= 12:  # every sign vector
        signs = itertools.product((0, 1), repeat=n)
        sums = np.bincount([sum(i for i, up in enumerate(s, 1) if up) for s in signs], minlength=largest + 1)
        return rank_from(lambda k: sums[k] / 2**n, largest, level)
    if n <= LIMIT:
        return rank_from(lambda k: signed_rank_count(n, k) / 2**n, largest, level)
    return rank_from_normal(n * (n + 1) / 4, math.sqrt(n * (n + 1) * (2 * n + 1) / 24), largest, level)


@functools.cache
def rank_sum_count(n, m, u):
    if u < 0 or u > n * m:
        return 0
    if n == 0 or m == 0:
        return 1
    return rank_sum_count(n - 1, m, u - m) + rank_sum_count(n, m - 1, u)


@functools.cache
def rank_sum_k(n, m):
    largest, total = n * m, math.comb(n + m, n)
    if total <= 20_000:  # every ranking
        choices = itertools.combinations(range(n + m), n)
        counts = np.bincount([sum(c) - n * (n - 1) // 2 for c in choices], minlength=largest + 1)
        return rank_from(lambda k: counts[k] / total, largest)
    if max(n, m) <= LIMIT:
        return rank_from(lambda k: rank_sum_count(n, m, k) / total, largest)
    return rank_from_normal(n * m / 2, math.sqrt(n * m * (n + m + 1) / 12), largest)


def ratio_row(a, b, logs, k, confidence):
    logs = np.sort(logs)
    ends = {"ratio": np.median(logs), "low": logs[k - 1], "high": logs[len(logs) - k]}
    return {"a": a, "b": b} | {name: float(np.exp(v)) for name, v in ends.items()} | {"confidence": float(confidence)}


def paired_row(a, b, level=LEVEL):
    r = np.log(np.array(a)) - np.log(np.array(b))
    walsh = [(r[i] + r[j]) / 2 for i in range(len(r)) for j in range(i, len(r))]
    return ratio_row(a, b, walsh, *signed_rank_k(len(r), level))


def unpaired_row(a, b):
    differences = np.subtract.outer(np.log(np.array(a)), np.log(np.array(b))).ravel()
    return ratio_row(a, b, differences, *rank_sum_k(len(a), len(b)))


def paired():
    rng = np.random.default_rng(3)
    rows = []
    for n in [*range(6, 25), *range(26, 61, 4), 49, 50, 51, 52, 60]:
        for ratio in (1.0, 0.8):
            rows.append(paired_row(times(rng, n, 100 * ratio), times(rng, n)))
    for n in (6, 9, 20, 55):
        a, b = times(rng, n), times(rng, n)
        rows.append(paired_row(short(np.array(a) * 1e200), short(np.array(b) * 1e200)))
        rows.append(paired_row(short(np.array(a) * 1e-200), short(np.array(b) * 1e100)))
        rows.append(paired_row(short(a, 2), short(b, 2)))  # ties
        rows.append(paired_row([3.0] * n, [2.0] * n))  # nothing but ties
    return rows


def paired_at():
    """Intervals of other confidences than LEVEL."""
    rng = np.random.default_rng(10)
    rows = []
    for alpha in (0.2, 0.025, 0.0125, 0.00625, 0.001):
        fewest = math.ceil(math.log2(2 / alpha))
        for n in (fewest, fewest + 1, 16, 24, 48, 64):
            rows.append({"alpha": alpha} | paired_row(times(rng, n, 90), times(rng, n), 1 - alpha))
    return rows


def unpaired():
    rng = np.random.default_rng(4)
    rows = []
    sizes = [(n, n) for n in (*range(6, 22), 25, 30, 36, 40, 50, 51, 60)]
    sizes += [(6, 7), (9, 6), (6, 9), (8, 7), (6, 36), (36, 6), (12, 30), (7, 50), (50, 49), (6, 51), (60, 6), (20, 60)]
    for n, m in sizes:
        for ratio in (1.0, 1.3):
            rows.append(unpaired_row(times(rng, n, 100 * ratio), times(rng, m)))
    for n, m in [(6, 6), (9, 7), (20, 12), (55, 20)]:
        a, b = times(rng, n), times(rng, m)
        rows.append(unpaired_row(short(np.array(a) * 1e200), short(np.array(b) * 1e200)))
        rows.append(unpaired_row(short(np.array(a) * 1e-200), short(np.array(b) * 1e100)))
        rows.append(unpaired_row(short(a, 2), short(b, 2)))
        rows.append(unpaired_row([3.0] * n, [2.0] * m))
    return rows


# ---- Order statistics --------------------------------------------------------------------------------------------


def order():
    rng = np.random.default_rng(5)
    rows = []
    samples = [times(rng, n) for n in [*range(1, 31), 40, 60, 119, 120, 121, 150]]
    samples += [short(rng.normal(0, 1, 9) * scale) for scale in (1e-300, 1e300)]
    samples += [[2.0] * 8, [-1.0, 0.0, -1.0, 0.0, 3.0, 3.0, 3.0]]
    for x in samples:
        n, s = len(x), np.sort(x)
        qs = [0.0, 0.025, 0.1, 0.25, 1 / 3, 0.5, 0.75, 0.9, 0.95, 0.99, 1.0]
        row = {"x": x, "median": float(np.median(x))}
        row["quantiles"] = [[q, float(np.quantile(x, q, method="linear"))] for q in qs]
        if n <= 120:
            k = rank_from(lambda i: math.comb(n, i) / 2**n, n)
        else:
            k = rank_from_normal(n / 2, math.sqrt(n) / 2, n)
        row["interval"] = k and [float(s[k[0] - 1]), float(s[n - k[0]]), k[1]]
        rows.append(row)
    return rows


# ---- The rest ----------------------------------------------------------------------------------------------------


def normal():
    rows = []
    for x in [*np.round(np.arange(-6, 26.5, 0.125), 3), 0.46875, 0.468751, 1e-10, -1e-10, 4.0000001, 3.9999999]:
        rows.append({"x": float(x), "upper_tail": float(special.ndtr(-x))})
    return rows


def quantiles_of_normal():
    ps = [1.0, 0.999, 0.9, 0.5, 0.3, 0.1, 0.05, 0.01, 0.05 / 18, 1e-4, 1e-8, 1e-15, 1e-100, 1e-300]
    return [{"p": p, "z": abs(float(special.ndtri(p / 2)))} for p in ps]


def holm_row(p):
    """By its definition as a closed test: the largest Bonferroni p of all the sets that a hypothesis is in."""
    m = len(p)
    sets = [s for size in range(1, m + 1) for s in itertools.combinations(range(m), size)]
    bonferroni = {s: min(1.0, len(s) * min(p[i] for i in s)) for s in sets}
    return {"p": p, "adjusted": [max(bonferroni[s] for s in sets if i in s) for i in range(m)]}


def holm():
    rng = np.random.default_rng(6)
    rows = [holm_row(short(rng.random(m) ** power)) for m in range(1, 11) for power in (1, 3, 6)]
    return rows + [holm_row([0.01, 0.01, 0.01]), holm_row([0.0, 1.0, 0.5, 0.0]), holm_row([0.04, 0.03, 0.9, 0.03])]


def geometric_means():
    rng = np.random.default_rng(7)
    samples = [short(rng.lognormal(0, spread, n)) for n in (1, 2, 5, 18, 60) for spread in (0.1, 2.0, 60.0)]
    return [{"x": x, "mean": float(stats.gmean(x))} for x in samples + [[1e300, 1e300, 1e300], [1e-300, 1e300]]]


def benjamini_hochberg():
    rng = np.random.default_rng(17)
    samples = [short(rng.random(m) ** power) for m in (1, 2, 5, 18, 180) for power in (1, 3, 9)]
    samples += [[0.03125] * 18, [0.01, 0.01, 0.01], [0.0, 1.0, 0.5, 0.0], [0.04, 0.03, 0.9, 0.03]]
    return [{"p": p, "adjusted": [float(q) for q in stats.false_discovery_control(p)]} for p in samples]


def noise():
    """Floors of tests from the pairs of configurations with themselves: sums over all pairs, by brute force."""
    rng = np.random.default_rng(8)
    rows = []
    for tests, pairs in [(1, 6), (2, 10), (8, 10), (8, 40), (18, 7)]:
        for off in (0.0, 0.03):
            shown = [[short(rng.normal(off * (t == 0), 0.002 + 0.05 * rng.random() ** 4, pairs), 7)
                      for _ in range(int(rng.integers(1, 3)))] for t in range(tests)]
            pooled = []
            for configurations in shown:
                variances = []
                for r in configurations:
                    walsh = [(x + y) / 2 for i, x in enumerate(r) for y in r[i:]]
                    variances.append(max(np.mean(np.square(r)) / len(r), np.median(walsh) ** 2))
                pooled.append((np.average(variances, weights=[len(r) for r in configurations]),
                               sum(len(r) for r in configurations)))
            usual = np.median([variance for variance, _ in pooled])
            z = stats.norm.ppf(0.975)
            floors = [float(np.expm1(z * np.sqrt(np.average([usual, v], weights=[6, n])))) for v, n in pooled]
            rows.append({"shown": shown, "floors": floors, "others": float(np.expm1(z * np.sqrt(usual)))})
    return rows


def paired_sessions():
    """Student's test of one sample of logarithms by scipy: one ratio a session."""
    rng = np.random.default_rng(19)
    rows = []
    for n in (2, 3, 4, 6, 10, 25):
        for factor in (1.0, 1.05, 0.3):
            for alpha in (0.05, 0.0125):
                ratios = short(factor * np.exp(rng.normal(0.0, 0.02, n)), 9)
                test = stats.ttest_1samp(np.log(ratios), 0.0)
                low, high = test.confidence_interval(1 - alpha)
                rows.append({"ratios": ratios, "alpha": alpha, "ratio": float(np.exp(np.mean(np.log(ratios)))),
                             "low": float(np.exp(low)), "high": float(np.exp(high)), "p": float(test.pvalue)})
    return rows


def sessions():
    """Student's test of two samples of logarithms by scipy; with further groups, the residuals of an analysis of variance."""
    rng = np.random.default_rng(18)
    rows = []
    for a, b, others in [(2, 1, []), (2, 2, []), (3, 3, []), (5, 2, []), (10, 12, []), (1, 1, [2]), (1, 1, [5]),
                         (2, 3, [4, 1, 3]), (1, 4, [1])]:
        for factor in (1.0, 1.08, 0.3):
            of = lambda n, scale: short(scale * np.exp(14.0 + rng.normal(0.0, 0.02, n)), 9)
            side_a, side_b = of(a, factor), of(b, 1.0)
            groups = [of(n, rng.random() + 0.5) for n in others]
            all_groups = [side_a, side_b] + groups
            values = np.log(np.concatenate(all_groups))
            dummies = np.array([[float(at == g) for g in range(len(all_groups))]
                                for at, group in enumerate(all_groups) for _ in group])
            estimates, *_ = np.linalg.lstsq(dummies, values, rcond=None)
            freedom = len(values) - len(all_groups)
            error = np.sqrt(np.sum((values - dummies @ estimates) ** 2) / freedom * (1 / a + 1 / b))
            difference = estimates[0] - estimates[1]
            p = 2 * stats.t.sf(abs(difference) / error, freedom)
            reach = stats.t.ppf(0.975, freedom) * error
            low, high = difference - reach, difference + reach
            if not others and min(a, b) > 1:
                test = stats.ttest_ind(np.log(side_a), np.log(side_b), equal_var=True)
                interval = test.confidence_interval(0.95)
                assert np.allclose([test.pvalue, *interval], [p, low, high], rtol=1e-9)
            apart = np.expm1(stats.t.ppf(0.975, freedom) * error / np.sqrt(1 / a + 1 / b) * np.sqrt(2))
            rows.append({"a": side_a, "b": side_b, "others": groups, "p": float(p), "ratio": float(np.exp(difference)),
                         "low": float(np.exp(low)), "high": float(np.exp(high)), "apart": float(apart)})
    return rows


def least_squares():
    rng = np.random.default_rng(11)
    rows = []
    for n, k in [(1, 1), (4, 2), (6, 6), (12, 3), (20, 5), (40, 9), (40, 0)]:
        columns = rng.normal(0, 1, (n, k))
        if k >= 3:
            columns[:, k - 1] = columns[:, 0] - 2 * columns[:, 1]  # a sum of others
        columns = np.array([short(row) for row in columns]).reshape(n, k)
        if k >= 3:
            columns[:, k - 1] = columns[:, 0] - 2 * columns[:, 1]
        rows.append(least_squares_row(columns, short(rng.normal(3, 1, n))))
    # What the analysis of a grid has: ones, and zeros and ones.
    for levels in [(2, 3), (3, 3, 2), (2, 2, 2, 2)]:
        grid = list(itertools.product(*map(range, levels)))
        columns = [[1.0] * len(grid)]
        for at, count in enumerate(levels):
            columns += [[float(cell[at] == level) for cell in grid] for level in range(1, count)]
        rows.append(least_squares_row(np.array(columns).T, short(rng.normal(0, 1, len(grid)))))
    return rows


def least_squares_row(columns, y):
    y = np.array(y)
    rank = 0
    residual = float(y @ y)
    if columns.shape[1] > 0:
        solution, _, rank, _ = np.linalg.lstsq(columns, y, rcond=1e-9)
        residual = float(np.sum((y - columns @ solution) ** 2))
    return {"columns": columns.T.tolist(), "y": y.tolist(), "residual": residual, "rank": int(rank), "total": float(y @ y)}


MASK = (1 << 64) - 1


def splitmix64(seed):
    while True:
        seed = (seed + 0x9E3779B97F4A7C15) & MASK
        z = seed
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        yield z ^ (z >> 31)


def bootstrap():
    rng = np.random.default_rng(9)
    rows = []
    for n, seed, resamples in [(6, 0, 50), (9, 1, 200), (20, 2**63 + 5, 1000), (35, 2**64 - 1, 333)]:
        x, bits = times(rng, n), splitmix64(seed)
        draws = [[x[(next(bits) * n) >> 64] for _ in x] for _ in range(resamples)]
        means = [math.fsum(d) / n for d in draws]
        low, high = np.quantile(means, [0.025, 0.975])
        row = {"x": x, "seed": str(seed), "resamples": resamples}
        rows.append(row | {"low": float(low), "high": float(high)})
    return rows


# ---- Student's t and scaling ------------------------------------------------------------------------------------


def student():
    rows = []
    for freedom in (1, 2, 3, 4, 5, 6, 7, 10, 11, 30, 99, 1000, 1001):
        for t in (0.0, 0.001, 0.5, 1.0, 1.96, 2.571, 4.3, 12.7, 63.7):
            rows.append({"t": t, "freedom": freedom, "p": float(2 * stats.t.sf(t, freedom))})
        for p in (0.05, 0.01, 0.001):
            rows.append({"t": float(stats.t.isf(p / 2, freedom)), "freedom": freedom, "p": p})
    return rows


def scaling_design(u, knee):
    """A constant and the axis; with a knee at index `knee`, what lies before and after it."""
    columns = [u] if knee is None else [np.minimum(u - u[knee], 0.0), np.maximum(u - u[knee], 0.0)]
    return np.column_stack([np.ones(len(u)), *columns])


def scaling_estimate(samples, shared, combination):
    """A combination of what was measured at each x: value, standard error, degrees of freedom."""
    if shared:
        a_round = np.array(samples) @ combination
        n = len(a_round)
        cosines = min(max(5, n // 2), n - 1)
        # The orthonormal discrete cosine transform: its first value is the mean, the next ones are the slowest cosines.
        shares = fft.dct(a_round, norm="ortho")[1 : cosines + 1]
        return a_round.mean(), math.sqrt(np.mean(shares**2) / n), cosines
    means = np.array([np.mean(runs) for runs in samples])
    parts = np.array([c**2 * np.var(runs, ddof=1) / len(runs) for c, runs in zip(combination, samples)])
    freedom = parts.sum() ** 2 / sum(part**2 / (len(runs) - 1) for part, runs in zip(parts, samples))
    return means @ combination, math.sqrt(parts.sum()), math.floor(freedom)


def scaling_row(x, samples, shared):
    u = np.log(x)
    means = np.mean(samples, axis=0) if shared else np.array([np.mean(runs) for runs in samples])

    def fit(knee):
        design = scaling_design(u, knee)
        return np.linalg.lstsq(design, means, rcond=None)[0], design

    def misfit(knee):
        coefficients, design = fit(knee)
        return float(np.sum((design @ coefficients - means) ** 2))

    knee = None
    inner = range(1, len(x) - 1)
    if len(x) >= 4:
        best = min(inner, key=misfit)
        weights = np.linalg.pinv(scaling_design(u, best))
        value, error, freedom = scaling_estimate(samples, shared, weights[2] - weights[1])
        beyond = abs(value) - 0.1
        if beyond > 0 and 2 * stats.t.sf(beyond / error, freedom) * len(inner) < 0.01:
            knee = best
    weights = np.linalg.pinv(scaling_design(u, knee))
    slopes = []
    for combination in weights[1:]:
        value, error, freedom = scaling_estimate(samples, shared, combination)
        reach = stats.t.isf((1 - LEVEL) / 2, freedom) * error
        slopes.append([float(value), float(value - reach), float(value + reach)])
    coefficients, design = fit(knee)
    fitted = design @ coefficients
    return {
        "x": list(x), "samples": samples, "shared": shared, "knee": knee, "slopes": slopes,
        "fitted": fitted.tolist(), "off": float(np.exp(np.max(np.abs(means - fitted))) - 1),
    }


def scaling():
    rng = np.random.default_rng(15)
    rows = []
    axes = ([1, 2, 4], [1, 2, 4, 8], [1000, 5000, 20000, 100000], [512, 1024, 4096, 8192, 65536], [1, 2, 3, 4, 6, 8, 12, 16])
    for x in axes:
        u = np.log(np.array(x, dtype=float))
        for bend in (0.0, -0.9, 0.3):
            at = u[int(rng.integers(1, len(x) - 1))]
            truth = 0.95 * u + bend * np.maximum(u - at, 0.0) + rng.normal(0.0, 5.0)
            for noise in (0.01, 0.1):
                n = int(rng.integers(3, 12))
                rounds = [short(truth + rng.normal(0.0, 0.2) + rng.normal(0.0, noise, len(x)), 7) for _ in range(n)]
                rows.append(scaling_row(x, rounds, True))
                sizes = rng.integers(3, 12, len(x))
                runs = [short(at_x + rng.normal(0.0, noise, m), 7) for at_x, m in zip(truth, sizes)]
                rows.append(scaling_row(x, runs, False))
    return rows


def drift():
    rng = np.random.default_rng(16)
    rows = []
    for n in (6, 7, 12, 12, 12, 30):
        places = [(i + 0.5) / n for i in range(n)]
        for change in (0.0, 0.3, -0.5):
            figures = short(np.exp(11.0 + np.log1p(change) * np.array(places) + rng.normal(0.0, 0.1, n)), 9)
            fit = stats.linregress(places, np.log(figures))
            reach = stats.t.ppf(0.975, n - 2) * fit.stderr
            rows.append({"places": places, "figures": figures,
                         "drift": [float(np.expm1(x)) for x in (fit.slope, fit.slope - reach, fit.slope + reach)]})
    return rows


if __name__ == "__main__":
    with np.errstate(all="raise", under="ignore"):
        for table in (wilcoxon, mann_whitney, paired, paired_at, unpaired, order, normal, quantiles_of_normal, holm,
                      benjamini_hochberg, geometric_means, noise, paired_sessions, sessions, least_squares, bootstrap, student,
                      scaling, drift):
            with np.errstate(divide="ignore", invalid="ignore"):
                write(f"{table.__name__}.json", table())

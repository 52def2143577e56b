"""When a statement about two rows holds."""

import dataclasses
import math

import numpy as np
import pytest

from jetgram.studies.claims import AlmostAsGood, Better, BetterOnAverage, LittleGain, MoreRobust, NoGain, SlightlyBetter
from jetgram.studies.tables import Row, table1, table2, table3
from jetgram.studies.variants import variants
from jetgram.studies.verdicts import CORRELATION, Difference, difference, errors_of_sum, missing, weakest, word_of

from .numbers import line_of, paper_lines

ROWS = {row.name: row for table in (table1(), table2(), table3()) for row in table.rows}
KT, ANTIKT, TOWERS = "particles-simple-kt", "particles-simple-antikt", "towers-simple-kt"


def lines(**numbers):
    """Rows by short names, with AUC, spread and test error."""
    names = {"kt": KT, "antikt": ANTIKT, "towers": TOWERS, "ca": "particles-simple-ca"}
    return {
        names[short]: line_of(ROWS[names[short]], auc, spread, 60.0, 2.0, seeds=4, test_error=test)
        for short, (auc, spread, test) in numbers.items()
    }


def test_rows_on_the_same_jets_share_their_statistical_error():
    there = lines(kt=(0.92, 0.002, 0.0015), antikt=(0.91, 0.004, 0.002), towers=(0.88, 0.002, 0.0015))
    same = difference(there[KT], there[ANTIKT], "AUC")
    assert same.value == pytest.approx(0.01)
    assert same.training == pytest.approx(math.hypot(0.002, 0.004) / 2)
    covariance = CORRELATION["AUC"] * 0.0015 * 0.002
    assert same.test == pytest.approx(math.sqrt(0.0015**2 + 0.002**2 - 2 * covariance))
    assert same.paper == pytest.approx(0.9185 - 0.9096)
    other = difference(there[KT], there[TOWERS], "AUC")
    assert other.test == pytest.approx(math.hypot(0.0015, 0.0015))


@pytest.mark.parametrize(
    ("value", "paper", "word"),
    [
        (0.0031, 0.0031, "holds"),
        (0.0029, 0.0031, "open"),
        (0.0001, 0.0064, "does not hold"),  # half of the paper's difference is excluded
        (0.0001, 0.0060, "open"),
        (0.0029, None, "open"),
        (-0.0029, 0.0000, "open"),
        (-0.0031, None, "does not hold"),
    ],
)
def test_three_sigma_decide(value, paper, word):
    assert word_of(Difference("AUC", value, 0.0006, 0.0008, paper)) == word


@pytest.mark.parametrize(
    ("claim", "first", "second", "word"),
    [
        (Better, 0.9185, 0.9096, "holds"),
        (Better, 0.9185, 0.9183, "does not hold"),
        (Better, 0.9185, 0.9150, "open"),
        (Better, 0.9096, 0.9185, "does not hold"),
        (SlightlyBetter, 0.9185, 0.9180, "open"),
        (SlightlyBetter, 0.9185, 0.9096, "holds"),
        (SlightlyBetter, 0.9096, 0.9185, "does not hold"),
        (NoGain, 0.9185, 0.9180, "holds"),
        (NoGain, 0.9185, 0.9096, "does not hold"),
        (NoGain, 0.9096, 0.9185, "holds"),
        (AlmostAsGood, 0.9185, 0.9096, "holds"),  # 0.009, and the limit is twice the paper's 0.0089
        (AlmostAsGood, 0.9300, 0.9000, "does not hold"),
        (AlmostAsGood, 0.9265, 0.9096, "open"),
        (BetterOnAverage, 0.9185, 0.9096, "holds"),
    ],
)
def test_claims_about_pairs(claim, first, second, word):
    there = lines(kt=(first, 0.001, 0.0015), antikt=(second, 0.001, 0.0015))
    assert claim(((KT, ANTIKT),), ("AUC",)).decide(there).word == word


def test_nothing_is_said_of_a_gain_that_could_not_be_seen():
    there = lines(kt=(0.9185, 0.001, 0.01), antikt=(0.9180, 0.001, 0.01))
    assert NoGain(((KT, ANTIKT),), ("AUC",)).decide(there).word == "open"


def test_what_is_not_run_leaves_a_statement_open_unless_another_part_fails():
    claim = Better(((KT, ANTIKT), ("particles-simple-ca", ANTIKT)), ("AUC",))
    good = lines(kt=(0.9185, 0.001, 0.001), antikt=(0.9096, 0.001, 0.001))
    verdict = claim.decide(good)
    assert verdict.word == "open"
    assert verdict.evidence[-1] == "not run: `particles-simple-ca`"
    bad = lines(kt=(0.9096, 0.001, 0.001), antikt=(0.9185, 0.001, 0.001))
    assert claim.decide(bad).word == "does not hold"
    assert claim.decide({}).word == "open"


def test_means_over_pairs_reduce_the_error_of_seeds_alone():
    there = lines(kt=(0.92, 0.002, 0.001), ca=(0.92, 0.002, 0.001), antikt=(0.91, 0.002, 0.001))
    claim = BetterOnAverage(((KT, ANTIKT), ("particles-simple-ca", ANTIKT)), ("AUC",))
    one = difference(there[KT], there[ANTIKT], "AUC")
    expected = Difference("", 0.01, one.training / math.sqrt(2), one.test)
    assert f"+0.0100 ± {expected.error:.4f} ({expected.sigmas:+.1f} σ" in claim.decide(there).evidence[0]


def with_bound(line):
    """The same row, but no background passes."""
    records = [record.model_copy(update={"r_is_bound": True, "r_error": None}) for record in line.records]
    return type(line).of(line.row, records, 100_000)


def test_a_bound_is_no_difference():
    there = lines(kt=(0.92, 0.002, 0.001), antikt=(0.91, 0.002, 0.001))
    there[KT] = with_bound(there[KT])
    assert difference(there[KT], there[ANTIKT], "R") is None


@pytest.mark.parametrize("claim", [Better, SlightlyBetter, NoGain, AlmostAsGood, BetterOnAverage])
def test_a_bound_leaves_a_statement_about_r_open(claim):
    there = lines(kt=(0.9300, 0.001, 0.0005), antikt=(0.9096, 0.001, 0.0005))
    there[KT] = with_bound(there[KT])
    verdict = claim(((KT, ANTIKT),)).decide(there)
    assert verdict.word in ("open", "does not hold")
    assert verdict.evidence[-1] == f"R is only a bound: `{KT}`"
    assert not any("bound" in line for line in claim(((KT, ANTIKT),), ("AUC",)).decide(there).evidence)
    assert Better(((KT, ANTIKT),)).decide(there).word == "open"
    assert Better(((KT, ANTIKT),), ("AUC",)).decide(there).word == "holds"


def robustness(seeds, spread=10.0):
    """Of two networks of which the second loses much more of its R."""
    there = paper_lines()
    for key, loss in ((KT, 0.04), ("particles-simple-desc-pt", 0.40)):
        nominal = line_of(ROWS[key], 0.9185, 0.0006, 68.0, spread, seeds=seeds)
        row = ROWS[f"{key} collinear10-max"]
        changed = [
            record.model_copy(update={"scenario": row.scenario, "r": record.r * (1 - loss)})
            for record in nominal.records
        ]
        there[key], there[row.name] = nominal, type(nominal).of(row, changed, 100_000)
    return there


def test_a_single_seed_has_the_spread_of_the_papers_loss():
    """Its own is not known, and it is not zero."""
    claim = MoreRobust(KT, "particles-simple-desc-pt", "collinear10-max")
    there = robustness(seeds=1)
    nominal, changed = (ROWS[name].published for name in (KT, f"{KT} collinear10-max"))
    relative = [each.rejection_error / each.rejection for each in (nominal, changed)]
    found = claim._loss(there, KT)
    assert found.training == pytest.approx(0.96 * math.hypot(*relative))
    unknown = dataclasses.replace(ROWS[KT], published=None)
    there[KT] = dataclasses.replace(there[KT], row=unknown)
    verdict = claim.decide(there)
    assert verdict.word == "open"
    assert "of single seeds, whose spread is not known" in verdict.evidence[0]


def test_a_loss_of_a_bound_says_which_it_is():
    there = robustness(seeds=5)
    there[KT] = with_bound(there[KT])
    verdict = MoreRobust(KT, "particles-simple-desc-pt", "collinear10-max").decide(there)
    assert (verdict.word, verdict.evidence) == ("open", (f"R is only a bound: `{KT}`",))


def test_losses_are_taken_seed_by_seed():
    """Seeds that differ by more than the loss, but all lose the same fraction."""
    there = robustness(seeds=5)
    claim = MoreRobust(KT, "particles-simple-desc-pt", "collinear10-max")
    verdict = claim.decide(there)
    assert verdict.word == "holds"
    assert "loss of R, `particles-simple-kt` collinear10-max: +0.040 ± " in verdict.evidence[0]
    assert verdict.evidence[2].startswith("loss of R, `particles-simple-desc-pt` − `particles-simple-kt`: +0.360 ± ")
    assert MoreRobust("particles-simple-desc-pt", KT, "collinear10-max").decide(there).word == "does not hold"


@pytest.mark.parametrize(
    ("third", "word"), [(0.9870, "holds"), (0.9700, "holds"), (0.9892, "open"), (0.9990, "does not hold")]
)
def test_a_gain_is_little_compared_with_the_one_before(third, word):
    names = [f"events-{jets}-jets-kt" for jets in (1, 2, 5)]
    there = {
        name: line_of(ROWS[name], auc, 0.0005, 100.0, 5.0, test_error=0.0004)
        for name, auc in zip(names, (0.9602, 0.9866, third), strict=True)
    }
    assert LittleGain((tuple(names),)).decide(there).word == word


def test_two_gains_share_the_row_between_them():
    """The error of the second gain less a tenth of the first, against that of drawn numbers."""
    names = [f"events-{jets}-jets-kt" for jets in (1, 2, 5)]
    rows = [line_of(ROWS[name], 0.98, 0.001, 100.0, 5.0, seeds=4, test_error=0.002) for name in names]
    factors = [0.1, -1.1, 1.0]
    training, test = errors_of_sum(rows, factors, "AUC")
    assert training == pytest.approx(0.001 / 2 * math.sqrt(0.1**2 + 1.1**2 + 1))
    shared = np.full((3, 3), CORRELATION["AUC"]) + (1 - CORRELATION["AUC"]) * np.eye(3)
    assert test == pytest.approx(0.002 * math.sqrt(np.array(factors) @ shared @ factors))


def test_of_many_numbers_the_weakest_are_shown():
    found = [Difference(f"number {i}", 0.001 * i, 0.001, 0.0) for i in range(1, 9)]
    shown = weakest(found)
    assert [line.split(":")[0] for line in shown[:4]] == ["number 1", "number 2", "number 3", "number 4"]
    assert shown[4] == "and 4 more, from +5.0 to +8.0 σ"
    assert weakest(found, sign=-1)[0].startswith("number 8")
    assert missing({}, [f"row {i}" for i in range(9)]) == ["not run: `row 0`, `row 1`, `row 2`, `row 3` and 5 more"]


def test_an_unknown_difference_is_never_infinite():
    assert Difference("AUC", 0.0, 0.0, 0.0).sigmas == 0
    assert isinstance(ROWS[KT], Row)


@pytest.mark.parametrize(("seeds", "training"), [(4, 0.002 / 2), (1, 0.002)])
def test_a_single_seed_without_a_published_spread_has_the_spread_of_its_partner(seeds, training):
    """Its own is not known, and it is not zero."""
    kt = line_of(ROWS[KT], 0.92, 0.002, 60.0, 2.0, seeds=4)
    rows = {row.name: row for row in variants().rows}
    children = line_of(rows["particles-simple-kt-children"], 0.91, 0.002, 50.0, 2.0, seeds=seeds)
    assert children.auc.paper.deviation is None
    found = difference(kt, children, "AUC")
    assert found.training == pytest.approx(math.hypot(0.002 / 2, training))


def test_nothing_is_decided_where_no_spread_is_known():
    rows = {row.name: row for row in variants().rows}
    first, second = (
        line_of(rows[f"particles-simple-kt-{name}"], auc, None, 50.0, None, seeds=1)
        for name, auc in (("children", 0.92), ("trimmed", 0.90))
    )
    found = difference(first, second, "AUC")
    assert word_of(found) == "open"
    assert "single seeds, whose spread is not known" in str(found)

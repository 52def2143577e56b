"""Each network of others against its defining formula, in plain loops."""

import itertools

import numpy as np
import pytest
import torch

from jetgram.inputs.particles import ParticleSets
from jetgram.inputs.schedule import Schedule
from jetgram.inputs.trees import TreeInput
from jetgram.networks.peers.efn import EnergyFlowEmbedding
from jetgram.networks.peers.layers import EdgeConv, Neighbours
from jetgram.networks.peers.lundnet import relatives
from jetgram.networks.peers.part import PAIR_CENTER, PAIR_SCALE, Attention, ParticleTransformer, pair_features
from jetgram.networks.peers.particlenet import nearest
from jetgram.networks.peers.pfn import ParticleFlow

RNG = np.random.default_rng(1)


def toy(counts):
    n = sum(counts)
    points = np.stack([RNG.exponential(5, n) + 0.1, RNG.normal(size=n), RNG.normal(size=n)], axis=1)
    return ParticleSets(RNG.normal(size=(n, 6)), points, np.concatenate([[0], np.cumsum(counts)]))


def test_pfn_is_a_sum_over_constituents():
    net, sets = ParticleFlow(6).double(), toy([3, 1, 5])
    expected = [net.phi(torch.from_numpy(sets[[jet]].features)).sum(dim=0) / 10 for jet in range(3)]
    torch.testing.assert_close(net(sets), torch.stack(expected))


def test_efn_is_infrared_and_collinear_safe_for_any_weights():
    """A constituent split in two parallel ones, and another without momentum in any direction, change nothing."""
    net, sets = EnergyFlowEmbedding().double(), toy([4])
    for weight in net.parameters():
        torch.nn.init.normal_(weight)
    split = ParticleSets(sets.features[[0, 0, 1, 2, 3]], sets.points[[0, 0, 1, 2, 3]].copy(), np.array([0, 5]))
    split.points[:2, 0] *= [0.3, 0.7]
    torch.testing.assert_close(net(split), net(sets), rtol=1e-12, atol=1e-10)
    soft = ParticleSets(sets.features[[0, 1, 2, 3, 3]], sets.points[[0, 1, 2, 3, 3]].copy(), np.array([0, 5]))
    soft.features[4], soft.points[4] = 3.0, (0.0, 3.0, 3.0)
    torch.testing.assert_close(net(soft), net(sets), rtol=1e-12, atol=1e-10)


def test_efn_is_linear_in_momentum_fractions():
    net, sets = EnergyFlowEmbedding().double(), toy([4])
    twice = ParticleSets(sets.features, sets.points * [2, 1, 1], sets.offsets)
    torch.testing.assert_close(net(twice), net(sets))


def test_edges_are_maps_of_both_ends():
    conv = EdgeConv(3, (5, 5)).double()
    x = torch.randn(4, 3, dtype=torch.float64)
    neighbours = Neighbours.where(
        torch.tensor([[1, 2], [0, 0], [3, 1], [0, 0]]), torch.tensor([[1, 1], [1, 0], [1, 1], [0, 0]]) > 0, x
    )
    found = conv(x, neighbours)
    edges = {0: [1, 2], 1: [0], 2: [3, 1], 3: []}
    for node, others in edges.items():
        messages = [conv.edges(torch.relu(conv.own(x[node]) + conv.other(x[other]))) for other in others]
        mean = sum(messages) / len(messages) if messages else torch.zeros(5, dtype=torch.float64)
        torch.testing.assert_close(found[node], torch.relu(conv.norm(mean + conv.shortcut(x[node]))))


def test_mothers_and_daughters_are_those_of_the_tree(qcd_jets):
    """Every edge goes both ways, and every declustering but the root has one mother."""
    trees = TreeInput(topology="ca", features="lund").read(qcd_jets[:10]).inputs
    assert isinstance(trees, Schedule)
    rows, offsets = relatives(trees)
    for begin, end in itertools.pairwise(offsets):
        own = rows[begin:end]
        assert own[0, 0] == -1
        assert (own[1:, 0] >= begin).all()
        assert ((own < end) & ((own >= begin) | (own == -1))).all()
    for node, (mother, *daughters) in enumerate(rows):
        assert mother == -1 or node in rows[mother, 1:]
        assert all(rows[daughter, 0] == node for daughter in daughters if daughter >= 0)


def test_the_nearest_are_found_by_brute_force():
    counts = [9, 2, 1, 5]
    there = torch.arange(9) < torch.tensor(counts)[:, None]
    places = torch.from_numpy(RNG.normal(size=(4, 9, 2)))
    rows = torch.arange(4 * 9)[there.flatten()]
    found = nearest(places, there, rows, k=3)
    first = 0
    for jet, count in enumerate(counts):
        for own in range(count):
            distance = (places[jet, :count] - places[jet, own]).norm(dim=1)
            distance[own] = torch.inf
            expected = {first + int(i) for i in distance.argsort()[: min(3, count - 1)]}
            weight = found.weight[first + own]
            assert set(found.rows[first + own][weight > 0].tolist()) == expected
            assert float(weight.sum()) == (1.0 if expected else 0.0)
        first += count


def test_the_variables_of_pairs():
    (pairs,) = pair_features(torch.tensor([[[40.0, 0.0, 0.0], [10.0, 0.3, 0.4]]])).transpose(0, 1)
    logs = np.log([0.5, 10 * 0.5, 10 / 50, 400 * 0.25])
    expected = (logs - PAIR_CENTER) / PAIR_SCALE
    np.testing.assert_allclose(pairs[:, 0, 1], expected, rtol=1e-5)
    np.testing.assert_allclose(pairs[:, 1, 0], expected, rtol=1e-5)


def test_attention_is_pytorchs():
    ours = Attention(8, 2).double()
    theirs = torch.nn.MultiheadAttention(8, 2, batch_first=True, dtype=torch.float64)
    with torch.no_grad():
        theirs.in_proj_weight.copy_(torch.cat([ours.query.W, ours.key.W, ours.value.W]))
        theirs.in_proj_bias.copy_(torch.cat([ours.query.b, torch.zeros(8), ours.value.b]))
        theirs.out_proj.weight.copy_(ours.out.W)
        theirs.out_proj.bias.copy_(ours.out.b)
    x, bias = torch.randn(3, 5, 8, dtype=torch.float64), torch.randn(3, 2, 5, 5, dtype=torch.float64)
    expected, _ = theirs(x, x, x, attn_mask=bias.flatten(0, 1))
    torch.testing.assert_close(ours(x, x, bias), expected)


def test_what_is_written_into_padding_is_not_read():
    """The large jet makes room behind the small one; whatever is in it, the small one is the same."""
    net = ParticleTransformer(6).double()
    sets = toy([2, 7])
    torch.testing.assert_close(net(sets)[:1], net(sets[[0]]))


@pytest.mark.parametrize(("net", "load"), [(ParticleFlow(6), lambda n: n), (ParticleTransformer(6), lambda n: n * n)])
def test_no_bucket_is_heavier_than_allowed_and_every_jet_is_in_one(net, load):
    """But for a jet that is too heavy even alone."""
    sizes = np.sort(RNG.integers(1, 400, size=2000))[::-1]
    buckets = [np.arange(len(sizes))[some] for some in net.buckets(sizes)]
    np.testing.assert_array_equal(np.concatenate(buckets), np.arange(len(sizes)))
    for bucket in buckets:
        assert len(bucket) == 1 or len(bucket) * load(sizes[bucket[0]]) <= net.together
    assert max(map(len, buckets)) > 4 * len(buckets[0])  # small jets are many together

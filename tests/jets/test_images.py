import numpy as np
import pytest

from jetgram.errors import SettingsError
from jetgram.jets.images import CHAINS, PIXELS, jet_images


@pytest.mark.parametrize("chain", CHAINS)
def test_every_chain_gives_normalised_images(qcd_jets, chain):
    images = jet_images(qcd_jets[:20], chain=chain)
    assert images.pixels.shape == (20, PIXELS, PIXELS)
    np.testing.assert_allclose((images.pixels**2).sum(axis=(1, 2)), 1, rtol=1e-12)
    np.testing.assert_allclose(images.norm, np.sqrt((images.pt**2).sum(axis=(1, 2))), rtol=1e-12)
    wide = jet_images(qcd_jets[:20], trim=0.0, chain=chain)
    assert np.count_nonzero(wide.pixels) > np.count_nonzero(images.pixels)


def test_an_unknown_chain_is_named(qcd_jets):
    with pytest.raises(SettingsError, match="'splines'; did you mean 'spline'"):
        jet_images(qcd_jets, chain="splines")

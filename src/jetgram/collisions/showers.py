r"""Other parton showers for the same hard processes: what a tagger learned from one may not hold in another.

| shower | | $\alpha_s(m_Z)$ |
|---|---|---|
| `pythia` | Pythia's own ("simple") shower, ordered in pT, with the Monash tune | 0.1365 |
| `vincia` | Vincia's sector antenna shower, with Vincia's own tune of hadronisation and multiple interactions | 0.118 |

The two couplings are of different schemes (Vincia's is translated to the CMW scheme inside) and
cannot be compared; a variation is relative to the shower's own. Dire, the third of Pythia 8.3, was removed from Pythia
with version 8.316.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

Shower = Literal["pythia", "vincia"]

_LINES: Mapping[Shower, tuple[str, ...]] = {
    "pythia": (),
    "vincia": ("PartonShowers:model = 2", "Vincia:tune = 0", "Print:verbosity = 0"),  # without its banner
}
_COUPLINGS: Mapping[Shower, tuple[str, ...]] = {
    "pythia": ("TimeShower:alphaSvalue", "SpaceShower:alphaSvalue"),
    "vincia": ("Vincia:alphaSvalue",),
}


def shower_settings(shower: Shower = "pythia", alpha_s: float | None = None) -> tuple[str, ...]:
    """Lines of Pythia settings; none for Pythia's defaults.

    Args:
        shower: the name of the shower.
        alpha_s: coupling at the Z mass, for initial- and final-state radiation; None leaves the shower's own.

    Example:
        >>> shower_settings(), shower_settings(alpha_s=0.12)
        ((), ('TimeShower:alphaSvalue = 0.12', 'SpaceShower:alphaSvalue = 0.12'))
        >>> shower_settings("vincia")
        ('PartonShowers:model = 2', 'Vincia:tune = 0', 'Print:verbosity = 0')
    """
    couplings = () if alpha_s is None else tuple(f"{name} = {alpha_s}" for name in _COUPLINGS[shower])
    return (*_LINES[shower], *couplings)

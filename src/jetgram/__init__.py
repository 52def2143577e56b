"""jetgram: networks that read jets the way a parser reads sentences (arXiv:1702.00748)."""

__version__ = "0.1.0"

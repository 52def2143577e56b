"""The paper's tables and figures, made again: what they need, in which order, and what comes out."""

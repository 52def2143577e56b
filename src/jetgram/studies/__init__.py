"""The paper's tables and figures, reproduced: what they need, in which order, and what comes out."""

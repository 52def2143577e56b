"""Networks of others to compare with, in plain PyTorch: one file each, as published but for what its docstring says."""

"""Torch in forked processes.

A fork copies the memory of torch's pool of threads but not the threads, and a child that hands work to them waits
forever. A forked child therefore computes with torch in its one thread; `torch.set_num_threads` changes that at its own
risk. The native core starts new threads in a child and needs none of this.
"""

from __future__ import annotations

import os

import torch


def use_one_thread() -> None:
    """Compute with torch in the calling thread alone; each forked child of this process begins with this call."""
    torch.set_num_threads(1)


os.register_at_fork(after_in_child=use_one_thread)

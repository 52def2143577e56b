"""The recursion over many trees at once: one schedule, two engines that give the same numbers.

The torch engine is the readable reference: any device, any precision, any cell. The native engine does the same on the
CPU several times faster, for the cells that it knows.
"""

"""How fast jetgram is on this machine: engines compared with a matrix product, and the way from file to score."""

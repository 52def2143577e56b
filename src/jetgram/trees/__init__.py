"""Trees: the six topologies over the constituents of a jet, and the features of their nodes."""

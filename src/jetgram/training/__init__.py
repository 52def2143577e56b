"""Training: jets are prepared once, then read in a new order every epoch, and the best state is kept."""

"""The networks: recursive cells, the embedding of trees, and what follows it."""

"""Modules from which models are built: cells, embeddings, heads; and the engines that run them."""

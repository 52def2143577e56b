"""Evaluation: how well scores tell signal from background, with what errors, and pictures of it."""

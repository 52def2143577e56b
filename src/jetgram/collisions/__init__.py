"""Collisions: real events from Pythia 8, and a detector to see them with."""

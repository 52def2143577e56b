"""Models: their settings, a network with all that it needs, its folder, and the importance of nodes."""

"""What networks read of jets or events, one file per representation; no torch."""

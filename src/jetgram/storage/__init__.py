"""Storage: checksummed Parquet shards with provenance."""

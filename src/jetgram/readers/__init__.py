"""Readers of the layouts that people's jets come in.

    jetgram.read("train.h5")                                   in memory
    jetgram convert train.h5 --out DATASET                     as a dataset, in bounded memory

Files become chunks of rows (`source`, one class per layout; `files`, one per kind of file), which are cleaned, labelled
and shared out between splits (`cleaning`, `labels`, `rows`), and written as shards (`pieces`, `convert`).
"""

"""`python -m jetgram` is the `jetgram` command."""

from jetgram.cli import main

main()

#!/bin/bash
# All of Table 1 with the paper's 30 seeds on 32 cores of a Slurm farm:
#     sbatch slurm.sh
# This job holds the Dask scheduler and submits the workers as jobs of their own. If its time runs out, submit it again:
# what is finished is kept.
#SBATCH --job-name=jetgram
#SBATCH --cpus-per-task=1
#SBATCH --mem=4G
#SBATCH --time=24:00:00
#SBATCH --output=jetgram-%j.log
set -euo pipefail

PYTHON=${PYTHON:-python3}   # of the environment with jetgram[all] and dask-jobqueue; the same on all nodes
FARM=${FARM:-$SLURM_SUBMIT_DIR/farm.py}
JOBS=${JOBS:-32}
COMMAND=${*:-reproduce table1 --scale paper --out study}

# shellcheck disable=SC2086  # the command is meant to be split into words
exec "$PYTHON" "$FARM" --system slurm --jobs "$JOBS" -- $COMMAND

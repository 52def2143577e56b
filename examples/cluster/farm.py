"""Run a jetgram command on the nodes of a batch farm: Dask workers are submitted as jobs, and the command gets them.

Example:
    python farm.py --system slurm --jobs 32 --walltime 04:00:00 -- reproduce table1 --scale paper --out study

Jobs that end, or are killed, cost nothing but the task they were at; the batch system's own limits apply. The folders
must be on a file system that all nodes see. The same command again goes on where it stopped.
"""

import argparse
import subprocess
import sys

from dask_jobqueue import HTCondorCluster, SLURMCluster
from dask_jobqueue.core import JobQueueCluster


def arguments() -> argparse.Namespace:
    """What to run, and on how many jobs of which size."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--system", choices=("slurm", "htcondor"), required=True)
    parser.add_argument("--jobs", type=int, default=8, help="worker jobs, each with one core (default: 8)")
    parser.add_argument("--memory", default="4GB", help="of each job (default: 4GB)")
    parser.add_argument("--walltime", default="04:00:00", help="of each job on Slurm (default: 04:00:00)")
    parser.add_argument("--queue", help="Slurm's partition (default: that of the farm)")
    parser.add_argument("--show", action="store_true", help="print the script of a worker job, and stop")
    parser.add_argument("command", nargs=argparse.REMAINDER, help="-- and a command of jetgram, without --dask")
    return parser.parse_args()


def open_farm(chosen: argparse.Namespace) -> JobQueueCluster:
    """A Dask scheduler in this process; its workers are jobs of one core each."""
    # Without a nanny a worker that runs out of memory or time ends with its job, and its task goes to another.
    size = {"cores": 1, "processes": 1, "memory": chosen.memory, "nanny": False, "death_timeout": 120}
    if chosen.system == "slurm":
        return SLURMCluster(**size, walltime=chosen.walltime, queue=chosen.queue)
    return HTCondorCluster(**size, disk="2GB")


def main() -> int:
    """Open the farm, run the command with it, and close it."""
    chosen = arguments()
    with open_farm(chosen) as farm:
        if chosen.show:
            print(farm.job_script())
            return 0
        farm.scale(jobs=chosen.jobs)
        command = [part for part in chosen.command if part != "--"]
        return subprocess.run([sys.executable, "-m", "jetgram", *command, "--dask", farm.scheduler_address]).returncode


if __name__ == "__main__":
    raise SystemExit(main())

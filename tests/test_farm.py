"""The scripts for batch farms: what they would submit, by the package that submits it."""

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1] / "examples" / "cluster"


@pytest.mark.parametrize(
    ("system", "expected"),
    [("slurm", ["#SBATCH --cpus-per-task=1", "#SBATCH -t 01:30:00"]), ("htcondor", ["RequestCpus", "Queue"])],
)
def test_a_worker_job_is_one_process_without_a_nanny(system, expected):
    options = ["--system", system, "--walltime", "01:30:00", "--show"]
    shown = subprocess.run([sys.executable, FOLDER / "farm.py", *options], capture_output=True, text=True, check=True)
    for line in (*expected, f"{sys.executable} -m distributed.cli.dask_worker", "--nthreads 1", "--no-nanny"):
        assert line in shown.stdout


def test_the_batch_script_is_sound():
    script = FOLDER / "slurm.sh"
    subprocess.run(["bash", "-n", script], check=True)
    if shutil.which("shellcheck"):
        subprocess.run(["shellcheck", script], check=True)
    assert script.read_text().count("#SBATCH --") == 5


def test_the_htcondor_job_runs_the_farm_with_the_python_of_the_environment():
    """Its command, with the quotes of condor_submit taken off, and a Python that says how it was called."""
    lines = (line.split("=", 1) for line in (FOLDER / "htcondor.sub").read_text().splitlines() if "=" in line)
    said = {name.strip(): value.strip() for name, value in lines if not name.startswith("#")}
    command = [said["executable"], *shlex.split(said["arguments"].strip('"'))]
    shown = subprocess.run(
        command, cwd=FOLDER, env={**os.environ, "PYTHON": "echo"}, capture_output=True, text=True, check=True
    )
    assert shown.stdout.startswith("farm.py --system htcondor --jobs 32 -- reproduce table1")
    assert said["universe"] == "local"

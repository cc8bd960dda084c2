# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 the zerotouch.openshift authors
"""Kill jobs of an automation controller at many moments: the next job, in an empty container, continues from the state
store.

Each row of :data:`METHODS` is an installation method, with the moments at which its deployment is killed, one after the
other, and its further playbooks with their moments. Each job has a separate container (:mod:`.job`), so data that a
killed job did not store is lost.
"""

from __future__ import annotations

import dataclasses
import re
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from .conftest import MakeLab, canary_inventory, canary_site
from .hosted import make_site as make_hosted_site
from .job import JobDeployment, PlainJob, as_jobs, command_of, processes
from .lab import SPEED, Deployment, Lab, Run, looked_through
from .stores import Stores
from .test_hub import make_site as make_hub_site

pytestmark = pytest.mark.timeout(3600)
# Lab seconds in a second: until a job supervises the machines, and then. The lab is slower then, because machines
# continue without a job.
SLOW, FASTER = 5.0, 40.0
SUPERVISES = re.compile(
    r"^TASK \[.*(Supervise|Wait for the installation\] \*|Approve, name and bind|Scale the NodePool|Wait until"
    r"|Apply the plan)",
    re.MULTILINE,
)
Moments = Mapping[str, str]
# Each is a line that the collection prints. ``LATE`` is printed by each job that gets this far: the machines may have
# passed a moment while no job ran.
LATE = r"|^TASK \[.*Complete the credentials"
BOOT: Moments = {
    "before anything": r"^TASK \[.*Validate the variables",
    "boot": r"^TASK \[.*Boot the machines from the image",
    "inserting": r"^\S+: inserting the image",
    "powering on": r"^\S+: powered on",
}
AGENT: Moments = {
    "before anything": BOOT["before anything"],
    "rendering": r"^TASK \[.*Render and validate",
    "building": r"^build /\S+\.iso",
    "publishing": r"^TASK \[.*boot_hosts : Publish the image",
    **{name: BOOT[name] for name in ("boot", "inserting", "powering on")},
    "waiting": r"^TASK \[.*Supervise the installation",
    "registered": r"^\d\d:\d\d +\d+% .*registered" + LATE,
    "installing": r"^\d\d:\d\d +\d+% .*(Writing image|Installing|Bootstrap is complete)" + LATE,
    "the API answers": r"API answers|Node joined|Installation is complete" + LATE,
    "credentials": LATE[1:],
}
ASSISTED: Moments = {
    "before anything": BOOT["before anything"],
    "creating": r"^TASK \[.*Create or update the cluster and its discovery image",
    **{name: BOOT[name] for name in ("boot", "inserting", "powering on")},
    "waiting": r"^TASK \[.*Supervise the installation",
    "known": r"^\d\d:\d\d +\d+% .*(update host|known)" + LATE,
    "begun": r"Installation has begun|Starting the installation of cluster \S+" + LATE,
    "the API answers": r"API answers|Node joined|Installation is complete" + LATE,
    "credentials": LATE[1:],
}
HUB: Moments = {
    "before anything": BOOT["before anything"],
    "observing": r"^TASK \[.*hub_observe : Decide whether the machines may be booted",
    "the cluster": r"^TASK \[.*hub_cluster : ",
    "the image": r"^TASK \[.*hub_image : .*InfraEnv",
    **{name: BOOT[name] for name in ("boot", "inserting", "powering on")},
    "binding": r"^TASK \[.*hub_agents : Approve",
    "waiting": r"^TASK \[.*hub_wait : Wait for the installation",
    "installing": r"^\d\d:\d\d +\d+% .*: (installing|installed)" + LATE,
    "credentials": LATE[1:],
}
HOSTED_LATE = r"|^TASK \[.*Wait until the hosted cluster is complete"
HOSTED: Moments = {
    "before anything": BOOT["before anything"],
    "the image": r"^TASK \[.*hub_image : .*InfraEnv",
    "the control plane": r"^TASK \[.*hosted_cluster : Create",
    **{name: BOOT[name] for name in ("boot", "inserting", "powering on")},
    "approving": r"^TASK \[.*hub_agents : Approve",
    "scaling": r"^TASK \[.*pool_scale : Scale the NodePool",
    "installing": r": installing: " + HOSTED_LATE,
    "complete": HOSTED_LATE[1:],
}
ENDED = r"|^PLAY RECAP"
APPLY = r"^TASK \[.*Apply the plan of the cluster"
CAPI: Moments = {
    "before anything": BOOT["before anything"],
    "planning": r"^TASK \[.*Plan what is left to do",
    "deciding": r"^TASK \[.*Decide whether the machines may be booted",
    "applying": APPLY,
    "waiting": r": (no InfraEnv yet|its host has not registered yet|Agent )" + LATE,
    "registered": r": Agent " + LATE,
    "installing": r": Agent installing" + LATE,
    "joined": r": Node " + LATE,
    "credentials": LATE[1:],
}
DESTROY: Moments = {
    "before anything": BOOT["before anything"],
    "powering off": r"^TASK \[.*Power the machines off",
    "removing": r"^TASK \[.*Remove image and state",
}


@dataclasses.dataclass(frozen=True)
class Step:
    """A playbook, its variables, and the moments at which it is killed.

    ``power_cycles`` is how often each host may boot because of it.
    """

    playbook: str
    moments: Moments
    variables: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    power_cycles: Mapping[str, int] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True)
class JobMethod:
    """``installs`` are the hosts that the deployment boots, each from the devices in ``boots``."""

    make: Callable[[MakeLab, Path], Deployment]
    deploy: Step
    installs: tuple[str, ...]
    steps: tuple[Step, ...]
    password: bool = True
    boots: tuple[str, ...] = ("cd", "disk")


def of_inventory(name: str) -> Callable[[MakeLab, Path], Deployment]:
    return lambda make_lab, directory: Deployment(
        make_lab(directory, canary_site(name, directory)), canary_inventory(name, directory), directory
    )


def confirmed(cluster: str, *hosts: str) -> dict[str, Any]:
    return {"openshift_confirm": cluster, **({"openshift_hosts": list(hosts)} if hosts else {})}


LEAVE = r"^TASK \[.*(hub_leave|pool_leave) : "
METHODS: dict[str, JobMethod] = {
    "agent": JobMethod(
        of_inventory("sno"),
        # A host that found no image is booted again after an eighth of the limit of the boot.
        Step("deploy_cluster", AGENT, {"openshift_timeouts": {"boot": 480}}),
        ("sno-0",),
        (Step("destroy_cluster", DESTROY, confirmed("sno")),),
    ),
    "assisted": JobMethod(
        of_inventory("assisted"),
        Step("deploy_cluster", ASSISTED),
        ("master-0", "master-1", "master-2"),
        (Step("destroy_cluster", DESTROY, confirmed("edge")),),
    ),
    "hub": JobMethod(
        lambda make_lab, directory: make_hub_site(make_lab, directory).deployment,
        Step("deploy_cluster", HUB, {"openshift_install_method": "hub"}),
        ("master-0", "master-1", "master-2", "worker-0", "worker-1"),
        (
            Step(
                "reprovision_hosts",
                {
                    "before anything": BOOT["before anything"],
                    "leaving": LEAVE + "(Drain|Remove the)",
                    "boot": r"^TASK \[.*(Boot the machines into discovery|Wait until the hosts are free)",
                },
                {"openshift_install_method": "hub", **confirmed("demo", "worker-1")},
                # The hub may reclaim it, which is a restart too, while no job runs; its BMC boots it at most once.
                {"worker-1": 2},
            ),
            Step(
                "add_hosts",
                {
                    "before anything": BOOT["before anything"],
                    "binding": r"^TASK \[.*hub_agents : Approve",
                    "joining": r"^TASK \[.*hub_join : ",
                },
                {"openshift_install_method": "hub"},
                {"worker-1": 1},
            ),
            Step(
                "remove_hosts",
                {
                    "before anything": BOOT["before anything"],
                    "leaving": LEAVE + "(Drain|Remove the)",
                    "forgetting": r"^TASK \[(Power the hosts off and delete their Agents|.*hub_leave : .*)\]",
                },
                {"openshift_install_method": "hub", **confirmed("demo", "worker-0")},
            ),
            Step("destroy_cluster", DESTROY, {"openshift_install_method": "hub", **confirmed("demo")}),
        ),
    ),
    "hosted": JobMethod(
        lambda make_lab, directory: make_hosted_site(make_lab, directory).deployment,
        Step("deploy_cluster", HOSTED, {"openshift_node_pool": {"replicas": 2}}),
        ("node-0", "node-1"),
        (
            Step(
                "scale_node_pool",
                {
                    "observing": r"^TASK \[.*pool_observe : ",
                    "powering on": BOOT["powering on"],
                    "scaling": HOSTED["scaling"],
                },
                {"openshift_node_pool": {"replicas": 3}},
                {"node-2": 2},
            ),
            Step(
                "reprovision_hosts",
                {
                    "before anything": BOOT["before anything"],
                    "leaving": LEAVE,
                    "returning": r"^TASK \[(Boot removed|.*pool_supply|.*Detach the image)",
                },
                confirmed("guest", "node-2"),
                {"node-2": 1},
            ),
            # The hub takes the hosts back into discovery: they stay on, and are free.
            Step("destroy_cluster", DESTROY, confirmed("guest"), dict.fromkeys(("node-0", "node-1", "node-2"), 1)),
        ),
    ),
    "capi": JobMethod(
        of_inventory("capi"),
        Step("deploy_cluster", CAPI),
        ("master-0", "master-1", "master-2", "worker-0", "worker-1", "worker-2"),
        (
            Step(
                "scale_node_pool",
                {
                    "deciding": CAPI["deciding"],
                    "applying": APPLY,
                    "growing": r"has 3 of 4 machines available" + ENDED,
                    "installing": r": Agent " + ENDED,
                },
                {"openshift_node_pool": {"replicas": 4}},
                {"worker-3": 2},
            ),
            Step(
                "remove_hosts",
                {
                    "deciding": r"^TASK \[.*Decide whether the hosts may leave",
                    "applying": APPLY,
                    "leaving": r"being deleted" + ENDED,
                },
                confirmed("edge", "worker-0"),
            ),
            Step(
                "destroy_cluster",
                {
                    "before anything": BOOT["before anything"],
                    "deleting": r"^TASK \[.*Delete the Cluster from the hub",
                    "releasing": r"still there: (Cluster|BareMetalHost)" + ENDED,
                    "removing": DESTROY["removing"],
                },
                confirmed("edge"),
            ),
        ),
        # Metal3 writes the image to the disk.
        boots=("disk", "disk"),
    ),
}


@pytest.fixture
def stores(tmp_path: Path) -> Iterator[Stores]:
    made = Stores(tmp_path)
    yield made
    left = keepers_of(tmp_path)
    made.stop()
    assert not left, f"processes that keep the state have outlived their playbooks: {left}"


def keepers_of(directory: Path) -> list[int]:
    """Processes of runs in this directory that keep a state a minute after all playbooks have ended."""
    found: list[int] = []
    for _look in range(120):
        found = [
            number
            for number in processes()
            if all(word in command_of(number) for word in (b"zerotouch-state", bytes(directory)))
        ]
        if not found:
            break
        time.sleep(0.5)
    return found


@pytest.fixture
def job(sno: Deployment) -> JobDeployment:
    return as_jobs(sno)


def variables_of(method: str, job: JobDeployment, stores: Stores) -> dict[str, Any]:
    """Variables with a state store of this method."""
    if method == "directory":
        job.mount_volume()
        return {"openshift_state": {"method": "directory"}}
    return {"openshift_state": {"ephemeral": True} if method == "ephemeral" else stores.options(method)}


def killed_at(job: JobDeployment, playbook: str, name: str, pattern: str, variables: Mapping[str, Any]) -> str:
    """Start the playbook as a job, and kill the job at this moment; its output."""
    job.lab.change_speed(SLOW)
    output, found = followed(job, job.start(playbook, extra=variables), pattern)
    assert found, f"{playbook} ended before the moment {name} ({pattern}):\n{output}"
    return f"---- {playbook} killed while {name}:\n{output}"


def followed(job: JobDeployment, process: subprocess.Popen[str], pattern: str) -> tuple[str, bool]:
    """Kill the job at the moment that it prints this; its output, and whether the moment came.

    The lab is faster while it supervises machines.
    """
    output, slow, found = "", True, False
    for line in process.stdout or ():
        output += line
        if found := bool(re.search(pattern, output, re.MULTILINE)):
            job.kill(process)
            job.lab.change_speed(SLOW)
            break
        if slow and SUPERVISES.search(output):
            job.lab.change_speed(FASTER)
            slow = False
    output += "".join(process.stdout or ())
    process.wait()
    assert "Traceback" not in looked_through(output), output
    return output, found


def finished(job: JobDeployment, playbook: str, variables: Mapping[str, Any]) -> Run:
    """Run the playbook as a job to its end, which must be a good one."""
    return ended(job, job.start(playbook, extra=variables))


def ended(job: JobDeployment, process: subprocess.Popen[str]) -> Run:
    """The run of a job that must end well."""
    output = ""
    for line in process.stdout or ():
        output += line
        if SUPERVISES.search(line):
            job.lab.change_speed(float(SPEED))
    process.wait()
    job.lab.change_speed(float(SPEED))
    run = Run(process.returncode, looked_through(output))
    assert run.ok, run.output
    assert "break_lock" not in run.output and "Traceback" not in run.output, run.output
    return run


def played(job: JobDeployment, step: Step, variables: Mapping[str, Any]) -> tuple[Run, str]:
    """Kill the playbook at all its moments, and then let it end; the last run, and what the killed ones printed."""
    own = {**step.variables, **variables}
    log = [killed_at(job, step.playbook, name, pattern, own) for name, pattern in step.moments.items()]
    print(f"{step.playbook}: killed at {len(log)} moments: {', '.join(step.moments)}")
    return finished(job, step.playbook, own), "\n".join(log)


def boots(lab: Lab) -> dict[str, int]:
    return {name: len(found) for name, found in lab.boots().items()}


def assert_one_power_cycle(
    lab: Lab, installs: Collection[str], output: str, devices: Sequence[str] = JobMethod.boots
) -> None:
    """Each host has booted the image once and then its disk.

    One that found no image, because its server had ended with the job, was booted again.
    """
    found = {name: [device.split(":")[0] for device in booted] for name, booted in lab.boots().items()}
    once = {name: [device for device in booted if device != "none"] for name, booted in found.items()}
    assert once == {name: list(devices) if name in installs else [] for name in found}, (
        f"a second power cycle: {found}\n{output}"
    )
    print(f"boots: {found}")


def power_actions(output: str) -> Counter[str]:
    """How often jobs report that they powered each host on."""
    return Counter(re.findall(r"^(\S+): powered on$", output, re.MULTILINE))


def credentials(job: JobDeployment, method: JobMethod) -> None:
    for file in ("kubeconfig", *(["kubeadmin-password"] if method.password else [])):
        assert (job.kept / "auth" / file).is_file(), f"{file} is missing"


@pytest.mark.long
@pytest.mark.parametrize("store", ["http", "secret", "directory"])
@pytest.mark.parametrize("name", METHODS)
def test_every_moment(name: str, store: str, make_lab: MakeLab, tmp_path: Path, stores: Stores) -> None:
    method = METHODS[name]
    job = as_jobs(method.make(make_lab, tmp_path))
    variables = {**hub_of(name, job), **variables_of(store, job, stores)}
    assert len(method.deploy.moments) >= 8
    run, log = played(job, method.deploy, variables)
    assert_one_power_cycle(job.lab, method.installs, f"{log}\n{run.output}", method.boots)
    credentials(job, method)
    writes = job.lab.writes()
    again = finished(job, "deploy_cluster", {**method.deploy.variables, **variables})
    # A store has no report: a job in an empty directory writes it again.
    assert (again.changed <= (store != "directory"), job.lab.writes()) == (True, writes), again.output
    credentials(job, method)
    for step in method.steps:
        before = boots(job.lab)
        run, log = played(job, step, variables)
        more = {
            machine: count - before[machine] for machine, count in boots(job.lab).items() if count != before[machine]
        }
        assert all(count <= step.power_cycles.get(machine, 0) for machine, count in more.items()), (
            f"{more} boots\n{log}\n{run.output}"
        )
        assert all(count == 1 for count in power_actions(f"{log}\n{run.output}").values()), f"{log}\n{run.output}"
    powered = {machine for machine, power in job.lab.powers().items() if power == "On"}
    assert not powered & set(method.installs) or name == "hosted", powered


def hub_of(name: str, job: JobDeployment) -> dict[str, Any]:
    return {"openshift_hub": job.lab.vars["openshift_hub"]} if name == "hub" else {}


FEW = ("building", "powering on", "registered")


def test_jobs_that_are_killed(job: JobDeployment, stores: Stores) -> None:
    """Three of the moments above: at the second one the host is on, and finds no image, since its server ends with the
    job.
    """
    variables = variables_of("secret", job, stores)
    method = METHODS["agent"]
    few = dataclasses.replace(method.deploy, moments={name: AGENT[name] for name in FEW})
    run, log = played(job, few, variables)
    assert "state: restored" in run.output, f"{log}\n{run.output}"
    assert_one_power_cycle(job.lab, method.installs, f"{log}\n{run.output}")
    credentials(job, method)


@pytest.mark.long
@pytest.mark.parametrize("playbook", ["status", "stop_run"])
def test_playbooks_that_write_to_no_machine(playbook: str, job: JobDeployment, stores: Stores) -> None:
    """They are killed beside a deployment, which goes on as if they had not been."""
    # The host finds no image, and is booted again after an eighth of this limit.
    variables = {**variables_of("http", job, stores), "openshift_timeouts": {"boot": 480}}
    killed_at(job, "deploy_cluster", "powering on", AGENT["powering on"], variables)
    for moment in (r"^PLAY ", r"^TASK "):
        killed_at(job, playbook, moment, moment, variables)
    writes = job.lab.writes()
    run = job.run(playbook, extra=variables)
    assert run.ok and job.lab.writes() == writes, run.output
    finished(job, "deploy_cluster", variables)
    assert_one_power_cycle(job.lab, METHODS["agent"].installs, run.output)
    credentials(job, METHODS["agent"])


@pytest.mark.parametrize("where", ["job", "pod"])
def test_a_work_directory_that_ends_with_its_job_is_refused(where: str, job: JobDeployment) -> None:
    if where == "pod":
        if isinstance(job, PlainJob):
            pytest.skip("a plain directory is not on a file system that ends with a pod")
        job.be_pod()
    run = job.refused(extra={"openshift_state": {"method": "directory"}})
    assert f"ends with this {where}" in run.message and not job.lab.bmc_writes(), run.output


@pytest.mark.long
@pytest.mark.parametrize("where", ["job", "pod"])
def test_the_loss_can_be_accepted(where: str, job: JobDeployment, stores: Stores) -> None:
    if where == "pod":
        job.be_pod()
    run = job.deployed(extra=variables_of("ephemeral", job, stores))
    assert Path(job.kept / "auth" / "kubeconfig").is_file(), run.output

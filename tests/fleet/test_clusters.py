"""The same tables from a cluster and an object store as from this machine and a folder."""

import importlib.util
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest

from benchpin.core.calls import Job
from benchpin.facts.workers import WorkerPool
from benchpin.fleet import Steps, dask_steps, open_place
from benchpin.fleet._place import TABLE_BYTES, StoreFails, names_in
from benchpin.fleet._steps import ClusterFails

from .conftest import Fleet

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def cluster() -> Iterator[Steps]:
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=False, dashboard_address="127.0.0.1:0"
        ) as made,
        dask_steps(made.scheduler_address) as steps,
    ):
        yield steps


# A process of its own: moto and boto3 take 100 MB, and keep them.
STORE = """
import sys
import boto3
from moto.server import ThreadedMotoServer
server = ThreadedMotoServer("127.0.0.1", 0)
server.start()
url = "http://%s:%s" % server.get_host_and_port()
boto3.client("s3", endpoint_url=url).create_bucket(Bucket="fleet")
print(url, flush=True)
sys.stdin.read()
"""


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    for name in ("moto", "boto3"):
        if importlib.util.find_spec(name) is None:
            pytest.skip(f"{name} is not installed")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "any")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "any")
    monkeypatch.setenv("AWS_REGION", "us-east-1")
    with subprocess.Popen(
        [sys.executable, "-c", STORE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        address = next(it for it in server.stdout if it.startswith("http"))  # moto prints, too
        monkeypatch.setenv("AWS_ENDPOINT_URL", address.strip())
        yield "s3://fleet/ours"
        server.kill()


def tables(fleet: Fleet) -> dict[str, bytes | None]:
    return {name: fleet.place.get(name, TABLE_BYTES) for name in names_in(fleet.place, "tables/")}


def facts(fleet: Fleet) -> set[bytes]:
    packs = [name for name in names_in(fleet.place, "facts/") if name.endswith(".pack")]
    [pack] = [fleet.place.get(name, TABLE_BYTES) or b"" for name in packs]
    return set(pack.split(b"\x28\xb5\x2f\xfd"))  # where a frame of Zstandard begins


def test_a_cluster_and_a_store_give_the_bytes_of_this_machine(
    fleet: Fleet, cluster: Steps, bucket: str
) -> None:
    there = Fleet(fleet.root, bucket, cluster)
    here = fleet.measure()
    run = there.measure()

    assert (run.new_blobs, run.failed) == (here.new_blobs, {})
    assert tables(there) == tables(fleet)
    assert facts(there) == facts(fleet)
    assert there.ask("clones") == fleet.ask("clones") != []


def test_a_store_that_is_gone_is_named_with_the_way_on(
    bucket: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("benchpin.fleet._place.RETRIES", 0)
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")

    with pytest.raises(StoreFails, match="s3://fleet/ours"):
        names_in(open_place(bucket), "records/")


def test_a_scheduler_that_is_not_there_is_an_error_that_names_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr("benchpin.fleet._steps._CONNECT_S", "1s")
    address = "tcp://127.0.0.1:9"
    with pytest.raises(ClusterFails, match=address), dask_steps(address):
        pass


def refuse(place: str, _pool: WorkerPool) -> None:
    raise StoreFails(f"{place} cannot be used", suggestion="Start it again.")


def test_an_error_on_a_worker_is_raised_here_with_the_way_on(cluster: Steps) -> None:
    with pytest.raises(StoreFails, match="s3://gone") as caught:
        list(cluster.map(refuse, ["s3://gone"], Job()))
    assert caught.value.suggestion == "Start it again."


def wait_there(folder: str, _pool: WorkerPool) -> None:
    Path(folder, "begun").write_bytes(b"")  # both are pipes: this waits until the other is read
    Path(folder, "ended").read_bytes()


def test_a_scheduler_that_is_lost_while_a_step_runs_is_an_error_that_names_it(
    tmp_path: Path,
) -> None:
    distributed = pytest.importorskip("distributed")
    for name in ("begun", "ended"):
        os.mkfifo(tmp_path / name)
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, processes=False, dashboard_address="127.0.0.1:0"
    ) as made:
        address = made.scheduler_address

        def end() -> None:
            (tmp_path / "begun").read_bytes()
            clients = made.scheduler.client_comms.values()
            made.loop.add_callback(lambda: [it.comm.abort() for it in clients])

        ending = Thread(target=end)
        ending.start()
        with (
            pytest.raises(ClusterFails, match=f"{address} was lost"),
            dask_steps(address) as steps,
        ):
            list(steps.map(wait_there, [str(tmp_path)], Job()))
        (tmp_path / "ended").write_bytes(b"")
        ending.join()

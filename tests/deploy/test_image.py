"""What the image builds runs without root, on a read-only tree, and tells its health."""

import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from deploy.image import FOLDERS, Image, build, command, environment, of, stages, user

pytestmark = pytest.mark.timeout(300)  # the build fetches and compiles


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Image]:
    folder = tmp_path_factory.mktemp("image")
    yield build(folder)
    shutil.rmtree(folder)


def test_build_needs_no_more_of_debian_than_it_says() -> None:
    """The one step that is not done here."""
    skipped = [text for text in of("RUN", 0) if text.startswith("apt-get ")]
    assert skipped == ["apt-get update && apt-get install --yes --no-install-recommends gcc libc6-dev"]


def test_last_stage_takes_over_what_was_built_and_no_more() -> None:
    assert len(stages()) == 2
    assert of("COPY") == ["--from=build /opt/baccarat-pricing /opt/baccarat-pricing"]
    assert of("VOLUME") == [environment()["BACCARAT_PRICING_DATA"]]
    uid, gid = user()
    assert of("RUN") == [f"install --directory --owner={uid} --group={gid} {of('VOLUME')[0]}"]
    assert "0" not in (uid, gid)


def test_nothing_but_the_data_can_be_written(image: Image) -> None:
    folders = "/ /opt/baccarat-pricing /usr /etc /var/lib/baccarat-pricing"
    script = f"id -u; for folder in {folders}; do touch $folder/x && echo $folder; done"
    ran = subprocess.run(image.as_built(["sh", "-c", script]), check=False, text=True, capture_output=True)
    assert ran.stdout.split() == [user()[0], "/var/lib/baccarat-pricing"]
    assert ran.stderr.count("Read-only file system") == 4


def test_entry_point_serves_and_its_health_is_told(image: Image) -> None:
    here = {"BACCARAT_PRICING_LISTEN": "127.0.0.1:0", "BACCARAT_PRICING_HTTP": "127.0.0.1:0"}
    assert set(here) < set(environment())
    process = subprocess.Popen(image.as_built(command("ENTRYPOINT"), **here), stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr
        records = map(json.loads, process.stderr)
        serving = next(record for record in records if record["message"] == "serving")
        check = image.as_built(command("HEALTHCHECK"), BACCARAT_PRICING_SERVER=serving["listen"])
        ran = subprocess.run(check, check=True, text=True, capture_output=True)
        assert ran.stdout == "serving\n"
        create = ["baccarat-pricing", "tables", "--create", "t1", "--server", serving["listen"]]
        assert "t1" in subprocess.run(image.as_built(create), check=True, text=True, capture_output=True).stdout
    finally:
        process.terminate()
        process.communicate(timeout=30)
    assert subprocess.run(check, check=False, capture_output=True).returncode == 1


def test_journal_is_in_the_volume(image: Image) -> None:
    """After the test before this one."""
    verify = ["baccarat-pricing", "journal", "verify"]
    ran = subprocess.run(image.as_built(verify), check=False, text=True, capture_output=True)
    assert "intact" in ran.stdout, ran.stderr


def test_folders_are_those_of_the_file() -> None:
    text = Path(__file__).parents[2].joinpath("deploy", "Containerfile").read_text("utf-8")
    assert all(folder in text for folder in FOLDERS)

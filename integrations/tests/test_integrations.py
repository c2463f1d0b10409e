"""Runs what each integration runs, with `COCO` or the program of a debug build."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

HERE = Path(__file__).resolve().parents[1]
REPOSITORY = HERE.parent
PLAN = REPOSITORY / "inspect-cli" / "tests" / "fixtures" / "plan.json"
GRAPH = REPOSITORY / "examples" / "shop.checkpoint.json"
PACKAGE = REPOSITORY / "examples" / "point.cocopack.json"


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """An environment in which `coco` is on the PATH."""
    coco = Path(os.environ.get("COCO", REPOSITORY / "target" / "debug" / "coco")).resolve()
    assert coco.is_file(), f"no program {coco}: build it, or name it with COCO"
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "coco").symlink_to(coco)
    path = f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}"
    home = {"HOME": str(tmp_path / "home"), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    return {**os.environ, **home, "PATH": path, "GIT_CONFIG_NOSYSTEM": "1"}


def run(command: list[str], environment: dict[str, str], folder: Path, **more: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, env=environment, cwd=folder, capture_output=True, text=True, timeout=120, check=False, **more
    )


def repository(environment: dict[str, str], folder: Path) -> None:
    folder.mkdir()
    for command in [
        ["git", "init", "--quiet"],
        ["git", "config", "user.name", "a"],
        ["git", "config", "user.email", "a@b"],
    ]:
        assert run(command, environment, folder).returncode == 0


# A stand-in for the program of GitHub: it records its arguments, and knows the comments in a file.
GH = """#!/usr/bin/env python3
import json, os, sys
arguments = sys.argv[1:]
with open(os.environ["GH_LOG"], "a") as log:
    body = [open(a.removeprefix("body=@")).read() for a in arguments if a.startswith("body=@")]
    log.write(json.dumps({"arguments": arguments, "body": body}) + "\\n")
if "--jq" in arguments:
    print(os.environ.get("GH_KNOWN", ""))
"""


@pytest.fixture
def action(environment: dict[str, str], tmp_path: Path) -> dict[str, str]:
    gh = tmp_path / "bin" / "gh"
    gh.write_text(GH)
    gh.chmod(0o755)
    event = tmp_path / "event.json"
    event.write_text(json.dumps({"pull_request": {"number": 7}}))
    definition = yaml.safe_load((HERE / "github-action" / "action.yml").read_text())
    step = definition["runs"]["steps"][0]
    assert step["run"] == '"$GITHUB_ACTION_PATH/comment"'
    inputs = {name: str(given.get("default", "")) for name, given in definition["inputs"].items()}
    inputs["plan"] = str(PLAN)
    expression = re.compile(r"\$\{\{ inputs\.([\w-]+) \}\}")
    given = {name: expression.sub(lambda found: inputs[found[1]], value) for name, value in step["env"].items()}
    files = {"GITHUB_OUTPUT": "output", "GITHUB_STEP_SUMMARY": "summary", "GH_LOG": "log"}
    return {
        **environment,
        **given,
        **{name: str(tmp_path / file) for name, file in files.items()},
        "GITHUB_EVENT_PATH": str(event),
        "GITHUB_REPOSITORY": "a/b",
        "GITHUB_ACTION_PATH": str(HERE / "github-action"),
        "RUNNER_TEMP": str(tmp_path),
    }


def comment(action: dict[str, str], folder: Path) -> tuple[int, list[dict[str, Any]]]:
    done = run(["bash", "-c", '"$GITHUB_ACTION_PATH/comment"'], action, folder)
    log = Path(action["GH_LOG"])
    lines = log.read_text().splitlines() if log.exists() else []
    assert done.returncode in (0, 1), done.stderr
    return done.returncode, [json.loads(line) for line in lines]


def test_the_action_comments_once_and_then_replaces_its_comment(action: dict[str, str], tmp_path: Path) -> None:
    status, calls = comment(action, tmp_path)
    assert status == 0 and len(calls) == 2
    assert calls[1]["arguments"][:4] == ["api", "--silent", "--method", "POST"]
    assert calls[1]["arguments"][4] == "repos/a/b/issues/7/comments"
    (body,) = calls[1]["body"]
    mark, title = body.splitlines()[:2]
    assert mark.startswith("<!-- coco-diff ") and title == "## Plan" and "| change | type | name |" in body
    assert Path(action["GITHUB_STEP_SUMMARY"]).read_text() == body
    assert mark in calls[0]["arguments"][calls[0]["arguments"].index("--jq") + 1]
    _, calls = comment({**action, "GH_KNOWN": "33"}, tmp_path)
    assert calls[3]["arguments"][3:5] == ["PATCH", "repos/a/b/issues/comments/33"]


def test_the_action_needs_no_pull_request_and_can_fail(action: dict[str, str], tmp_path: Path) -> None:
    Path(action["GITHUB_EVENT_PATH"]).write_text("{}")
    assert comment({**action, "FAIL_ON": "any"}, tmp_path) == (1, [])
    # A title is text, never a part of a command.
    hostile = {**action, "TITLE": "$(touch x) `touch x` \"; touch x; '"}
    assert comment(hostile, tmp_path) == (0, []) and not (tmp_path / "x").exists()


def test_the_hook_of_pre_commit_runs(environment: dict[str, str], tmp_path: Path) -> None:
    if shutil.which("pre-commit") is None:
        pytest.skip("no pre-commit")
    hooks, work = tmp_path / "hooks", tmp_path / "work"
    for folder in (hooks, work):
        repository(environment, folder)
    shutil.copy(REPOSITORY / ".pre-commit-hooks.yaml", hooks)
    for command in [["git", "add", "."], ["git", "commit", "--quiet", "-m", "hooks"]]:
        assert run(command, environment, hooks).returncode == 0
    good, bad = work / "point.cocopack.json", work / "broken.cocopack.json"
    shutil.copy(PACKAGE, good)
    for is_good in (True, False):
        if not is_good:
            bad.write_text(PACKAGE.read_text().replace('"modules"', '"modulez"', 1))
        assert run(["git", "add", "."], environment, work).returncode == 0
        done = run(["pre-commit", "try-repo", str(hooks), "coco-check", "--all-files"], environment, work)
        assert (done.returncode == 0) == is_good, done.stdout + done.stderr
        assert is_good or "did you mean `modules`?" in done.stdout


def test_git_shows_documents_as_text(environment: dict[str, str], tmp_path: Path) -> None:
    work = tmp_path / "work"
    repository(environment, work)
    attributes, config = str(HERE / "git" / "attributes"), str(HERE / "git" / "gitconfig")
    for key, value in [("core.attributesFile", attributes), ("include.path", config)]:
        assert run(["git", "config", key, value], environment, work).returncode == 0
    for port in (80, 443):
        (work / "net.json").write_text(json.dumps({"vertices": {"web": {"port": port}}}))
        done = run(["coco", "pack", "build", "net.json", "--quiet"], environment, work)
        assert done.returncode == 0 and (work / "net.coco").is_file(), done.stderr
        if port == 80:
            run(["git", "add", "net.coco"], environment, work)
            assert run(["git", "commit", "--quiet", "-m", "a"], environment, work).returncode == 0
    shown = run(["git", "diff", "--", "net.coco"], environment, work).stdout
    assert "port: 80" in shown and "port: 443" in shown
    (work / "net.coco").write_bytes((work / "net.coco").read_bytes()[:40])
    assert "(it cannot be read)" in run(["git", "diff", "--", "net.coco"], environment, work).stdout


def test_the_tasks_of_the_editor_run(environment: dict[str, str], tmp_path: Path) -> None:
    check, changes, draw = json.loads((HERE / "vscode" / "tasks.json").read_text())["tasks"]
    work = tmp_path / "work"
    repository(environment, work)
    file = work / "a point.cocopack.json"
    shutil.copy(PACKAGE, file)

    def filled(text: str, file: Path = file) -> str:
        names = {"${file}": str(file), "${fileBasename}": file.name, "${fileDirname}": str(work)}
        for name, value in names.items():
            text = text.replace(name, value)
        return text

    run(["git", "add", "."], environment, work)
    assert run(["git", "commit", "--quiet", "-m", "a"], environment, work).returncode == 0
    file.write_text(file.read_text().replace('"modules"', '"modulez"', 1))
    done = run([check["command"], *map(filled, check["args"])], environment, work)
    head, place = (re.compile(pattern["regexp"]) for pattern in check["problemMatcher"]["pattern"])
    lines = (done.stdout + done.stderr).splitlines()
    found = [(head.search(one), place.search(two)) for one, two in zip(lines, lines[1:])]
    problems = [(one[1], one[2], two[1], int(two[2])) for one, two in found if one and two]
    assert ("error", "TREE-KEY", str(file), 4) in problems and len(problems) == 2, lines
    file.write_text(PACKAGE.read_text().replace("Points of the plane", "Points"))
    done = run(["sh", "-c", filled(changes["command"])], environment, work)
    assert done.returncode == 0 and "Points of the plane" in done.stdout, done
    graph = work / "a shop.checkpoint.json"
    shutil.copy(GRAPH, graph)
    done = run(["sh", "-c", filled(draw["command"], graph)], environment, work)
    assert done.returncode == 0, done
    assert (work / "a shop.checkpoint.json.html").read_text().startswith("<!DOCTYPE html>")

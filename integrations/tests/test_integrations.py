"""Runs what each integration runs, with `COCO` or the program of a debug build."""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
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
    for program in (coco, coco.with_name("coco-mcp")):
        (tmp_path / "bin" / program.name).symlink_to(program)
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


class Session:
    """A session of the Model Context Protocol with `coco-mcp`."""

    def __init__(self, environment: dict[str, str], folder: Path) -> None:
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        environment = {**environment, "COCO_TEST_SECRET": "of the environment"}
        self.server = subprocess.Popen(["coco-mcp", str(folder)], env=environment, cwd=folder, **pipes)
        self.number = 0
        client = {"name": "test", "version": "1"}
        begun = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}
        self.about = self.ask("initialize", begun)
        self.send({"method": "notifications/initialized"})

    def send(self, message: dict[str, Any]) -> None:
        assert self.server.stdin is not None
        self.server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self.server.stdin.flush()

    def ask(self, method: str, parameters: dict[str, Any]) -> dict[str, Any]:
        assert self.server.stdout is not None
        self.number += 1
        self.send({"id": self.number, "method": method, "params": parameters})
        answer: dict[str, Any] = json.loads(self.server.stdout.readline())
        assert answer["id"] == self.number
        result: dict[str, Any] = answer.get("result", answer)
        return result

    def call(self, tool: str, **arguments: Any) -> tuple[bool, str]:
        """Whether it is an answer, and its text."""
        answer = self.ask("tools/call", {"name": tool, "arguments": arguments})
        assert "content" in answer, answer
        return not answer.get("isError", False), answer["content"][0]["text"]

    def end(self) -> int:
        assert self.server.stdin is not None
        self.server.stdin.close()
        return self.server.wait(timeout=30)


STATE = {
    "version": 4,
    "terraform_version": "1.9.0",
    "resources": [
        {"mode": "managed", "type": "net", "name": "a", "instances": [{"attributes": {"cidr": "10.0.0.0/8"}}]},
        {
            "mode": "managed",
            "type": "host",
            "name": "b",
            "instances": [
                {
                    "attributes": {"password": "hunter2", "net": "a"},
                    "dependencies": ["net.a"],
                    "sensitive_attributes": [[{"type": "get_attr", "value": "password"}]],
                }
            ],
        },
    ],
}


@pytest.fixture
def session(environment: dict[str, str], tmp_path: Path) -> Iterator[Session]:
    folder = tmp_path / "infrastructure"
    (folder / "deep").mkdir(parents=True)
    (folder / "prod.tfstate").write_text(json.dumps(STATE))
    (folder / "deep" / "new.tfstate").write_text(json.dumps(STATE).replace("10.0", "11.0").replace("hunter2", "hunter3"))
    (folder / "large.json").write_text(json.dumps({"vertices": {f"v{n}": {"text": "x" * 90} for n in range(5000)}}))
    shutil.copy(PLAN, folder / "plan.json")
    (tmp_path / "outside.json").write_text('{"vertices": {"outside": {}}}')
    (folder / "link.json").symlink_to(tmp_path / "outside.json")
    session = Session(environment, folder)
    yield session
    session.server.kill()
    session.server.wait()


def test_an_assistant_gets_answers(session: Session) -> None:
    assert session.about["serverInfo"]["name"] == "coco" and "instruction" in session.about["instructions"]
    tools = session.ask("tools/list", {})["tools"]
    names = ["deps", "diff", "files", "find", "get", "impact", "info", "ls", "query"]
    assert sorted(tool["name"] for tool in tools) == names
    assert all(tool["annotations"]["readOnlyHint"] and tool["description"] for tool in tools)
    assert session.call("files") == (True, "deep/new.tfstate\nlarge.json\nplan.json\nprod.tfstate")
    for tool, arguments, expected in [
        ("info", {"file": "prod.tfstate"}, "terraform-state-4"),
        ("ls", {"file": "prod.tfstate"}, "host.b"),
        ("ls", {"file": "prod.tfstate", "pattern": "net.*", "type": "net"}, "net.a"),
        ("get", {"file": "prod.tfstate", "key": "net.a/instances/0/attributes/cidr"}, "10.0.0.0/8"),
        ("find", {"file": "prod.tfstate", "text": "10.0"}, "net.a"),
        ("deps", {"file": "prod.tfstate", "key": "host.b", "direction": "dependencies", "depth": 1}, "net.a"),
        ("deps", {"file": "prod.tfstate", "key": "net.a", "direction": "dependents"}, "host.b"),
        ("impact", {"file": "prod.tfstate", "keys": ["net.a"]}, "host"),
        ("diff", {"old": "prod.tfstate", "new": "deep/new.tfstate"}, "11.0.0.0/8"),
        ("diff", {"plan": "plan.json"}, "changed"),
        ("query", {"file": "prod.tfstate", "filter": ".resources | map(.name) | add"}, '"ab"'),
    ]:
        is_answer, text = session.call(tool, **arguments)
        assert is_answer and expected in text, (tool, arguments, text)
    assert session.end() == 0


def test_an_assistant_gets_no_secret_and_no_other_file(session: Session, tmp_path: Path) -> None:
    texts = [
        session.call(tool, **arguments)[1]
        for tool, arguments in [
            ("get", {"file": "prod.tfstate", "key": "host.b"}),
            ("get", {"file": "prod.tfstate", "key": "--reveal"}),
            ("find", {"file": "prod.tfstate", "text": "hunter"}),
            ("find", {"file": "prod.tfstate", "text": "hunter --reveal"}),
            ("ls", {"file": "prod.tfstate", "pattern": "--reveal"}),
            ("deps", {"file": "prod.tfstate", "key": "--reveal", "direction": "dependents"}),
            ("impact", {"file": "prod.tfstate", "keys": ["--reveal", "host.b"]}),
            ("diff", {"old": "prod.tfstate", "new": "deep/new.tfstate"}),
            ("query", {"file": "prod.tfstate", "filter": ".. | strings"}),
            ("query", {"file": "prod.tfstate", "filter": "env, $ENV, [splits(\"a\")?]"}),
            ("query", {"file": "prod.tfstate", "filter": "--reveal"}),
        ]
    ]
    assert [text for text in texts if "hunter2" in text or "hunter3" in text or "of the environment" in text] == []
    for path in ["../outside.json", str(tmp_path / "outside.json"), "link.json", "", "none.json", "deep", "--reveal"]:
        for tool, arguments in [
            ("ls", {"file": path}),
            ("query", {"file": path, "filter": "."}),
            ("diff", {"old": "prod.tfstate", "new": path}),
            ("diff", {"plan": path}),
        ]:
            is_answer, text = session.call(tool, **arguments)
            assert not is_answer and text.startswith(f"there is no file `{path}` in the folders"), (tool, text)
    assert session.call("diff", old="prod.tfstate") == (False, "give either `old` and `new`, or `plan`")
    assert not (tmp_path / "cache").exists() and sorted((tmp_path / "home").glob("**/*")) == []


def test_an_assistant_gets_short_answers_and_reasons(session: Session) -> None:
    is_answer, text = session.call("query", file="large.json", filter=".")
    assert is_answer and len(text) < 70_000 and "this answer is incomplete" in text
    is_answer, text = session.call("ls", file="large.json")
    assert is_answer and text.count("\n") < 210 and "5,000" in text
    is_answer, text = session.call("get", file="prod.tfstate", key="net.x")
    assert not is_answer and "KEY-MISSING" in text and "net.a" in text
    is_answer, text = session.call("query", file="prod.tfstate", filter=".a | map(")
    assert not is_answer and "QUERY-SYNTAX" in text

"""Playing the acceptance cases against a function that answers requests."""

import json
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

_SHARED = Path(__file__).resolve().parents[3] / "shared"
TOOL = _SHARED / "tools" / "kip_acceptance.py"
CASES = _SHARED / "cases" / "kip" / "handed.json"

Post = Callable[[str, dict[str, Any]], dict[str, Any]]


def acceptance() -> ModuleType:
    """The acceptance runner as a module, without running it."""
    source = TOOL.read_text().removesuffix("\n").removesuffix("main()")
    module = ModuleType("kip_acceptance")
    module.__file__ = str(TOOL)
    exec(compile(source, str(TOOL), "exec"), module.__dict__)
    return module


def failures(post: Post) -> list[str]:
    """What goes wrong as the handed scripts are played, a line for each step."""
    tool, found = acceptance(), []
    for script in json.loads(CASES.read_text())["scripts"]:
        captured: dict[str, Any] = {}
        for place, step in enumerate(script["steps"]):
            answer = post(step.get("method", "execute_kip"), request_of(tool, step, captured))
            if step.get("expect"):
                why = tool.check(tool.fill(step["expect"], captured), answer)
            else:
                why = json.dumps(answer["error"]) if answer.get("error") else None
            for key, path in (step.get("capture") or {}).items():
                captured[key] = tool.dig(answer, path)
            if why:
                found.append(f"{script['name']}#{place} {step.get('name', '')}: {why}")
    return found


def request_of(tool: ModuleType, step: dict[str, Any], captured: dict[str, Any]) -> dict[str, Any]:
    """The params of a step."""
    if "request" in step:
        filled: dict[str, Any] = tool.fill(step["request"], captured)
        return filled
    params = {"command": step["command"]}
    if step.get("parameters"):
        params["parameters"] = tool.fill(step["parameters"], captured)
    if step.get("dry_run"):
        params["dry_run"] = True
    return params

"""The five agents: where each one's configuration goes, and how it is started without a person.

`granted` tells which permissions the run has: False leaves the agent as it comes, so that `drive.py --survey` shows
which tools it calls without asking; True adds the least that lets it call them all. Seen without a person at hand:

agent       calls as it comes                       what lets it call everything
claude      nothing, not even read-only tools       --allowedTools mcp__repolab (or single tools)
codex       all but destructive tools               default_tools_approval_mode = "approve" for the server
gemini      offers the model no MCP tool at all     "trust": true for the server, and --approval-mode auto_edit
opencode    everything                              nothing
cline       everything                              nothing (--auto-approve false refuses every tool)

Claude Code, and Codex for models it knows, defer tools: the model first sees names only and finds the rest by a search.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Dict, List, Optional

from conversation import SERVER
from scripted_model import MODEL

KEY = "scripted"
# Codex cuts every answer at 10,000 bytes for a model that it does not know, and at 10,000 tokens for this one.
CODEX_MODEL = "gpt-5.5"
PROMPT = "Look around in the sample repository with the repolab tools, then run its training script."


@dataclass
class Setting:
    """What a run of an agent is given."""

    home: Path
    folder: Path
    url: str
    server: List[str]
    granted: bool


@dataclass
class Agent:
    """How to configure and start one agent."""

    name: str
    prepare: Callable[[Setting], None]
    command: Callable[[Setting], List[str]]
    environment: Callable[[Setting], Dict[str, str]]
    answer_tokens: Optional[int] = None  # the size of answers to ask for, where the usual one is cut


def _write_json(path: Path, value: dict) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=2), encoding="utf-8")


# Claude Code


def _claude_configuration(setting: Setting) -> Path:
    return setting.home / "repolab.json"


def _prepare_claude(setting: Setting) -> None:
    server = {"type": "stdio", "command": setting.server[0], "args": setting.server[1:]}
    _write_json(_claude_configuration(setting), {"mcpServers": {SERVER: server}})


def _claude(setting: Setting) -> List[str]:
    command = ["claude", "-p", PROMPT, "--output-format", "stream-json", "--verbose"]
    command += ["--no-session-persistence", "--strict-mcp-config"]
    command += ["--mcp-config", str(_claude_configuration(setting))]
    return command + (["--allowedTools", f"mcp__{SERVER}"] if setting.granted else [])


def _claude_environment(setting: Setting) -> Dict[str, str]:
    return {
        "ANTHROPIC_BASE_URL": setting.url,
        "ANTHROPIC_API_KEY": KEY,
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
        "DISABLE_TELEMETRY": "1",
    }


# Codex


def _prepare_codex(setting: Setting) -> None:
    # JSON's strings and lists are TOML's.
    lines = [
        f'model = "{CODEX_MODEL}"',
        'model_provider = "scripted"',
        "check_for_update_on_startup = false",
        "[analytics]",
        "enabled = false",
        "[model_providers.scripted]",
        'name = "scripted"',
        f"base_url = {json.dumps(setting.url + '/v1')}",
        'wire_api = "responses"',
        'env_key = "SCRIPTED_KEY"',
        f"[mcp_servers.{SERVER}]",
        f"command = {json.dumps(setting.server[0])}",
        f"args = {json.dumps(setting.server[1:])}",
        "required = true",
    ]
    if setting.granted:
        lines.append('default_tools_approval_mode = "approve"')
    path = setting.home / ".codex" / "config.toml"
    path.parent.mkdir(parents=True)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _codex(setting: Setting) -> List[str]:
    return ["codex", "exec", "--json", "--skip-git-repo-check", "--ephemeral", "-C", str(setting.folder), PROMPT]


def _codex_environment(setting: Setting) -> Dict[str, str]:
    return {"CODEX_HOME": str(setting.home / ".codex"), "SCRIPTED_KEY": KEY}


# Gemini CLI


def _prepare_gemini(setting: Setting) -> None:
    server = {"command": setting.server[0], "args": setting.server[1:], "trust": setting.granted}
    settings = {
        "security": {"auth": {"selectedType": "gemini-api-key"}},
        "privacy": {"usageStatisticsEnabled": False},
        "general": {"enableAutoUpdate": False},
        "mcpServers": {SERVER: server},
    }
    _write_json(setting.home / ".gemini" / "settings.json", settings)


def _gemini(setting: Setting) -> List[str]:
    command = ["gemini", "-p", PROMPT, "--skip-trust", "-o", "stream-json", "-m", MODEL]
    # A trusted server's tools are called without asking, but one named like a tool of Gemini's own that edits
    # (`write_file`) is hidden unless edits are allowed too.
    return command + (["--approval-mode", "auto_edit"] if setting.granted else [])


def _gemini_environment(setting: Setting) -> Dict[str, str]:
    return {"GEMINI_API_KEY": KEY, "GOOGLE_GEMINI_BASE_URL": setting.url, "GEMINI_TELEMETRY_ENABLED": "false"}


# opencode


def _prepare_opencode(setting: Setting) -> None:
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "options": {"baseURL": setting.url + "/v1", "apiKey": KEY},
        "models": {MODEL: {}},
    }
    server = {"type": "local", "command": setting.server, "enabled": True}
    configuration = {
        "provider": {"scripted": provider},
        "mcp": {SERVER: server},
        "autoupdate": False,
        "share": "disabled",
    }
    _write_json(setting.home / ".config" / "opencode" / "opencode.json", configuration)


def _opencode(setting: Setting) -> List[str]:
    command = ["opencode", "run", "--format", "json", "-m", f"scripted/{MODEL}", PROMPT]
    return command + (["--auto"] if setting.granted else [])


def _opencode_environment(setting: Setting) -> Dict[str, str]:
    return {"OPENCODE_DISABLE_AUTOUPDATE": "1", "OPENCODE_DISABLE_MODELS_FETCH": "1"}


# Cline


def _prepare_cline(setting: Setting) -> None:
    server = {"command": setting.server[0], "args": setting.server[1:], "disabled": False}
    settings = setting.home / ".cline" / "data" / "settings"
    _write_json(settings / "cline_mcp_settings.json", {"mcpServers": {SERVER: server}})
    provider = {"provider": "openai-compatible", "apiKey": KEY, "baseUrl": setting.url + "/v1", "model": MODEL}
    stored = {"settings": provider, "updatedAt": "2026-01-01T00:00:00.000Z", "tokenSource": "manual"}
    _write_json(
        settings / "providers.json",
        {"version": 1, "lastUsedProvider": "openai-compatible", "providers": {"openai-compatible": stored}},
    )


def _cline(setting: Setting) -> List[str]:
    return ["cline", "--json", "-c", str(setting.folder), "-P", "openai-compatible", "-m", MODEL, PROMPT]


def _cline_environment(setting: Setting) -> Dict[str, str]:
    return {"CLINE_TELEMETRY_DISABLED": "1", "CLINE_NO_AUTO_UPDATE": "1"}


AGENTS = {
    agent.name: agent
    for agent in [
        Agent("claude", _prepare_claude, _claude, _claude_environment),
        Agent("codex", _prepare_codex, _codex, _codex_environment),
        Agent("gemini", _prepare_gemini, _gemini, _gemini_environment),
        Agent("opencode", _prepare_opencode, _opencode, _opencode_environment),
        # Cline keeps 8,000 characters of an answer, and shows the model text and structure.
        Agent("cline", _prepare_cline, _cline, _cline_environment, answer_tokens=1000),
    ]
}

"""Running programs, git among them, and writing small ones."""

import os
import subprocess

SOMEBODY = {f"GIT_{who}_{what}": "a@b" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}


def result_of(*command, check=False, **more):
    """The result of a command, with what it printed."""
    return subprocess.run(command, capture_output=True, text=True, check=check, **more)


def git(folder, *words, **environment):
    """The output of git, as somebody, whatever the user has configured."""
    environment = {**os.environ, **SOMEBODY, "GIT_CONFIG_GLOBAL": os.devnull, **environment}
    return result_of("git", *words, cwd=folder, env=environment, check=True).stdout.strip()


def script(path, body):
    """Writes a shell script in a folder that may not exist yet."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)

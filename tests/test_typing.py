"""The package's types as a user's type checker sees them: installed, from outside, strict."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

USER_CODE = Path(__file__).parent / "typing" / "user_code.py"


def mypy(file: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    # --config-file= with nothing: a user has none of our settings.
    call = [sys.executable, "-m", "mypy", "--strict", "--config-file=", "--cache-dir", str(folder / "cache"), str(file)]
    return subprocess.run(call, cwd=folder, capture_output=True, encoding="utf-8", timeout=300)


@pytest.mark.slow
def test_code_of_users_type_checks_and_mistakes_are_found(tmp_path: Path) -> None:
    done = mypy(USER_CODE, tmp_path)

    assert done.returncode == 0, done.stdout + done.stderr

    text = USER_CODE.read_text(encoding="utf-8")
    wrong = tmp_path / "wrong.py"
    wrong.write_text(text.replace("TokenUsage(total=total, fresh=True)", "TokenUsage(total=message)"), encoding="utf-8")
    done = mypy(wrong, tmp_path)

    assert done.returncode == 1
    assert 'Argument "total" to "TokenUsage" has incompatible type "str"' in done.stdout

"""One run of the program: from arguments to an exit code, whatever happens in between."""

from __future__ import annotations

import os
import sys

import click

from openclaw_memory_core.cli import output
from openclaw_memory_core.cli.app import app
from openclaw_memory_core.errors import CancelledError, OpenClawMemoryError

INTERRUPTED = 130


def run(arguments: list[str]) -> int:
    """Run the command and return the exit code."""
    output.use_utf8()
    wants_json = "--json" in arguments[: arguments.index("--")] if "--" in arguments else "--json" in arguments
    try:
        code = _invoke(arguments, wants_json=wants_json)
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        # The reader of a pipe has seen enough; Python must not complain when it flushes at the end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def _invoke(arguments: list[str], *, wants_json: bool) -> int:
    try:
        return app.main(args=arguments, prog_name="openclaw-memory", standalone_mode=False) or 0
    except click.exceptions.Exit as request:
        return request.exit_code
    except click.ClickException as error:
        return _usage(error, wants_json=wants_json)
    except (KeyboardInterrupt, click.Abort, CancelledError):
        message = "interrupted; what was finished is kept"
        return output.failed({"code": "cancelled", "message": message, "hint": None}, INTERRUPTED, as_json=wants_json)
    except OpenClawMemoryError as error:
        return output.failed(dict(error.to_dict()), error.exit_code, as_json=wants_json)
    except BrokenPipeError:
        raise
    except Exception as error:  # the last line of defence: one clear sentence instead of a trace
        return _unexpected(error, wants_json=wants_json, verbose=_is_verbose(arguments))


def _usage(error: click.ClickException, *, wants_json: bool) -> int:
    context = getattr(error, "ctx", None)
    hint = f"see {context.command_path} --help" if context is not None else None
    return output.failed({"code": "usage", "message": error.format_message(), "hint": hint}, 2, as_json=wants_json)


def _unexpected(error: Exception, *, wants_json: bool, verbose: bool) -> int:
    if verbose:
        import traceback

        output.note("".join(traceback.format_exception(error)).rstrip())
    # Its text may quote a note or a key.
    message = f"unexpected {type(error).__name__}"
    hint = None if verbose else "run it again with -v for the details, and report it"
    return output.failed({"code": "internal", "message": message, "hint": hint}, 1, as_json=wants_json)


def _is_verbose(arguments: list[str]) -> bool:
    return any(one == "--verbose" or (one[:2] == "-v" and set(one[1:]) == {"v"}) for one in arguments)

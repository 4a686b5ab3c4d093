"""The command group: what commands there are, the global options, and imports only of what is run."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import click

from openclaw_memory_core import __version__
from openclaw_memory_core.cli import output
from openclaw_memory_core.cli.settings import Settings

# The help of a command stands here as well, so that --help imports no command; a test keeps both equal.
COMMANDS = {
    "status": "Show how the memory is: files, index, provider.",
    "index": "Bring the index up to date.",
    "search": "Search the notes.",
    "get": "Print lines of a note.",
    "append": "Add one entry to a note.",
    "import": "Bring in notes of other agents, below memory/imports/.",
    "watch": "Keep the index fresh until interrupted.",
    "doctor": "Look for problems, and repair what is safe.",
    "reset": "Delete the index; the notes stay.",
    "plugins": "List the memory plugins and which one is in the slot.",
    "config": "Check or show the configuration.",
    "mcp": "Serve the memory tools over MCP on stdin and stdout.",
    "bridge": "Put this memory into the slot of OpenClaw, the program.",
    "demo": "Show the memory at work: session start, recall, search, flush.",
    "eval": "Measure the search on a set of questions.",
}


def _store(context: click.Context, parameter: click.Parameter, value: Any) -> None:
    if value not in (None, False, 0):
        setattr(context.ensure_object(Settings), str(parameter.name), value)


def global_options() -> list[click.Parameter]:
    """The options that every command takes, before or after its name."""
    common: dict[str, Any] = {"expose_value": False, "callback": _store}
    return [
        click.Option(["--config"], metavar="FILE", help="Configuration file.", **common),
        click.Option(["--state-dir"], metavar="DIR", help="State folder, instead of ~/.openclaw.", **common),
        click.Option(["--agent"], metavar="ID", help="Agent; the default one if not given.", **common),
        click.Option(["--json"], is_flag=True, help="Print one JSON document on stdout.", **common),
        click.Option(["-v", "--verbose"], count=True, help="Say more on stderr; twice for everything.", **common),
    ]


class Command(click.Command):
    """A command with the global options after its own."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.params.extend(global_options())


def _module(name: str) -> str:
    """Module of a command; ``import`` is a word of the language and has an underscore behind it there."""
    return f"openclaw_memory_core.cli.{'import_' if name == 'import' else name}"


class LazyGroup(click.Group):
    """Imports the module of a command when the command is run."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - the signature is click's
        """All commands in the order of the help."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's as well
        """The command, imported now."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(_module(cmd_name)).command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that *args* begin with; an unknown one is an error that names the closest."""
        if self.get_command(ctx, args[0]) is None and not args[0].startswith("-"):
            from difflib import get_close_matches

            close = get_close_matches(args[0], self.list_commands(ctx), n=1)
            known = f'did you mean "{close[0]}"?' if close else f"commands: {', '.join(self.list_commands(ctx))}"
            ctx.fail(f'There is no command "{args[0]}"; {known}')
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of commands, without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, COMMANDS[name]) for name in self.list_commands(ctx)])


@click.group(
    cls=LazyGroup,
    name="openclaw-memory",
    params=global_options(),
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "terminal_width": output.help_width()},
)
@click.version_option(__version__, message="%(version)s")
@click.pass_context
def app(context: click.Context) -> None:
    """Memory of an agent in Markdown files: search it, read it, keep its index.

    Data goes to stdout, everything else to stderr. Exit code 0: done, also if nothing was found; 1: failed; 2: wrong
    usage.

    While the memory slot (plugins.slots.memory) is off, commands that add to the notes or use the index fail; status,
    doctor, plugins, config, get and reset go on. While another plugin is in the slot, they say so and work on the index
    of memory-core.
    """
    context.ensure_object(Settings)
    if context.invoked_subcommand is None:
        click.echo(context.get_help())

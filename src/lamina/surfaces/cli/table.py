"""Every command with the place it lives and one line of help, so that help imports none of them.

`tests/surfaces` checks that the lines agree with the commands' own.
"""

from typing import Final, NamedTuple


class Entry(NamedTuple):
    """A command: `module:attribute` below `lamina.surfaces.cli`, and its help in one line."""

    place: str
    help: str


SECTIONS: Final[dict[str, dict[str, Entry]]] = {
    "Keep and find": {
        "init": Entry("setup:init", "Make a store for the project in this folder."),
        "remember": Entry("remember:remember", "Keep a memory."),
        "index": Entry("indexing:index", "Take in the text files of a folder, and follow them."),
        "extract": Entry(
            "extracting:extract", "Read decisions, tasks, claims, terms and notes out of files."
        ),
        "items": Entry("extracting:items", "List what was read out of files, with file and line."),
        "recall": Entry("recall:recall", "Search memories, best first."),
        "why-not": Entry("recall:why_not", "Say what kept a memory out of a recall."),
        "list": Entry("reading:list_records", "List memories, newest first."),
        "get": Entry("reading:get", "Show one memory."),
        "query": Entry("reading:query", "List the memories that match a filter."),
    },
    "Agents and models": {
        "run": Entry("running:run", "Let an agent with a memory answer, or chat with it."),
        "context": Entry("context:context", "Show what a model would be told, within a budget."),
        "compact": Entry(
            "compact:compact", "Put summaries in the place of a long log and long sessions."
        ),
        "model": Entry("model:model", "Show which model may be asked, and what it has cost today."),
        "propose": Entry(
            "proposing:propose", "Have a model propose facts and lessons, which wait for you."
        ),
    },
    "Ways in": {
        "hook": Entry(
            "hook:hook", "Give a coding harness a memory: inject at the start, capture at the end."
        ),
        "serve": Entry("serve:serve", "Serve the memories of a store over HTTP."),
        "ui": Entry("ui:ui", "Open the web interface of a store in a browser."),
        "token": Entry(
            "token:token", "Make, list and revoke the keys that let programs in over the network."
        ),
        "mcp": Entry("mcp:mcp", "Serve memory to a model's client, over standard streams (MCP)."),
    },
    "Layers by their own words": {
        "now": Entry("now:now", "Show or say what is being done, and what comes next."),
        "log": Entry("log:log", "Show or add to what was done, entry by entry."),
        "fact": Entry("fact:fact", "Show or change single values by key."),
        "blackboard": Entry("blackboard:blackboard", "Publish, read and await signals."),
        "episodes": Entry("episodes:episodes", "Show or keep what was tried, and how it went."),
        "artifacts": Entry("artifacts:artifacts", "Follow the files that work has produced."),
        "tasks": Entry("tasks:tasks", "Show, add and move what is to be done."),
    },
    "Change and take back": {
        "edit": Entry("edit:edit", "Give a memory a new version."),
        "forget": Entry("changing:forget", "Hide memories; undo brings them back."),
        "undo": Entry("changing:undo", "Take back a whole transaction."),
        "accept": Entry("changing:accept", "Make a proposal current."),
        "promote": Entry(
            "promote:promote", "Copy memories to a wider scope, or review what waits for a yes."
        ),
        "history": Entry("history:history", "Show every version of a memory."),
        "watch": Entry("watch:watch", "Follow what changes."),
        "sync": Entry("sync:sync", "Bring the files that people read and the store together."),
        "reveal": Entry("changing:reveal", "Print a sealed secret; the log keeps who read it."),
        "erase": Entry("erase:erase", "Remove memories for good, and verify it."),
    },
    "Look after the store": {
        "export": Entry(
            "exporting:export", "Write memories as JSON lines, Markdown or for other tools."
        ),
        "capsule": Entry("capsule:capsule", "Hand over the notebook of a task as one file."),
        "import": Entry(
            "exchange:import_path", "Take in notes, other tools' memories and chats, or an export."
        ),
        "backup": Entry("backup:backup", "Copy the whole store into one verified file."),
        "restore": Entry("backup:restore", "Make a store again from a backup."),
        "migrate": Entry(
            "migrate:migrate",
            "Move the store to another directory or database, while it is in use.",
        ),
        "config": Entry("settings:config", "Show or change the settings of the store."),
        "reindex": Entry(
            "reindex:reindex", "Build the keyword index anew, and make missing vectors."
        ),
        "stale": Entry("stale:stale", "Show what has faded and could be forgotten, with reasons."),
        "doubtful": Entry(
            "doubtful:doubtful",
            "Show memories that look as if somebody wanted to steer agents with them.",
        ),
        "maintain": Entry(
            "maintain:maintain", "Do what is due: archive, merge, evict, compact, drop old history."
        ),
        "audit": Entry("audit:audit", "Verify the log, and anchor it elsewhere."),
        "doctor": Entry("doctor:doctor", "Look the store over, and repair what can be rebuilt."),
        "bench": Entry("bench:bench", "Measure how well recall finds things, and how fast."),
        "demo": Entry("demo:demo", "See two agents share a memory, then take a short tour."),
        "completion": Entry("setup:completion", "Print the completion script for a shell."),
        "help": Entry("helping:help_command", "Show the help of a command."),
    },
}

COMMANDS: Final = {name: entry for group in SECTIONS.values() for name, entry in group.items()}

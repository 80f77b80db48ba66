"""Three agents build a page together; one way of doing it fails, and the next is found.

    python examples/team.py

Maya designs, Finn builds, Noor tests. Finn's first approach fails, so the orchestrator reads what
was tried and goes on with the next. The files of each task are handed to those that wait for it.
"""

import sys
import tempfile
from pathlib import Path

import lamina
from lamina.orchestration import Event, Graph, Orchestrator, Work


def work(work: Work) -> str:
    """Whatever an agent does: call a model, run a program, or as here write a file."""
    if work.approach == "one long function":
        raise ValueError("nobody could test it")
    for one in work.inputs["artifacts"]:
        print(f"    {work.agent} reads {one['path']} ({one['size']} bytes) of task {one['task']}")
    for failure in work.failures:
        print(f"    {work.agent} knows that `{failure.approach}` failed: {failure.outcome}")
    file = f"{work.task}.md"
    (work.workspace / file).write_text(f"{work.description}, {work.approach}\n")
    work.artifact(file, kind="document")
    if work.task == "build":
        work.discovered("convention", "functions", "keep functions small enough to be tested")
    return f"wrote {file}"


def tell(event: Event) -> None:
    """Say what happens, as it happens."""
    who = f"{event.agent} " if event.agent else ""
    print(f"  {event.kind:<10} {who}{event.task}: {event.text or event.approach}")


def main() -> bool:
    """Run the graph, then ask the store what it has kept; whether all went as told."""
    graph = Graph()
    graph.add("design", "Design the page", agent="maya")
    graph.add(
        "build", "Build the page", agent="finn", after=["design"],
        approaches=["one long function", "small functions"],
    )  # fmt: skip
    graph.add("check", "Test the page", agent="noor", after=["build"])
    graph.add("shop", "Build the shop", agent="finn", after=["check"], approaches=[
        "one long function", "functions per aisle",
    ])  # fmt: skip
    with tempfile.TemporaryDirectory() as folder, lamina.open(Path(folder) / "memory") as mem:
        # By meaning or by words, the same is found here; without a model it is quicker.
        mem.configure("recall.embedder", "off")
        web = mem.project("web")
        print("The run:")
        outcome = Orchestrator(web, work, workspace=folder).run(graph, on_event=tell)
        print("What the store keeps:")
        for episode in web.episode.of_task("build"):
            told = episode.data.get("outcome", "")
            print(f"  build {episode.kind:<10} {episode.data['approach']} {told}".rstrip())
        tried = [one.data["approach"] for one in web.episode.query(task="shop")]
        [learned] = web.knowledge.query("convention")
        print(f"  convention found by {learned.source}: {learned.text}")
        print(f"  for the shop, what had failed was not tried: {sorted({*tried})}")
        return outcome.ok and {*tried} == {"functions per aisle"} and learned.source == "finn"


if __name__ == "__main__":
    as_told = main()
    print("All as told." if as_told else "NOT AS TOLD")
    sys.exit(0 if as_told else 1)

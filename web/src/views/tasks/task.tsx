// One task: what it is, what it waits for, and moving it on.
import { useSignal } from "@preact/signals";
import { Problem, address, part, send } from "../../api/client";
import type { Rec, Receipt } from "../../api/types";
import { lookup } from "../../parts/lookup";
import { mayWrite } from "../../state/may";
import { partOf } from "../../state/places";
import { to } from "../../state/router";
import { complain, say } from "../../state/saying";
import { Ago, Card, Trouble, shown } from "../../parts/basics";
import { statusOf, waitsOf } from "./layering";
import { StatusChip } from "./marks";
import { Plain } from "../../parts/plain";

/** The steps that make sense; the server has the last word. */
const NEXT = lookup<string[]>({
  open: ["active", "blocked", "dropped"], active: ["done", "blocked", "open", "dropped"], blocked: ["open", "active", "dropped"], done: ["open"], dropped: ["open"],
});

export function TaskCard({ task, known }: { task: Rec; known: Map<string, Rec> }) {
  const status = statusOf(task), waits = waitsOf(task);
  const acceptance = Array.isArray(task.data["acceptance"]) ? task.data["acceptance"].map(shown) : [];
  return (
    <Card title={task.key ?? "Task"} aside={<StatusChip of={status} />}>
      <p class="objective" dir="auto"><Plain text={task.text} /></p>
      <dl class="facts plain">
        {!!task.data["milestone"] && <div><dt>Milestone</dt><dd>{shown(task.data["milestone"])}</dd></div>}
        {typeof task.data["priority"] === "number" && <div><dt>Priority</dt><dd>{task.data["priority"]}</dd></div>}
        {waits.length > 0 && (
          <div><dt>Waits for</dt><dd class="links">{waits.map((one) => (
            <a key={one} href={to(["tasks", one])}>{one}{known.has(one) && ` (${statusOf(known.get(one)!)})`}</a>
          ))}</dd></div>
        )}
        {acceptance.length > 0 && <div><dt>Done when</dt><dd>{acceptance.join("; ")}</dd></div>}
        {!!task.data["note"] && <div><dt>Note</dt><dd dir="auto">{shown(task.data["note"])}</dd></div>}
        <div><dt>Changed</dt><dd><Ago at={task.updated_at} /> · <a href={to(["record", task.id])}>history</a></dd></div>
      </dl>
      {mayWrite() && <Moving key={task.key} task={task} status={status} />}
    </Card>
  );
}

function Moving({ task, status }: { task: Rec; status: string }) {
  const note = useSignal(""), refused = useSignal<Problem | null>(null);
  const move = async (wanted: string) => {
    const path = address(`/api/tasks/${part(task.key ?? "")}/move`, { project: partOf(task.scope, "project") });
    try {
      const done = await send<Receipt>("POST", path, { status: wanted, expect: task.rev, ...(note.value.trim() ? { note: note.value.trim() } : {}) });
      say(`${task.key} is ${wanted}.`, { tx: done.tx });
      note.value = "";
      refused.value = null;
    } catch (error) {
      // Somebody was faster, or the step makes no sense: that is worth more than a passing word.
      if (error instanceof Problem && error.status === 409) refused.value = error;
      else complain(error);
    }
  };
  return (
    <>
      {refused.value && <Trouble problem={refused.value} />}
      <div class="actions moving" role="group" aria-label="Move the task">
        <span class="muted small">Move to</span>
        {(NEXT[status] ?? []).map((one) => <button key={one} type="button" onClick={() => move(one)}>{one}</button>)}
        <input type="text" class="grow" aria-label="Why, if you like" placeholder="Why, if you like" value={note.value}
          onInput={(event) => { note.value = event.currentTarget.value; }} />
      </div>
    </>
  );
}

// What an agent has in mind and has noted on its tasks: read, put right, and added to.
import { useSignal } from "@preact/signals";
import { get, send } from "../../api/client";
import type { Page, Rec, Receipt } from "../../api/types";
import { inLayers } from "../../state/feed";
import { mayWrite } from "../../state/may";
import { useLoaded } from "../../state/loading";
import { partOf } from "../../state/places";
import { amend, route, to } from "../../state/router";
import { save } from "../../state/saving";
import { doing } from "../../state/saying";
import { Ago, Card, Empty, Trouble, Waiting, plural, shown } from "../../parts/basics";
import { Plain } from "../../parts/plain";
import { Moved } from "../../parts/record/clash";

const CALM = { live: inLayers("notebook", "working"), calm: 400 };

export function Notes({ scope }: { scope: string }) {
  const archived = route.value.asked.get("archived") === "yes";
  const where = JSON.stringify({ layer: "notebook", ...(archived ? { state: { $in: ["current", "archived"] } } : {}) });
  const { value, problem, again } = useLoaded((signal) => get<Page>("/api/records", { where, scope, limit: 500 }, signal), [scope, where], CALM);
  const books = new Map<string, Rec[]>();
  // Requests between agents lie in the same layer, in sessions of their own; they have a place of their own here.
  for (const one of value.value?.records.filter((one) => !partOf(one.scope, "session")) ?? []) books.set(one.scope, [one, ...(books.get(one.scope) ?? [])]);
  return (
    <div class="columns">
      <div class="column">
        <label class="check small"><input type="checkbox" checked={archived} onChange={(event) => amend({ archived: event.currentTarget.checked ? "yes" : "" })} />
          with notes that were put aside when their task ended</label>
        {problem.value && <Trouble problem={problem.value} again={again} />}
        {!value.value ? !problem.value && <Waiting /> : !books.size && (
          <Empty title="No notes">Notes on a task last as long as the task; what is worth more is promoted to knowledge.</Empty>
        )}
        {[...books].map(([place, notes]) => <Book key={place} place={place} notes={notes} />)}
      </div>
      <div class="column"><Working scope={scope} /></div>
    </div>
  );
}

function Book({ place, notes }: { place: string; notes: Rec[] }) {
  const task = partOf(place, "task"), text = useSignal("");
  const add = async (event: Event) => {
    event.preventDefault();
    if (text.value.trim() && await doing("Noted.", send<Receipt>("POST", "/api/records", { layer: "notebook", kind: "note", scope: place, text: text.value }))) text.value = "";
  };
  return (
    <Card title={task ? `Notebook on ${task}` : `Notebook of ${place}`} aside={<span class="faint small">{task && <a href={to(["tasks", task])}>the task</a>} {plural(notes.length, "note")}</span>}>
      <ul class="notes">{notes.map((one) => <Note key={one.id} note={one} />)}</ul>
      {mayWrite() && <form class="jot" onSubmit={add}>
        <input type="text" class="grow" aria-label={`Add a note on ${task ?? place}`} placeholder="Add a note" value={text.value} onInput={(event) => { text.value = event.currentTarget.value; }} />
        <button type="submit" disabled={!text.value.trim()}>Add</button>
      </form>}
    </Card>
  );
}

function Note({ note }: { note: Rec }) {
  const editing = useSignal<Rec | null>(null);
  return (
    <li data-kind={note.kind}>
      <span class="log-kind">{shown(note.data["stage"] ?? note.data["tool"] ?? note.kind)}{note.state !== "current" && <span class={`chip state-${note.state}`}>{note.state}</span>}</span>
      {editing.value ? <EditNote base={editing.value} note={note} onDone={() => { editing.value = null; }} /> : (
          <div><p dir="auto"><Plain text={note.text} /></p>
          <span class="faint small"><Ago at={note.updated_at} /> · <a href={to(["record", note.id])}>history</a>
            {note.state === "current" && mayWrite() && <> · <button type="button" class="link" onClick={() => { editing.value = note; }}>Edit</button></>}</span></div>
      )}
    </li>
  );
}

function EditNote({ base, note, onDone }: { base: Rec; note: Rec; onDone: () => void }) {
  const text = useSignal(base.text), wanted = () => ({ text: text.value });
  const submit = (event: Event) => { event.preventDefault(); void save(base, wanted(), onDone); };
  return (
    <form class="edit" onSubmit={submit}>
      {note.rev !== base.rev && <Moved base={base} record={note} wanted={wanted} onDone={onDone} />}
      <textarea rows={4} dir="auto" aria-label="The note" value={text.value} onInput={(event) => { text.value = event.currentTarget.value; }} />
      <div class="actions"><button type="submit" class="primary">Save</button><button type="button" onClick={onDone}>Cancel</button></div>
    </form>
  );
}

function Working({ scope }: { scope: string }) {
  const { value, problem, again } = useLoaded((signal) => get<Page>("/api/records", { layer: "working", scope, limit: 10 }, signal), [scope], CALM);
  const kept = value.value?.records.find((one) => one.scope === scope && one.key === "snapshot");
  const values = Object.entries((kept?.data["values"] ?? {}) as Record<string, unknown>);
  return (
    <Card title="Working memory" aside={kept && <span class="faint small">kept <Ago at={kept.updated_at} /> · <a href={to(["record", kept.id])}>history</a></span>}>
      {problem.value && <Trouble problem={problem.value} again={again} />}
      {!value.value ? !problem.value && <Waiting rows={2} /> : values.length ? (
        <dl class="facts plain values">{values.map(([name, one]) => <div key={name}><dt title={name}>{name}</dt><dd><Plain text={typeof one === "string" ? one : JSON.stringify(one, null, 2)} /></dd></div>)}</dl>
      ) : (
        <Empty title={kept ? "It was empty when it was kept" : "No snapshot"} code="agent.working.snapshot()">
          What an agent has in mind lives in its own process; a snapshot keeps it for a warm restart, and shows it here.
        </Empty>
      )}
    </Card>
  );
}

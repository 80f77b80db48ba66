// A signal published by hand. What stands there is not overwritten unseen: if somebody was faster, both are shown.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { Problem } from "../../api/client";
import type { Rec, Signal } from "../../api/types";
import { Ago, shown } from "../../parts/basics";
import { Dialog } from "../../parts/dialog";
import { useOverview } from "../../state/overview";
import { project } from "../../state/prefs";
import { complain, say } from "../../state/saying";
import { projectOf, publish, read, standing, valueOf, written } from "./signals";

export function Publish({ over, onClose }: { over: Rec | null; onClose: () => void }) {
  const seen = useOverview("", 3_000);
  const where = useSignal((over ? projectOf(over) : project.value) ?? "");
  const key = useSignal(over?.key ?? ""), value = useSignal(over ? written(valueOf(over)) : ""), ttl = useSignal("");
  // What stood there when writing began, so that nobody's signal is replaced unseen.
  const expect = useSignal(over?.rev ?? 0), other = useSignal<Signal | null>(null);
  const box = useRef<HTMLTextAreaElement>(null);
  useEffect(() => { if (over) box.current?.focus(); }, []);
  const projects = seen.value.value?.projects ?? [];
  const into = where.value || (projects.length === 1 ? projects[0] : undefined);
  const said = read(value.value);

  const submit = async (event?: Event) => {
    event?.preventDefault();
    const name = key.value.trim();
    try {
      const done = await publish({ project: into, key: name, value: said, ttl: ttl.value.trim() }, expect.value);
      say(`Published ${name}.`, { tx: done.tx });
      if (done.drift.length) say("It departs from what was declared.", { remedy: done.drift.join(" "), bad: true });
      onClose();
    } catch (error) {
      if (!(error instanceof Problem) || error.status !== 409) return complain(error);
      await standing(name, into).then((now) => { other.value = now; expect.value = now.rev; }, () => { expect.value = 0; complain(error); });
    }
  };
  return (
    <Dialog title={over ? `Change ${over.key}` : "Publish a signal"} onClose={onClose}>
      <form onSubmit={submit}>
        {!over && !project.value && projects.length > 0 && (
          <label class="field"><span>Project</span>
            <select required value={into ?? ""} onChange={(event) => { where.value = event.currentTarget.value; expect.value = 0; other.value = null; }}>
              {!into && <option value="">Choose one</option>}
              {projects.map((one) => <option key={one} value={one}>{one}</option>)}
            </select></label>
        )}
        {!over && (
          <label class="field"><span>Key</span>
            <input type="text" required placeholder="build:web:status" value={key.value}
              onInput={(event) => { key.value = event.currentTarget.value; expect.value = 0; other.value = null; }} /></label>
        )}
        <label class="field"><span>Value: text, a number, or any JSON</span>
          <textarea ref={box} rows={3} required class="mono" value={value.value} onInput={(event) => { value.value = event.currentTarget.value; }} /></label>
        <p class="faint small">{value.value.trim() ? `Published as ${kindOf(said)}.` : "Text needs no quotes."}</p>
        <label class="field"><span>Stands for, as 30s, 2h or 7d; for ever unless given</span>
          <input type="text" value={ttl.value} pattern="\s*\d+\s*[smhdw]\s*" placeholder="for ever" onInput={(event) => { ttl.value = event.currentTarget.value; }} /></label>
        {other.value ? <Conflict theirs={other.value} mine={said} isNew={!over} onTheirs={onClose} /> : <button type="submit" class="primary">Publish</button>}
      </form>
    </Dialog>
  );
}

function Conflict({ theirs, mine, isNew, onTheirs }: { theirs: Signal; mine: unknown; isNew: boolean; onTheirs: () => void }) {
  return (
    <div class="conflict" role="alert">
      <strong>{isNew ? "Something stands under this key already." : "Somebody published meanwhile."}</strong>
      <div class="sides">
        <div><h3>There now</h3><p class="mono value">{shown(theirs.value)}</p><p class="small muted">{theirs.publisher}, <Ago at={theirs.published_at} /></p></div>
        <div><h3>Yours</h3><p class="mono value">{shown(mine)}</p></div>
      </div>
      <div class="actions">
        <button type="submit" class="primary">Publish mine over it</button>
        <button type="button" onClick={onTheirs}>Leave theirs</button>
      </div>
    </div>
  );
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  return { string: "text", number: "a number", boolean: "true or false", object: "an object" }[typeof value as string] ?? "JSON";
}

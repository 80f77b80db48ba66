import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { Problem, asProblem, isOver, type Asked } from "../../api/client";
import { exportFile, save } from "../../api/transfer";
import { Card, Trouble, count, plural } from "../../parts/basics";
import { Progress } from "./progress";
import { LAYERS } from "../../parts/words";
import { project } from "../../state/prefs";
import { amend, route } from "../../state/router";
import { OUTGOING } from "./formats";

interface Far {
  bytes: number;
  lines: number;
  records: number;
}

export function Exporting() {
  const { asked } = route.value;
  const format = OUTGOING.find((one) => one.name === asked.get("as")) ?? OUTGOING[0]!;
  const layers = (asked.get("layers") ?? "").split(",").filter(Boolean);
  const history = asked.get("history") === "yes" && format.name === "jsonl";
  const { far, done, problem, begin, stop } = useExport();
  const isCounted = format.name === "jsonl" && !history;
  const submit = (event: Event) => {
    event.preventDefault();
    void begin({ format: format.name, project: project.peek(), layers: layers.join(","), history: history || undefined });
  };
  const choose = (layer: string, on: boolean) => {
    const now = on ? [...layers, layer] : layers.filter((one) => one !== layer);
    amend({ layers: now.join(",") || undefined });
  };
  return (
    <Card title="Export">
      <form class="edit" onSubmit={submit}>
        <label class="field"><span>As</span>
          <select value={format.name} onChange={(event) => amend({ as: event.currentTarget.value })}>
            {OUTGOING.map((one) => <option key={one.name} value={one.name}>{one.title}</option>)}
          </select></label>
        <p class="small muted">{format.about}</p>
        <fieldset class="layer-set">
          <legend>Only these layers</legend>
          {LAYERS.map((layer) => (
            <label key={layer} class="check"><input type="checkbox" checked={layers.includes(layer)}
              onChange={(event) => choose(layer, event.currentTarget.checked)} />{layer}</label>
          ))}
        </fieldset>
        {format.name === "jsonl" && (
          <label class="check"><input type="checkbox" checked={history}
            onChange={(event) => amend({ history: event.currentTarget.checked ? "yes" : undefined })} />
            Every kept version, not the newest alone</label>
        )}
        <p class="small muted">{project.value ? <>What project <b>{project.value}</b> can see.</> : "All that you can see. Choose a project in the menu for less."}</p>
        {problem.value && <Trouble problem={problem.value} />}
        {far.value && <>
          <Progress share={isCounted && far.value.records ? far.value.lines / far.value.records : null} label="Exporting" />
          <p class="small muted">{count(far.value.bytes)} bytes{isCounted && `, ${count(far.value.lines)} of ${plural(far.value.records, "memory", "memories")}`}</p>
        </>}
        {done.value && <p role="status">Saved <b class="key">{done.value}</b></p>}
        <div class="actions">
          <button type="submit" class="primary" disabled={!!far.value}>Export</button>
          {far.value && <button type="button" onClick={stop}>Stop</button>}
        </div>
      </form>
    </Card>
  );
}

function useExport() {
  const far = useSignal<Far | null>(null), done = useSignal(""), problem = useSignal<Problem | null>(null);
  const control = useRef<AbortController | null>(null);
  const stop = () => control.current?.abort();
  // Nobody wants a file that drops in long after the page was left.
  useEffect(() => stop, []);
  const begin = async (how: Asked) => {
    const { signal } = control.current = new AbortController();
    done.value = "";
    problem.value = null;
    far.value = { bytes: 0, lines: 0, records: 0 };
    try {
      const got = await exportFile(how, (bytes, lines, records) => { far.value = { bytes, lines, records }; }, signal);
      save(got.name, got.content);
      done.value = `${got.name}, ${count(got.bytes)} bytes`;
    } catch (error) {
      if (!isOver(error)) problem.value = asProblem(error);
    }
    far.value = null;
  };
  return { far, done, problem, begin, stop };
}

import { useSignal } from "@preact/signals";
import { Card, Trouble, count, plural } from "../../parts/basics";
import { Progress } from "./progress";
import { clear, job, look, stop, take, takeAllBack, type Job } from "./job";
import { project } from "../../state/prefs";
import { amend, route } from "../../state/router";
import { INCOMING } from "./formats";
import { Report } from "./report";

const ROWS = ["jsonl", "csv"];

export function Importing() {
  const now = job.value;
  return (
    <Card title="Import">
      {now ? <Running now={now} /> : <Choosing />}
    </Card>
  );
}

function Choosing() {
  const { asked } = route.value;
  const format = INCOMING.find((one) => one.name === asked.get("from")) ?? INCOMING[0]!;
  const over = useSignal(false);
  const scope = asked.get("scope") ?? "", map = asked.get("map") ?? "", again = asked.get("again") === "yes";
  const begin = (file: File | undefined) => {
    if (!file) return;
    const theirs = format.name === "lamina" ? {} : { scope: scope.trim(), again: again || undefined };
    const rows = ROWS.includes(format.name) ? { map: map.trim() } : {};
    void look(file, { format: format.name, project: project.peek(), ...theirs, ...rows });
  };
  return (
    <div class="edit">
      <label class="field"><span>What it is</span>
        <select value={format.name} onChange={(event) => amend({ from: event.currentTarget.value })}>
          {INCOMING.map((one) => <option key={one.name} value={one.name}>{one.title}</option>)}
        </select></label>
      <p class="small muted">{format.about}</p>
      {ROWS.includes(format.name) && (
        <label class="field"><span>Columns, if they are not guessed right</span>
          <input type="text" placeholder="text=note, id=number" value={map} onInput={(event) => amend({ map: event.currentTarget.value })} /></label>
      )}
      {format.name !== "lamina" && <>
        <label class="field"><span>Where it belongs</span>
          <input type="text" placeholder={project.value ? `project/${project.value}` : "global"} value={scope}
            onInput={(event) => amend({ scope: event.currentTarget.value })} /></label>
        <label class="check"><input type="checkbox" checked={again} onChange={(event) => amend({ again: event.currentTarget.checked ? "yes" : undefined })} />
          Also what was forgotten here by hand</label>
      </>}
      <label class={over.value ? "drop over" : "drop"}
        onDragOver={(event) => { event.preventDefault(); over.value = true; }}
        onDragLeave={() => { over.value = false; }}
        onDrop={(event) => { event.preventDefault(); over.value = false; begin(event.dataTransfer?.files[0]); }}>
        <strong>Drop a file here, or choose one</strong>
        <span class="small muted">You see what would come in before anything is written. Up to 1 GB; <code>lamina import</code> takes folders and more.</span>
        <input type="file" aria-label="File to import" onChange={(event) => begin(event.currentTarget.files?.[0])} />
      </label>
    </div>
  );
}

const SAID: Record<Job["stage"], string> = {
  looking: "Looking at it…", looked: "This would come in", importing: "Importing…", done: "Imported", stopped: "Stopped",
  "taking-back": "Undoing it…", "taken-back": "Undone",
};

function Running({ now }: { now: Job }) {
  const busy = ["looking", "importing", "taking-back"].includes(now.stage);
  const again = now.report && Object.keys(now.report.counts).length === 0;
  return (
    <div class="column">
      <p><b class="key">{now.file.name}</b> <span class="small muted">{count(now.file.size)} bytes</span></p>
      <p class="over" role="status">{now.stage === "looked" && now.problem ? "It cannot be taken in" : SAID[now.stage]}</p>
      {busy && <Progress share={now.share} label={SAID[now.stage]} />}
      {now.stage === "importing" && now.written.length > 0 && <p class="small muted">{plural(now.written.length, "batch", "batches")} written. Closing this tab stops it; what is in stays whole.</p>}
      {now.problem && <Trouble problem={now.problem} />}
      {now.stage === "stopped" && <p>{now.written.length
        ? `${plural(now.written.length, "batch is", "batches are")} in. Import it again to go on where it stopped: nothing comes in twice.`
        : "Nothing came in."}</p>}
      {now.report && now.stage !== "taken-back" && (again ? <p class="muted">There is nothing in it.</p> : <Report report={now.report} />)}
      <div class="actions">
        {now.stage === "looked" && now.report && !again && <button type="button" class="primary" onClick={() => void take()}>Import</button>}
        {now.stage === "stopped" && <button type="button" class="primary" onClick={() => void take()}>Go on</button>}
        {["done", "stopped"].includes(now.stage) && now.written.length > 0
          && <button type="button" onClick={() => void takeAllBack()}>Undo the import</button>}
        {now.stage === "taking-back" ? null : busy
          ? <button type="button" onClick={() => void stop()}>Stop</button>
          : <button type="button" onClick={clear}>Another file</button>}
      </div>
    </div>
  );
}

// Files that a task has produced, and whether they still are what was registered.
import { signal } from "@preact/signals";
import { get, type Asked } from "../../api/client";
import type { Artifact, Verification } from "../../api/types";
import { lookup } from "../../parts/lookup";
import { inLayers } from "../../state/feed";
import { useLoaded } from "../../state/loading";
import { mayLookAtFiles } from "../../state/may";
import { to } from "../../state/router";
import { complain } from "../../state/saying";
import { Ago, Card, Empty, Trouble, Waiting, count } from "../../parts/basics";

interface Looked {
  standing: string;
  at: string;
  /** What it was compared with: registered anew, a file has not been looked at. */
  checksum: unknown;
}

/** What was found, for as long as the page is open; nobody else's word is taken for it. */
const looked = signal(new Map<string, Looked>());
const where = signal("");
const SAID = lookup<string>({ same: "as registered", changed: "changed since", missing: "missing", unknown: "no checksum kept" });

export function Artifacts({ project, task }: { project: string | undefined; task: string }) {
  const asked: Asked = { project, task_id: task };
  const made = useLoaded((stop) => get<{ artifacts: Artifact[] }>("/api/memory/artifacts", { ...asked, limit: 500 }, stop), [project, task], { live: inLayers("artifact"), calm: 400 });
  const listed = made.value.value?.artifacts;
  const verify = async () => {
    try {
      const told = await get<Verification>("/api/memory/artifacts/verify", asked);
      looked.value = new Map([...looked.value, ...told.artifacts.map((one) => [one.record.id, { standing: one.standing, at: told.at, checksum: one.record.data["sha256"] ?? null }] as const)]);
      where.value = told.workspace;
    } catch (error) {
      complain(error);
    }
  };
  return (
    <Card title="Artifacts" aside={mayLookAtFiles() && !!listed?.length && <button type="button" class="small" onClick={verify}>Verify now</button>}>
      {made.problem.value && <Trouble problem={made.problem.value} again={made.again} />}
      {!listed ? <Waiting rows={2} /> : listed.length ? (
        <ul class="artifacts">{listed.map((one) => <One key={one.id} artifact={one} />)}</ul>
      ) : <Empty title="No files" code={`lamina artifacts register src/main.py --task ${task}`}>Files that an agent registers for this task are listed here.</Empty>}
      {where.value && listed?.some((one) => looked.value.has(one.id)) && <p class="faint small">Compared with the files in {where.value}.</p>}
    </Card>
  );
}

function One({ artifact: one }: { artifact: Artifact }) {
  const found = looked.value.get(one.id);
  const told = found && found.checksum === one.checksum ? found : null;
  return (
    <li>
      <div class="artifact-head"><a href={to(["record", one.id])} class="mono" dir="auto">{one.path}</a><span class="chip">{one.type}</span>
        <span class={`verdict st-${told?.standing ?? "unseen"}`}>{told ? SAID[told.standing] ?? told.standing : "not looked at"}</span></div>
      {one.description !== one.path && <p class="muted small" dir="auto">{one.description}</p>}
      <p class="faint small">{one.size_bytes !== null && `${count(one.size_bytes)} bytes · `}
        {one.checksum ? <span class="mono" title={`SHA-256 ${one.checksum}`}>{one.checksum.slice(0, 10)}</span> : "no checksum"} · {one.agent_id} · <Ago at={one.created_at} />
        {told && <> · looked at <Ago at={told.at} /></>}</p>
    </li>
  );
}

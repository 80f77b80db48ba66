// What stood under a key before: as a line, and one by one.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { historyOf, recordOf } from "../../api/records";
import type { Rec, Version } from "../../api/types";
import { Ago, Empty, IconButton, Trouble, Waiting, plural, shown } from "../../parts/basics";
import { nameOf } from "../../parts/change";
import { isAbout, onChange } from "../../state/feed";
import { doorOf } from "../../parts/words";
import { useLoaded } from "../../state/loading";
import { to } from "../../state/router";
import { mayWrite } from "../../state/may";
import { doing } from "../../state/saying";
import { clear, valueOf } from "./signals";

const DRAWN = 30, LISTED = 200;
const WIDTH = 100, HEIGHT = 24;

/** How a value has moved; where it is no number, when it changed. */
export function Spark({ record }: { record: Rec }) {
  // Of a first version there is no history to ask for, and what comes is told by the feed.
  const told = useLoaded((signal) => record.rev > 1 ? historyOf(record.id, signal, DRAWN) : Promise.resolve(null), [record.id, record.rev > 1]);
  const fresh = useSignal<Version[]>([]);
  useEffect(() => onChange((change) => {
    if (change.event.record === record.id) fresh.value = [...fresh.peek(), change].slice(-DRAWN);
  }), [record.id]);
  if (record.rev === 1) return <span class="faint small">new</span>;
  const known = told.value.value?.versions ?? [], last = known.at(-1)?.event.seq;
  const newer = last === undefined ? [] : fresh.value.filter((one) => one.event.seq > last);
  const versions = [...known, ...newer].filter((one) => one.record).slice(-DRAWN);
  return versions.length ? <Drawing versions={versions} all={record.rev} /> : null;
}

function Drawing({ versions, all }: { versions: Version[]; all: number }) {
  const values = versions.map((one) => valueOf(one.record!));
  if (versions.length > 1 && values.every((one) => typeof one === "number")) {
    const low = Math.min(...values), high = Math.max(...values), span = high - low || 1;
    const points = values.map((one, index) => [(94 * index) / (values.length - 1) + 2, 20 - (16 * (one - low)) / span] as const);
    const title = `${plural(all, "version")}, from ${low} to ${high}, now ${values.at(-1)}`;
    const [x, y] = points.at(-1)!;
    return (
      <svg class="spark" width={WIDTH} height={HEIGHT} role="img" aria-label={title}><title>{title}</title>
        <polyline points={points.map((one) => one.join()).join(" ")} /><circle cx={x} cy={y} r="2.5" />
      </svg>
    );
  }
  const times = versions.map((one) => Date.parse(one.event.at));
  const from = Math.min(...times), width = Math.max(...times) - from || 1;
  const title = `${plural(all, "version")}; each stroke is a change, the newest at the right`;
  return (
    <svg class="spark" width={WIDTH} height={HEIGHT} role="img" aria-label={title}><title>{title}</title>
      <line x1="2" x2="98" y1="18" y2="18" />
      {times.map((one, index) => <rect key={index} x={2 + (92 * (one - from)) / width} y="6" width="2.5" height="12" rx="1" />)}
    </svg>
  );
}

export function KeyHistory({ id, onClose, onChange: change }: { id: string; onClose: () => void; onChange: (record: Rec) => void }) {
  const how = { live: isAbout(id), calm: 150 };
  const told = useLoaded((signal) => historyOf(id, signal, LISTED), [id], how);
  const now = useLoaded((signal) => recordOf(id, signal), [id], how);
  const versions = (told.value.value?.versions ?? []).toReversed();
  const record = now.value.value, isUp = record?.state === "current", mayChange = isUp && mayWrite();
  return (
    <article class="panel" aria-label="History of a key" onKeyDown={(event) => { if (event.key === "Escape") onClose(); }}>
      <div class="panel-head">
        <h2 class="key">{record?.key ?? "A key"}</h2>
        {record && !isUp && <span class="chip state-forgotten">cleared</span>}
        <span class="grow" />
        <IconButton icon="close" label="Close" onClick={onClose} />
      </div>
      {record && (
        <div class="actions">
          {mayChange && <button type="button" onClick={() => change(record)}>Change…</button>}
          {mayChange && <button type="button" onClick={() => doing("Taken off the board.", clear(record))}>Clear</button>}
          <a class="button" href={to(["record", id])}>Open the memory</a>
        </div>
      )}
      {told.problem.value ? <Trouble problem={told.problem.value} again={told.again} /> : !told.value.value ? <Waiting />
        : !versions.length ? <Empty title="No history is left">It was erased, or pruned.</Empty> : (
          <ol class="key-history" aria-label="Values">
            {versions.map((one) => <Past key={nameOf(one)} version={one} />)}
          </ol>
        )}
      {told.value.value && told.value.value.total > versions.length && <p class="faint small">The newest {versions.length} of {plural(told.value.value.total, "value")}; <a href={to(["record", id])}>the memory</a> has the rest.</p>}
    </article>
  );
}

function Past({ version: { event, record } }: { version: Version }) {
  const isGone = record && record.state !== "current";
  return (
    <li>
      <p class="mono value">{!record ? <i class="faint">erased or pruned</i> : isGone ? <i class="faint">taken off the board</i> : shown(valueOf(record))}</p>
      <p class="small muted">
        <b>{event.actor}</b>, <Ago exact at={event.at} />, through {doorOf(event.surface)}
        {record?.expires_at && !isGone && <> · stood until <Ago exact at={record.expires_at} /></>}
      </p>
    </li>
  );
}

// One change: exactly what it made different, and what it belongs to.
import { useSignal } from "@preact/signals";
import { historyOf } from "../../api/records";
import type { Change } from "../../api/types";
import { Ago, IconButton, Marks, Trouble, Waiting, exactly, plural } from "../../parts/basics";
import { nameOf, verb } from "../../parts/change";
import { Changes } from "../../parts/fields";
import { Plain } from "../../parts/plain";
import { Undo } from "../../parts/record/history";
import { doorOf } from "../../parts/words";
import { mayWrite } from "../../state/may";
import { changes } from "../../state/feed";
import { useLoaded } from "../../state/loading";
import { to } from "../../state/router";

/** A change, from wherever it was read. */
type Seen = Omit<Change, "cursor">;

export function ChangePanel({ record, name, onClose }: { record: string; name: string; onClose: () => void }) {
  const here = changes.value.find((one) => nameOf(one) === name);
  // An address may be older than what is kept here; the memory's own history has it.
  const found = useLoaded((signal) => here ? Promise.resolve(null) : ofHistory(record, name, signal), [name, !!here]);
  const change = here ?? found.value.value;
  return (
    <article class="panel" aria-label="Change" onKeyDown={(event) => { if (event.key === "Escape") onClose(); }}>
      <div class="panel-head">
        {change && <p><b>{change.event.actor}</b> {verb(change)} this <Ago at={change.event.at} /></p>}
        <span class="grow" />
        <IconButton icon="close" label="Close" onClick={onClose} />
      </div>
      {change ? <Body change={change} /> : found.problem.value ? <Trouble problem={found.problem.value} again={found.again} />
        : found.busy.value ? <Waiting /> : <p class="faint">This change is not in the history of its memory any more.</p>}
    </article>
  );
}

async function ofHistory(record: string, name: string, signal: AbortSignal): Promise<Seen | null> {
  const { versions } = await historyOf(record, signal);
  const at = versions.findIndex((one) => nameOf(one) === name);
  if (at < 0) return null;
  return { ...versions[at]!, before: versions[at - 1]?.record ?? null };
}

function Body({ change }: { change: Seen }) {
  const { event, record, before } = change, about = record ?? before;
  const undoing = useSignal(false);
  const others = changes.value.filter((one) => one.event.tx === event.tx && nameOf(one) !== nameOf(change));
  return (
    <>
      {about && <Marks record={about} />}
      {about?.key && <h2 class="key">{about.key}</h2>}
      {!about ? <p class="faint">Nothing of it is left.</p>
        : (!record || !before || before.text === record.text) && <p class="said" dir="auto"><Plain text={about.text} /></p>}
      {record && before && <Changes before={before} after={record} />}
      <div class="actions">
        {event.action !== "erased" && <a class="button" href={to(["record", event.record])}>Open the memory</a>}
        {event.action !== "erased" && mayWrite() && <button type="button" onClick={() => { undoing.value = true; }}>Undo…</button>}
      </div>
      {undoing.value && <Undo tx={event.tx} onClose={() => { undoing.value = false; }} />}
      <dl class="facts">
        <div><dt>When</dt><dd>{exactly(event.at)}</dd></div>
        <div><dt>Through</dt><dd>{doorOf(event.surface)}</dd></div>
        <div><dt>Place in the log</dt><dd class="mono">{event.stream} #{event.seq}, revision {event.rev}</dd></div>
        <div><dt>Transaction</dt><dd class="mono">{event.tx}</dd></div>
      </dl>
      {others.length > 0 && (
        <section aria-label="Together with it">
          <h3>{plural(others.length, "change")} together with it</h3>
          <ul class="together">
            {others.slice(0, 20).map((one) => (
              <li key={nameOf(one)}><a href={to(["feed", one.event.record, nameOf(one)])}>{verb(one)} {(one.record ?? one.before)?.key ?? (one.record ?? one.before)?.text ?? "what is erased"}</a></li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

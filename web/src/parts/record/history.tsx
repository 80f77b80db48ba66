// Every version of a memory: who made it, through which door, what differs, and the way back.
import { useSignal } from "@preact/signals";
import { send } from "../../api/client";
import { historyOf } from "../../api/records";
import type { Past, Rec, Undone, Version } from "../../api/types";
import { isAbout } from "../../state/feed";
import { useLoaded } from "../../state/loading";
import { mayWrite } from "../../state/may";
import { to } from "../../state/router";
import { save } from "../../state/saving";
import { takeBack } from "../../state/saying";
import { Ago, Trouble, Waiting, plural } from "../basics";
import { nameOf, verb } from "../change";
import { Dialog } from "../dialog";
import { Changes } from "../fields";
import { Plain } from "../plain";
import { OPEN_STATES, doorOf } from "../words";

const STEP = 20;

export function useHistory(id: string) {
  const last = useSignal(STEP);
  const told = useLoaded((signal) => historyOf(id, signal, last.value + 1), [id, last.value], { live: isAbout(id), calm: 100 });
  return { told, last };
}

export function History({ told, record, onOlder }: { told: Past; record: Rec | null; onOlder: () => void }) {
  const undoing = useSignal<string | null>(null);
  const { versions, total } = told;
  // One more than is shown was asked for, so that the oldest shown has something to differ from.
  const isAll = versions.length === total;
  const shown = versions.map((one, index) => ({ ...one, before: versions[index - 1]?.record ?? null })).slice(isAll ? 0 : 1).reverse();
  return (
    <>
    <section class="history" aria-label="History">
      <h3>History <span class="faint">{plural(total, "change")}</span></h3>
      <ol>
        {shown.map((one) => <One key={nameOf(one)} {...one} now={record} onUndo={() => { undoing.value = one.event.tx; }} />)}
      </ol>
      {!isAll && <button type="button" onClick={onOlder}>Show older</button>}
    </section>
    {undoing.value && <Undo tx={undoing.value} onClose={() => { undoing.value = null; }} />}
    </>
  );
}

function One({ event, record, before, now, onUndo }: Version & { before: Rec | null; now: Rec | null; onUndo: () => void }) {
  const isNow = record?.rev === now?.rev;
  const restore = () => now && record && save(now, {
    text: record.text, kind: record.kind, tags: record.tags, data: record.data, confidence: record.confidence, importance: record.importance,
  }, () => undefined, `Revision ${record.rev} is back.`);
  return (
    <li>
      <div class="small">
        <b>{event.actor}</b> {verb({ event, record, before })} it through {doorOf(event.surface)}, <Ago at={event.at} />
        <span class="chip">rev {event.rev}</span>
        {record && before && record.state !== before.state && <span class={`chip state-${record.state}`}>{record.state}</span>}
        {event.action !== "erased" && record && mayWrite() && <button type="button" class="link" onClick={onUndo}>Undo…</button>}
        {record && now && !isNow && mayWrite() && OPEN_STATES.includes(now.state) && OPEN_STATES.includes(record.state) && (
          <button type="button" class="link" onClick={restore}>Restore</button>
        )}
      </div>
      {!record ? <p class="faint small">{event.action === "erased" ? "Erased for good: what it said is nowhere any more." : "What it said then has been pruned or erased."}</p>
        : before ? <Changes before={before} after={record} />
        : <p class="diff" dir="auto"><Plain text={record.text} /></p>}
    </li>
  );
}

/** What taking back would do, before it is done. */
export function Undo({ tx, onClose }: { tx: string; onClose: () => void }) {
  const asked = useLoaded(() => send<Undone>("POST", "/api/undo/preview", { tx }), [tx]);
  const all = asked.value.value?.undoing;
  const undo = async () => { if (await takeBack(tx)) onClose(); };
  return (
    <Dialog title="Undo this change" onClose={onClose}>
      {asked.problem.value ? <Trouble problem={asked.problem.value} /> : !all ? <Waiting rows={2} /> : (
        <div class="undoing">
          <p>This changes {plural(all.length, "memory", "memories")}, in one step that can be undone as well:</p>
          <ul>
            {all.map(({ now, then }) => (
              <li key={now.id}>
                <a class="key" href={to(["record", now.id])} onClick={onClose}>{now.key ?? now.kind}</a>
                {then.state === "forgotten" && now.state !== "forgotten" ? <p>is forgotten, as if it had never been said.</p> : <Changes before={now} after={then} />}
              </li>
            ))}
          </ul>
          <button type="button" class="primary" onClick={undo}>Undo it</button>
        </div>
      )}
    </Dialog>
  );
}

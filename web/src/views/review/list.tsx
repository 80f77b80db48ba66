// What every tab of the queue has: choosing many at once, and rows that keep their place.
import type { ComponentChildren } from "preact";
import type { Rec } from "../../api/types";
import { Ago, Meter, RecordLink, Trust, plural } from "../../parts/basics";
import type { Choosing } from "./queue";

/** The bar above a queue: how much is chosen, and what can be done with it. */
export function Bulk({ ids, choosing, total, children }: {
  ids: string[]; choosing: Choosing; total?: number; children?: ComponentChildren;
}) {
  const { chosen, set } = choosing;
  const count = chosen.value.size, whole = ids.length > 0 && ids.every((id) => chosen.value.has(id));
  return (
    <div class="bulk" role="toolbar" aria-label="Decide on many">
      <label>
        <input type="checkbox" checked={whole} ref={(box) => { if (box) box.indeterminate = count > 0 && !whole; }}
          onChange={() => set(whole ? [] : ids)} />
        <span aria-live="polite">{count ? `${count} chosen` : `Choose all ${ids.length}`}{total && total > ids.length ? ` of ${total}` : ""}</span>
      </label>
      <span class="grow" />
      {children}
    </div>
  );
}

/** One row of a queue, as far as choosing and moving go. */
export function rowOf(id: string, { at }: Choosing, gone: boolean) {
  return {
    id: `case-${id}`, tabIndex: at.value === id ? 0 : -1, "aria-current": at.value === id ? ("true" as const) : undefined,
    "data-gone": gone || undefined, onFocusIn: () => { at.value = id; },
  };
}

export function Choose({ id, name, choosing }: { id: string; name: string; choosing: Choosing }) {
  return (
    <input type="checkbox" checked={choosing.chosen.value.has(id)} aria-label={`Choose ${name.slice(0, 60)}`}
      onClick={(event) => { choosing.toggle(id, event.shiftKey); }} />
  );
}

/** New ones that would push the others down wait here until somebody wants them. */
export function Fresh({ count, onShow }: { count: number; onShow: () => void }) {
  return count ? <button type="button" class="fresh" onClick={onShow}>Show {plural(count, "new one", "new ones")}</button> : null;
}

/** That a tab is being worked out, the first time and again. */
export function Working({ busy, has }: { busy: boolean; has: boolean }) {
  return <p class="working" role="status">{busy ? (has ? "Looking again…" : "Looking through the store…") : ""}</p>;
}

/** Who said something, how far that is believed, and when. */
export function Said({ record }: { record: Rec }) {
  return (
    <p class="small muted who-said">
      {record.source} <Trust trust={record.trust} /> <Meter value={record.confidence} label="Confidence" /> <Ago at={record.updated_at} />
      <RecordLink record={record}>Look closer</RecordLink>
    </p>
  );
}

export function Why({ all }: { all: string[] }) {
  return all.length ? <ul class="why small">{all.map((one) => <li key={one}>{one}</li>)}</ul> : null;
}

// One place that somebody would fill otherwise: what stands there, and each thing proposed for it.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { Rec, Waits } from "../../api/types";
import { Marks } from "../../parts/basics";
import { Diff } from "../../parts/diff";
import { Plain } from "../../parts/plain";
import { Choose, Said, Why, rowOf } from "./list";
import { maySettle } from "../../state/may";
import { Read } from "./passage";
import type { Hand } from "./proposals";
import type { Choosing } from "./queue";

interface Line {
  id: string;
  item: Waits;
  gone: boolean;
}

export function Proposed({ rows, choosing, hand }: { rows: Line[]; choosing: Choosing; hand: Hand }) {
  const { record, stands } = rows[0]!.item, many = rows.length > 1;
  return (
    <li class={rows.every((row) => row.gone) ? "card case gone" : "card case"}>
      <div class="case-head">
        <Marks record={record} />{record.key && <b class="key">{record.key}</b>}
        {many && <span class="chip warn">{rows.length} compete</span>}
        <span class="grow" /><span class="faint small">{record.scope}</span>
      </div>
      <div class={stands && !many ? "sides" : "stacked"}>
      {stands && (
        <div class="side-by">
          <h2 class="over">Stands now</h2>
          <p class="said" dir="auto"><Plain text={stands.text} /></p>
          <Said record={stands} />
        </div>
      )}
      {rows.map((row) => (
        <Alternative key={row.id} row={row} others={rows.filter((one) => one !== row && !one.gone).map((one) => one.id)} choosing={choosing} hand={hand} />
      ))}
      </div>
    </li>
  );
}

function Alternative({ row, others, choosing, hand }: { row: Line; others: string[]; choosing: Choosing; hand: Hand }) {
  const { record, stands, why, evidence } = row.item;
  const words = hand.drafts.value.get(record.id), left = hand.left.value.get(record.id);
  const isEditing = hand.editing.value === record.id && !row.gone;
  const said = words ?? record.text;
  return (
    <div class="side-by alternative" role="group" aria-label={`Proposed by ${record.source}`} {...rowOf(record.id, choosing, row.gone)}>
      <div class="case-head">
        <Choose id={record.id} name={record.key ?? record.text} choosing={choosing} />
        <h2 class="over">{stands ? "Proposed instead" : "Proposed"}{words !== undefined && ", in your words"}</h2>
        {row.gone && <span class="chip">decided</span>}
      </div>
      {isEditing
        ? <Words record={record} said={said} hand={hand} />
        : stands ? <Diff before={stands.text} after={said} />
        : words !== undefined ? <Diff before={record.text} after={words} />
        : <p class="said" dir="auto"><Plain text={said} /></p>}
      <Said record={record} />
      <Why all={why} />
      {evidence.map((one, index) => <Read key={index} from={one} />)}
      {left && !row.gone && <p class="small left" role="alert">{left}</p>}
      {maySettle() && !isEditing && (
        <div class="actions">
          <button type="button" class="primary" onClick={() => hand.decide([record.id], [])}>Accept</button>
          {others.length > 0 && <button type="button" onClick={() => hand.decide([record.id], others)}>Accept, reject the other{others.length > 1 && "s"}</button>}
          <button type="button" onClick={() => hand.decide([], [record.id])}>Reject</button>
          <button type="button" onClick={() => { hand.editing.value = record.id; }}>Edit</button>
        </div>
      )}
    </div>
  );
}

/** The words put better, in place: accepted at once, or kept in hand until many are. */
function Words({ record, said, hand }: { record: Rec; said: string; hand: Hand }) {
  const text = useSignal(said), box = useRef<HTMLTextAreaElement>(null);
  useEffect(() => box.current?.focus(), []);
  const close = () => { hand.editing.value = null; };
  const keep = () => {
    const next = new Map(hand.drafts.peek());
    if (text.value === record.text || !text.value.trim()) next.delete(record.id);
    else next.set(record.id, text.value);
    hand.drafts.value = next;
  };
  const accept = () => { keep(); void hand.decide([record.id], []); };
  return (
    <form class="edit" onSubmit={(event) => { event.preventDefault(); accept(); }} onKeyDown={(event) => {
      if (event.key === "Escape") { event.stopPropagation(); close(); }
      if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) { event.preventDefault(); accept(); }
    }}>
      <label class="field"><span>What it should say</span>
        <textarea ref={box} rows={3} dir="auto" value={text.value} onInput={(event) => { text.value = event.currentTarget.value; }} />
      </label>
      <div class="actions">
        <button type="submit" class="primary" disabled={!text.value.trim()}>Accept these words</button>
        <button type="button" onClick={() => { keep(); close(); }}>Keep for later</button>
        <button type="button" onClick={close}>Cancel</button>
      </div>
    </form>
  );
}

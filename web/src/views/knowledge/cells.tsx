// Cells that a person works in: the text, edited where it stands, and the tick of the chosen.
import { signal, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { Rec } from "../../api/types";
import { draftOf, dropDraft, inRow, keepDraft } from "../../state/drafts";
import { mayWrite } from "../../state/may";
import { save } from "../../state/saving";
import type { Draft } from "../../parts/record/edit";

/** The memories that are chosen for something, by id. */
export const picked = signal<ReadonlyMap<string, Rec>>(new Map());

export function pick(row: Rec): void {
  const all = new Map(picked.peek());
  if (!all.delete(row.id)) all.set(row.id, row);
  picked.value = all;
}

export function Tick({ row }: { row: Rec }) {
  return (
    <input type="checkbox" disabled={!mayWrite()} aria-label={`Choose ${row.key ?? row.text.slice(0, 40)}`} checked={picked.value.has(row.id)}
      onClick={(event) => event.stopPropagation()} onDblClick={(event) => event.stopPropagation()} onChange={() => pick(row)} />
  );
}

export function TextCell({ row }: { row: Rec }) {
  if (inRow.value === row.id) return <InPlace row={row} />;
  return <>{row.key && <b class="key">{row.key}</b>}<span dir="auto">{row.text || "(no text)"}</span></>;
}

function InPlace({ row }: { row: Rec }) {
  // With what was begun in the panel besides the text.
  const before = useRef(draftOf<Draft>(row.id)).current, { base: read, ...begun } = before;
  const base = useRef(read ?? row);
  const text = useSignal(before.text ?? row.text);
  const box = useRef<HTMLTextAreaElement>(null);
  useEffect(() => { box.current?.focus(); box.current?.select(); }, []);
  const isOfPanel = begun.tags !== undefined;
  const end = () => {
    dropDraft(row.id);
    close();
  };
  const close = () => {
    inRow.value = null;
    document.querySelector<HTMLElement>(".vbody")?.focus();
  };
  const keys = (event: KeyboardEvent) => {
    event.stopPropagation();
    if (event.key === "Escape" && isOfPanel) { keepDraft(row.id, before); close(); }
    else if (event.key === "Escape") end();
    else if (event.key === "Enter" && !event.shiftKey) { event.preventDefault(); void save(base.current, { ...begun, text: text.value }, end); }
  };
  return (
    <span class="inplace" onClick={(event) => event.stopPropagation()} onDblClick={(event) => event.stopPropagation()}>
      <textarea ref={box} rows={3} dir="auto" aria-label={`Text of ${row.key ?? "this memory"}`} value={text.value} onKeyDown={keys}
        onInput={(event) => { text.value = event.currentTarget.value; keepDraft<Draft>(row.id, { ...begun, text: text.value, base: base.current }); }}
        onBlur={() => { if (text.value === (begun.text ?? base.current.text)) { if (!read) dropDraft(row.id); inRow.value = null; } }} />
      <small>{row.rev === base.current.rev ? "Enter saves, Shift + Enter breaks the line, Escape cancels"
        : <b role="alert">{row.source} has just changed this; saving asks whose words stand</b>}</small>
    </span>
  );
}

// What is done to several memories at once, each time in one step that one undo takes back.
import { useSignal } from "@preact/signals";
import { send } from "../../api/client";
import type { Rec, Receipt } from "../../api/types";
import { doing } from "../../state/saying";
import { plural } from "../../parts/basics";
import { picked } from "./cells";

const MOST = 1_000;

export function Bulk({ rows }: { rows: Rec[] }) {
  const word = useSignal("");
  if (!picked.value.size) return null;
  // As they are now: what is seen in the table is what is changed.
  const now = new Map(rows.filter((row) => picked.value.has(row.id)).map((row) => [row.id, row]));
  const chosen = [...picked.value].slice(0, MOST).map(([id, row]) => now.get(id) ?? row);
  const none = () => { picked.value = new Map(); };
  const many = plural(chosen.length, "memory", "memories");
  const done = async (what: string, work: Promise<Receipt>) => { if (await doing(what, work)) none(); };
  const change = (what: string, of: (row: Rec) => Partial<Rec>) => {
    const edits = chosen.map((row) => ({ id: row.id, expect: row.rev, ...of(row) }));
    return done(`${what} ${many}.`, send("PATCH", "/api/records", { records: edits }));
  };
  const said = word.value.trim();
  const forget = () => done(`Forgot ${many}; one undo brings all back.`, send("POST", "/api/records/forget", { ids: chosen.map((row) => row.id) }));
  return (
    <div class="chosen-bar" role="group" aria-label="The chosen memories">
      <b>{many} chosen</b>
      <input type="text" size={14} aria-label="Tag or kind" placeholder="tag or kind" value={word.value} onInput={(event) => { word.value = event.currentTarget.value; }} />
      <button type="button" disabled={!said} onClick={() => change(`Tagged “${said}”:`, (row) => ({ tags: [...new Set([...row.tags, said])] }))}>Add tag</button>
      <button type="button" disabled={!said} onClick={() => change(`Took the tag “${said}” off`, (row) => ({ tags: row.tags.filter((one) => one !== said) }))}>Remove tag</button>
      <button type="button" disabled={!said} onClick={() => change(`Made it “${said}”:`, () => ({ kind: said }))}>Set kind</button>
      <button type="button" onClick={forget}>Forget</button>
      <button type="button" class="ghost" onClick={none}>Choose none</button>
    </div>
  );
}

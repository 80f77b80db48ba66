// A memory as a form, saved with the revision that was read.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { Rec } from "../../api/types";
import { draftOf, dropDraft, keepDraft } from "../../state/drafts";
import { save, type Wanted } from "../../state/saving";
import { Moved } from "./clash";
import { KINDS, sureness, tagsOf } from "../words";

export interface Draft extends Wanted {
  /** The version that was read when writing began. */
  base: Rec;
}

export function Edit({ record, onDone }: { record: Rec; onDone: () => void }) {
  const before = draftOf<Draft>(record.id);
  const base = useRef(before.base ?? record);
  const text = useSignal(before.text ?? record.text), tags = useSignal((before.tags ?? record.tags).join(", ")), kind = useSignal(before.kind ?? record.kind);
  const sure = useSignal(before.confidence ?? record.confidence), weight = useSignal(before.importance ?? record.importance);
  const box = useRef<HTMLTextAreaElement>(null);
  useEffect(() => box.current?.focus(), []);
  const wanted = (): Wanted => ({
    text: text.value, tags: tagsOf(tags.value), kind: kind.value.trim(), confidence: sure.value, importance: weight.value,
  });
  const end = () => { dropDraft(record.id); onDone(); };
  const typed = () => { keepDraft<Draft>(record.id, { ...wanted(), base: base.current }); };
  const submit = (event: Event) => { event.preventDefault(); void save(base.current, wanted(), end); };
  return (
    <form class="edit" onSubmit={submit} onInput={typed} onKeyDown={(event) => {
      if (event.key === "Escape") { event.stopPropagation(); end(); }
      if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) submit(event);
    }}>
      {record.rev !== base.current.rev && <Moved base={base.current} record={record} wanted={wanted} onDone={end} />}
      <label class="field"><span>Text</span>
        <textarea ref={box} rows={5} dir="auto" value={text.value} onInput={(event) => { text.value = event.currentTarget.value; }} />
      </label>
      <div class="pair">
        <label class="field"><span>Kind</span>
          <input type="text" list="kinds" value={kind.value} onInput={(event) => { kind.value = event.currentTarget.value; }} />
          <datalist id="kinds">{(KINDS[record.layer] ?? []).map((one) => <option key={one} value={one} />)}</datalist></label>
        <label class="field"><span>Tags, with commas between</span>
          <input type="text" value={tags.value} onInput={(event) => { tags.value = event.currentTarget.value; }} /></label>
        <Share label="Confidence" value={sure.value} words={sureness(sure.value)} onChange={(one) => { sure.value = one; }} />
        <Share label="Importance" value={weight.value} onChange={(one) => { weight.value = one; }} />
      </div>
      <div class="actions">
        <button type="submit" class="primary">Save</button>
        <button type="button" onClick={end}>Cancel</button>
        <span class="faint small">Ctrl + Enter saves, Escape cancels</span>
      </div>
    </form>
  );
}

export function Share({ label, value, words, onChange }: { label: string; value: number; words?: string; onChange: (value: number) => void }) {
  return (
    <label class="field"><span>{label} {Math.round(value * 100)}%{words && `: ${words}`}</span>
      <input type="range" min={0} max={1} step={0.05} value={value} onInput={(event) => onChange(Number(event.currentTarget.value))} /></label>
  );
}

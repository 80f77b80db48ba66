// A memory written by hand.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { Problem, send } from "../../api/client";
import type { Receipt } from "../../api/types";
import { draftOf, dropDraft, keepDraft } from "../../state/drafts";
import { project } from "../../state/prefs";
import { go, to } from "../../state/router";
import { complain, say } from "../../state/saying";
import { Dialog } from "../../parts/dialog";
import { Share } from "../../parts/record/edit";
import { KINDS, sureness, tagsOf } from "../../parts/words";

interface Begun {
  text: string; key: string; layer: string; kind: string; scope: string; tags: string; sure: number;
}

export function Add({ onClose }: { onClose: () => void }) {
  const before = draftOf<Begun>("new");
  const text = useSignal(before.text ?? ""), key = useSignal(before.key ?? ""), layer = useSignal(before.layer ?? "knowledge"), kind = useSignal(before.kind ?? "");
  const scope = useSignal(before.scope ?? (project.value ? `project/${project.value}` : "global")), tags = useSignal(before.tags ?? ""), sure = useSignal(before.sure ?? 1);
  const typed = () => keepDraft<Begun>("new", { text: text.value, key: key.value, layer: layer.value, kind: kind.value, scope: scope.value, tags: tags.value, sure: sure.value });
  const taken = useSignal("");
  const box = useRef<HTMLTextAreaElement>(null);
  useEffect(() => box.current?.focus(), []);
  const keep = async (event: Event) => {
    event.preventDefault();
    const named = key.value.trim();
    const body = {
      text: text.value, layer: layer.value, scope: scope.value.trim(), tags: tagsOf(tags.value), confidence: sure.value,
      ...(kind.value.trim() && { kind: kind.value.trim() }), ...(named && { key: named, expect: 0 }),
    };
    try {
      const done = await send<Receipt>("POST", "/api/records", body);
      dropDraft("new");
      const waits = done.outcomes[0]!.state === "proposed";
      say(waits ? "Proposed; it waits in Review." : "Added.", { tx: done.tx });
      go(["knowledge", done.outcomes[0]!.id], layer.value === "knowledge" ? {} : { layer: layer.value });
    } catch (error) {
      if (error instanceof Problem && error.status === 409 && named) taken.value = named;
      else complain(error);
    }
  };
  const field = (label: string, of: typeof text, more: Record<string, unknown> = {}) => (
    <label class="field"><span>{label}</span><input type="text" value={of.value} {...more} onInput={(event) => { of.value = event.currentTarget.value; }} /></label>
  );
  return (
    <Dialog title="Add a memory" onClose={onClose}>
      <form onSubmit={keep} onInput={typed}>
        <label class="field"><span>Text</span>
          <textarea ref={box} rows={4} dir="auto" required value={text.value} onInput={(event) => { text.value = event.currentTarget.value; }} /></label>
        {field("Key, by which a later value replaces it (optional)", key)}
        {taken.value && <p class="note" role="alert">Something stands under “{taken.value}” here already. <a href={to(["knowledge"], { q: taken.value, layer: layer.value })}>Find it</a> and edit it, or choose another key.</p>}
        <div class="pair">
          <label class="field"><span>Layer</span>
            <select value={layer.value} onInput={(event) => { layer.value = event.currentTarget.value; kind.value = ""; }}>
              {Object.keys(KINDS).map((one) => <option key={one}>{one}</option>)}</select></label>
          <label class="field"><span>Kind</span>
            <input type="text" list="new-kinds" placeholder={KINDS[layer.value]![0]} value={kind.value} onInput={(event) => { kind.value = event.currentTarget.value; }} />
            <datalist id="new-kinds">{KINDS[layer.value]!.map((one) => <option key={one} value={one} />)}</datalist></label>
          {field("Scope: global, project/NAME, …", scope, { required: true })}
          {field("Tags, with commas between", tags)}
        </div>
        <Share label="Confidence" value={sure.value} words={sureness(sure.value)} onChange={(one) => { sure.value = one; }} />
        <button type="submit" class="primary">Add</button>
      </form>
    </Dialog>
  );
}

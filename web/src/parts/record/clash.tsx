// Two people changed one memory: theirs, yours, and both together, side by side.
import { useSignal } from "@preact/signals";
import type { Rec } from "../../api/types";
import { changed, clash, clashed, save, type Clash, type Wanted } from "../../state/saving";
import { Ago } from "../basics";
import { Dialog } from "../dialog";
import { Changes } from "../fields";
import { merged } from "./merge";
import { OPEN_STATES } from "../words";

/** That a memory changed while somebody is editing it. */
export function Moved({ base, record, wanted, onDone }: { base: Rec; record: Rec; wanted: () => Wanted; onDone: () => void }) {
  return (
    <div class="conflict" role="alert">
      <span><strong>{record.source} has just changed this.</strong> What you type is not lost; saving asks whose words stand.</span>
      <button type="button" onClick={() => void clashed(base, changed(base, wanted()), onDone)}>Compare now</button>
    </div>
  );
}

/** Whatever view somebody edits in, what clashes is settled here. */
export function Clashes() {
  const now = clash.value;
  return now && <Settle key={`${now.theirs.id}#${now.theirs.rev}`} {...now} />;
}

function Settle({ base, mine, theirs, onDone }: Clash) {
  const ours = mine.text ?? base.text;
  const both = merged(base.text, ours, theirs.text);
  const text = useSignal(both ?? ours);
  const close = () => { clash.value = null; };
  const done = () => { close(); onDone(); };
  const gone = !OPEN_STATES.includes(theirs.state);
  const keep = (said: Partial<Rec>, what: string) => { close(); void save(theirs, said, onDone, what); };
  return (
    <Dialog title="Changed by two" onClose={close} wide>
      <div class="clash" role="group" aria-label="Both versions">
        <p>Somebody changed this while you were editing{gone && <>; it is <b>{theirs.state}</b> now</>}. Whatever you choose, every version stays in the history.</p>
        <div class="sides">
          <section aria-label="Theirs">
            <h3>Theirs · {theirs.source}, <Ago at={theirs.updated_at} /></h3>
            <Changes before={base} after={theirs} />
          </section>
          <section aria-label="Yours">
            <h3>Yours · not saved</h3>
            <Changes before={base} after={mine} />
          </section>
        </div>
        <label class="field">
          <span>Merged{both === null ? " (you both changed the same words: this begins with yours)" : " (both changes fit together)"}</span>
          <textarea rows={4} value={text.value} onInput={(event) => { text.value = event.currentTarget.value; }} />
        </label>
        <ul class="choices">
          <li><button type="button" class="primary" onClick={() => keep({ ...mine, text: text.value }, "Merged and saved.")}>Save merged</button> makes revision {theirs.rev + 1} with the text above{both !== null && ", which holds both changes"}.</li>
          <li><button type="button" onClick={() => keep(mine, "Saved over theirs.")}>Keep mine</button> makes revision {theirs.rev + 1} with your words; theirs is one step back in the history.</li>
          <li><button type="button" onClick={done}>Take theirs</button> saves nothing: what you typed is dropped.</li>
        </ul>
      </div>
    </Dialog>
  );
}

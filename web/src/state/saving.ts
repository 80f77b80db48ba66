// Changing a memory as it was read: whoever changed it meanwhile is not overwritten unseen.
import { signal } from "@preact/signals";
import { Problem, send } from "../api/client";
import { recordOf, recordPath } from "../api/records";
import type { Rec, Receipt } from "../api/types";
import { complain, say } from "./saying";
import { onSomebodyElse } from "./session";

export type Wanted = Partial<Pick<Rec, "text" | "kind" | "tags" | "confidence" | "importance" | "data">>;

/** Two people, one memory: how it was, what each made of it, and what follows once that is settled. */
export interface Clash {
  base: Rec;
  mine: Wanted;
  theirs: Rec;
  onDone: () => void;
}

export const clash = signal<Clash | null>(null);
onSomebodyElse(() => { clash.value = null; });

/** What differs, by field; what is the same is not sent. */
export function changed(base: Rec, wanted: Wanted): Wanted {
  const all = Object.entries(wanted).filter(([name, one]) => JSON.stringify(one) !== JSON.stringify(base[name as keyof Wanted]));
  return Object.fromEntries(all);
}

/** Save what differs from the version that was read; a conflict is put before the person. */
export async function save(base: Rec, wanted: Wanted, onDone: () => void, what = "Saved."): Promise<void> {
  const body = changed(base, wanted), path = recordPath(base.id);
  if (!Object.keys(body).length) return onDone();
  try {
    const done = await send<Receipt>("PATCH", path, body, { "If-Match": `"${base.rev}"` });
    const waits = done.outcomes.some((one) => one.id !== base.id);
    say(waits ? "Proposed: somebody more trusted said what stands, so this waits in Review." : what, { tx: done.tx });
    onDone();
  } catch (error) {
    if (!(error instanceof Problem) || error.status !== 412) return complain(error);
    await clashed(base, body, onDone);
  }
}

/** Look at both sides now. */
export async function clashed(base: Rec, mine: Wanted, onDone: () => void): Promise<void> {
  try {
    clash.value = { base, mine, theirs: await recordOf(base.id), onDone };
  } catch (error) {
    complain(error);
  }
}

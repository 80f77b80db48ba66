// Memories that say the same: side by side with their differences, one chosen to stay, or all.
import { useSignal } from "@preact/signals";
import { address, get } from "../../api/client";
import type { Alike, Receipt, Step } from "../../api/types";
import { Empty, plural } from "../../parts/basics";
import { Diff } from "../../parts/diff";
import { Plain } from "../../parts/plain";
import { project } from "../../state/prefs";
import { useKept } from "./kept";
import { Said } from "./list";
import { Listing, type Deed } from "./listing";
import { mayKeep, mayWrite } from "../../state/may";
import { letStand, usePlan } from "./plans";
import { act } from "./queue";
import { useTexts } from "./texts";

interface Twins {
  /** The one that would stay. */
  best: string;
  ids: string[];
  /** Whether they differ in what they say, perhaps in the one word that matters. */
  differ?: boolean;
}

export const alikeName = (named: string) => `alike ${named}`;

/** What says the same, as the plan has it, and then what nearly does. */
export function twinsOf(steps: Step[] = [], near: Alike["groups"] = []): Twins[] {
  const found: Twins[] = [], known = new Set(steps.map((step) => step.id));
  for (const step of steps) {
    // One that stays is followed by those that it stands for.
    if (step.does === "keep") found.push({ best: step.id, ids: [step.id] });
    else found.at(-1)?.ids.push(step.id);
  }
  for (const { records } of near) {
    const ids = records.map((one) => one.id).filter((id) => !known.has(id));
    if (ids.length > 1) found.push({ best: ids[0]!, ids, differ: true });
  }
  return found;
}

export function TwinsTab() {
  const found = usePlan("consolidation"), named = project.value;
  const near = useKept(alikeName(named), ["knowledge", "archive"], () => get<Alike>("/api/review/alike", { project: named }));
  const all = twinsOf(found.value.value?.steps, near.value.value?.groups);
  const texts = useTexts();
  const stays = useSignal<ReadonlyMap<string, string>>(new Map());
  const meant = (best: string[]) => all.filter((one) => best.includes(one.best));
  const again = () => { found.again(); near.again(); };
  const merge = async (chosen: string[]) => {
    const body = meant(chosen).map(({ best, ids }) => {
      const first = stays.peek().get(best) ?? best;
      return { stays: first, others: ids.filter((id) => id !== first) };
    });
    if (await act<Receipt>(`Merged ${plural(body.length, "group")}.`, address("/api/review/merge", { project: named }), { groups: body })) again();
  };
  const deeds: Deed[] = [];
  if (mayWrite()) deeds.push({ label: "Merge", key: "accept", class: "primary", run: merge });
  if (mayKeep()) {
    deeds.push({ label: "Keep all", key: "reject",
      run: async (chosen) => await letStand(meant(chosen).flatMap((one) => one.ids), "apart", "All of them stay; you will not be asked again.") && again() });
  }
  return (
    <Listing<Twins> found={found} items={all} idOf={(one) => one.best} deeds={deeds}
      empty={<Empty title="Nothing is said twice">When memories of one place say the same, or nearly, they stand here side by side.</Empty>}
      face={({ best, ids, differ }, gone) => {
        const chosen = stays.value.get(best) ?? best, first = texts(chosen);
        return {
          record: first, name: first?.text ?? best, chips: differ ? <span class="chip warn">{ids.length} nearly the same</span> : <span class="chip">{ids.length} say the same</span>,
          body: (
            <div class="sides" role="radiogroup" aria-label="Which one stays">
              {ids.map((id) => (
                <div key={id} class={id === chosen ? "side-by stays" : "side-by"}>
                  <label class="over">
                    <input type="radio" name={`stays-${best}`} checked={id === chosen} disabled={!mayWrite() || gone}
                      onChange={() => { stays.value = new Map(stays.value).set(best, id); }} /> {id === chosen ? "Stays" : "Goes"}
                  </label>
                  <One id={id} texts={texts} against={id === chosen ? undefined : first?.text} />
                </div>
              ))}
            </div>
          ),
        };
      }} />
  );
}

function One({ id, texts, against }: { id: string; texts: ReturnType<typeof useTexts>; against: string | undefined }) {
  const record = texts(id);
  if (!record) return <p class="said faint">…</p>;
  return (
    <>
      {against === undefined ? <p class="said" dir="auto"><Plain text={record.text} /></p> : <Diff before={against} after={record.text} />}
      <Said record={record} />
      {record.tags.length > 0 && <p class="small muted">{record.tags.join(", ")}</p>}
    </>
  );
}

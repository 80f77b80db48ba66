// Why a memory that was expected does not come up: found by typing, answered in plain words.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { Problem, address, get, send } from "../../api/client";
import { recordOf, searched } from "../../api/records";
import type { Page, Rec, WhyNot } from "../../api/types";
import { IconButton, LayerMark, Sentence, Trouble } from "../../parts/basics";
import { ScoreParts, scaleOf } from "./scores";
import { withArrows } from "../../state/keys";
import { useLoaded } from "../../state/loading";
import { project } from "../../state/prefs";
import { clearFilters, filtersIn, type Wanted } from "./question";
import { amend, route } from "../../state/router";
import { percent } from "./hits";

const FEW = 6;

export function Wonder({ wanted, id, onClose }: { wanted: Wanted; id: string; onClose: () => void }) {
  return (
    <section class="card wonder" aria-label="Why not this one?"
      onKeyDown={(event) => { if (event.key === "Escape") onClose(); }}>
      <div class="card-head">
        <h2>Why not this one?</h2>
        <IconButton icon="close" label="Close" onClick={onClose} />
      </div>
      {id ? <Verdict wanted={wanted} id={id} /> : <Finder />}
    </section>
  );
}

/** Finds the memory that was meant, by its key or by what it says, with no filter in the way. */
function Finder() {
  const typed = useSignal("");
  const box = useRef<HTMLInputElement>(null);
  useEffect(() => box.current?.focus(), []);
  const words = typed.value.trim();
  const found = useLoaded((signal) => words ? matching(words, signal) : Promise.resolve(null), [words], { typing: 120 });
  const some = found.value.value;
  return (
    <div class="finder" onKeyDown={withArrows}>
      <label class="field">
        <span>The memory you expected: its key, its id, or some of its words</span>
        <input ref={box} type="text" data-row value={typed.value} autocomplete="off"
          onInput={(event) => { typed.value = event.currentTarget.value; }}
          onKeyDown={(event) => { if (event.key === "Enter" && some?.[0] && !found.busy.value) amend({ why: some[0].id }); }} />
      </label>
      {found.problem.value && <Trouble problem={found.problem.value} />}
      {some && words && (
        <ul class="found" aria-label="Memories like that" aria-busy={found.busy.value}>
          {some.map((one) => (
            <li key={one.id}>
              <button type="button" class="ghost" data-row onClick={() => amend({ why: one.id })}>
                <LayerMark layer={one.layer} />{one.key && <b class="key">{one.key}</b>}<span class="line">{one.text}</span>
              </button>
            </li>
          ))}
          {!some.length && !found.busy.value && <li class="faint">No memory has this key or these words.</li>}
        </ul>
      )}
    </div>
  );
}

async function matching(words: string, signal: AbortSignal): Promise<Rec[]> {
  const begins = (field: string) => get<Page>("/api/records", { where: JSON.stringify({ [field]: { $prefix: words } }), limit: FEW }, signal);
  const [keys, ids, said] = await Promise.all([begins("key"), begins("id"), searched("", { query: words, explain: false }, signal)]);
  const all = [...keys.records, ...ids.records, ...said.hits.map((hit) => hit.record)];
  return [...new Map(all.map((one) => [one.id, one])).values()].slice(0, FEW);
}

interface Told {
  record: Rec;
  why: WhyNot | null;
  beyond: boolean;
}

function Verdict({ wanted, id }: { wanted: Wanted; id: string }) {
  const found = useLoaded((signal) => toldOf(wanted, id, signal), [JSON.stringify(wanted), id, project.value], { live: true, calm: 1_000, typing: 120 });
  const told = found.value.value;
  return (
    <>
      {found.problem.value && <Trouble problem={found.problem.value} again={found.again} />}
      {told && <p class="wonder-what">{told.record.key && <b class="key">{told.record.key} </b>}<span class="line">{told.record.text}</span></p>}
      {told && <div class="told" role="status" aria-busy={found.busy.value}><Answer told={told} query={wanted.query} /></div>}
      <button type="button" class="link" onClick={() => amend({ why: "" })}>Another memory</button>
    </>
  );
}

async function toldOf(wanted: Wanted, id: string, signal: AbortSignal): Promise<Told> {
  const record = await recordOf(id, signal);
  if (!wanted.query.trim()) return { record, why: null, beyond: false };
  try {
    const asked = address("/api/why-not", { project: project.value });
    return { record, why: await send<WhyNot>("POST", asked, { ...wanted, name: id }, {}, signal), beyond: false };
  } catch (error) {
    if (error instanceof Problem && error.status === 404 && project.value) return { record, why: null, beyond: true };
    throw error;
  }
}

function Answer({ told: { record, why, beyond }, query }: { told: Told; query: string }) {
  if (beyond) return <p>It lies in <code>{record.scope}</code>, and only the project <b>{project.value}</b> is searched. Choose all projects at the side.</p>;
  if (!why) return <p class="muted">{query.trim() ? "" : "Type a question above: here it is said whether this memory comes up, and why not."}</p>;
  return (
    <>
      {why.rank === null ? <p><b>It does not come up:</b></p> : <p><b>It does come up</b>, at place {why.rank}.</p>}
      {why.reasons.length > 0 && <ul>{why.reasons.map((one) => <li key={one}><Sentence text={one} /></li>)}</ul>}
      {why.reasons.some((one) => one.includes("filter") || one.includes("scope")) && filtersIn(route.value.asked).length > 0
        && <p><button type="button" onClick={clearFilters}>Search without filters</button></p>}
      {why.score !== null && <p class="muted">It is what was meant with a likelihood of {percent(why.score)}%, made of:</p>}
      <ScoreParts parts={why.parts} scale={scaleOf([why.parts])} most={9} />
    </>
  );
}

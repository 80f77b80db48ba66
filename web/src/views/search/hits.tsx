// What a search found, what it left out, and what has become of it since.
import { useSignal } from "@preact/signals";
import { recordsOf } from "../../api/records";
import type { Hit, Rec, Recall } from "../../api/types";
import { Ago, Empty, LayerMark, Meter, Sentence, Trust, plural } from "../../parts/basics";
import { Diff } from "../../parts/diff";
import { Marked, Passage, type Spans } from "../../parts/highlight";
import { Legend, ScoreParts, scaleOf } from "./scores";
import { STATES } from "../../parts/words";
import { useLoaded } from "../../state/loading";
import { clearFilters, filtersIn } from "./question";
import { amend, route, to } from "../../state/router";
import { momentOf } from "./past";

const FURTHER = "50";

export function Hits({ found, chosen, asOf }: { found: Recall; chosen: number; asOf: string }) {
  const now = useNow(found.hits, asOf);
  const all = found.hits.map((hit) => hit.parts), scale = scaleOf(all);
  const moved = now ? found.hits.filter((hit) => isOther(hit.record, now.get(hit.record.id))).length : 0;
  return (
    <>
      <div class="tally small muted">
        <span role="status">
          {plural(found.hits.length, "hit")} in {found.took_ms.toFixed(0)} ms
          {asOf && `, as of ${momentOf(asOf)}`}{moved > 0 && `; ${moved} of them changed since`}
        </span>
        <LeftOut found={found} />
        <Legend all={all} />
      </div>
      <Degraded why={found.degraded} />
      <ol class="hits" aria-label="Hits">
        {found.hits.map((hit, index) => (
          <HitCard key={hit.record.id} hit={hit} scale={scale} chosen={index === chosen} since={now} />
        ))}
      </ol>
      {!route.value.asked.get("k") && (
        <p class="after"><button type="button" class="link" onClick={() => amend({ k: FURTHER })}>Show less likely ones too</button></p>
      )}
    </>
  );
}

function Degraded({ why }: { why: string[] }) {
  if (!why.length) return null;
  return (
    <div class="note degraded" role="note">
      <b>Searched with less than usual.</b> {why.map((one) => <span key={one}><Sentence text={one} /> </span>)}
      What shares words with the question is found all the same.
    </div>
  );
}

const LEFT_OUT: [keyof Recall, string, string, string][] = [
  ["suppressed", "older version", "older versions", "a memory is shown as it stands; its page has the history"],
  ["repeated", "near-duplicate", "near-duplicates", "they say nearly the same as a hit, which stands for them"],
  ["expired", "that has run out", "that have run out", "their time was over"],
  ["doubtful", "unlikely one", "unlikely ones", "not likely enough to be what was meant"],
  ["unfit", "too long", "too long", "they did not fit into the budget"],
];

function LeftOut({ found }: { found: Recall }) {
  const some = LEFT_OUT.filter(([name]) => Number(found[name]) > 0);
  if (!some.length) return null;
  const sum = some.reduce((all, [name]) => all + Number(found[name]), 0);
  return (
    <details class="left-out-why">
      <summary>{sum} left out</summary>
      <ul>{some.map(([name, one, many, why]) => <li key={name}><b>{plural(Number(found[name]), one, many)}</b>: {why}.</li>)}</ul>
    </details>
  );
}

/** Nothing relevant is an answer too, and one that should teach. */
export function None({ found, asOf }: { found: Recall; asOf: string }) {
  const { asked } = route.value;
  const near = found.doubtful;
  const set = filtersIn(asked);
  return (
    <>
      <Degraded why={found.degraded} />
      <Empty title={found.abstained ? "Nothing here is about that" : "Nothing found"}>
        {near > 0 ? `${plural(near, "memory", "memories")} came into question, and none was likely enough to be what you mean. `
          : set.length ? "Nothing that passes the filters has to do with it. " : ""}
        {found.expired > 0 && `${plural(found.expired, "memory matches", "memories match")}, but ${found.expired === 1 ? "its" : "their"} time has run out. `}
        An agent that asked this{asOf && ` as of ${momentOf(asOf)}`} would be told nothing, rather than something unrelated.
      </Empty>
      <p class="after center">
        {set.length > 0 && <button type="button" onClick={clearFilters}>Search without filters</button>}
        {asked.get("layer") !== "session" && <button type="button" onClick={() => amend({ layer: "session" })}>Look in conversations</button>}
      </p>
    </>
  );
}

function HitCard({ hit, scale, chosen, since }: { hit: Hit; scale: number; chosen: boolean; since: Map<string, Rec> | null }) {
  const { record } = hit, marks = (hit.marks ?? {}) as Record<string, Spans>;
  return (
    <li class={chosen ? "hit chosen" : "hit"}>
      <a href={to(["record", record.id])} class="hit-main" data-row>
        <div class="hit-top">
          <LayerMark layer={record.layer} />
          <span class="chip">{record.kind}</span>
          {record.state !== "current" && <span class={`chip state-${record.state}`}>{record.state}</span>}
          {record.key && <b class="key"><Marked text={record.key} spans={marks["key"]} /></b>}
          {record.tags.map((tag, index) => <span key={tag} class="chip tag"><Marked text={tag} spans={marks[`tags.${index}`]} /></span>)}
        </div>
        <p class="hit-text" dir="auto"><Passage text={record.text} spans={marks["text"]} /></p>
        <div class="hit-foot small muted">
          <span>{record.scope}</span><span><Marked text={record.source} spans={marks["source"]} /></span>
          <Trust trust={record.trust} /><Ago at={record.updated_at} />
        </div>
      </a>
      <div class="score">
        <b>{percent(hit.score)}<small>%</small></b>
        <Meter value={hit.score} label="How likely this is what was meant:" />
        <ScoreParts parts={hit.parts} scale={scale} />
      </div>
      {since && <Since record={record} now={since.get(record.id)} />}
    </li>
  );
}

/** Neither certain nor impossible unless it is. */
export function percent(score: number): string {
  const share = Math.round(score * 100);
  if (!share && score > 0) return "<1";
  return share === 100 && score < 1 ? ">99" : String(share);
}

/** What the memories of a search of the past are now; null while nobody asks about the past. */
function useNow(hits: Hit[], asOf: string): Map<string, Rec> | null {
  const ids = asOf ? hits.map((hit) => hit.record.id) : [];
  const found = useLoaded((signal) => recordsOf(ids, signal, STATES), [ids.join()], { live: true, calm: 500 });
  // What was asked about other hits says nothing about these.
  return asOf && found.value.value && !found.busy.value ? new Map(found.value.value.map((one) => [one.id, one])) : null;
}

function isOther(then: Rec, now: Rec | undefined): boolean {
  return !now || now.rev !== then.rev || now.state !== then.state;
}

function Since({ record, now }: { record: Rec; now: Rec | undefined }) {
  const open = useSignal(false);
  if (!isOther(record, now)) return null;
  if (!now) return <p class="hit-since small"><span class="chip state-forgotten">erased since</span></p>;
  const said = now.state === record.state ? "changed since" : now.state === "current" ? "brought back since" : `${now.state} since`;
  return (
    <div class="hit-since small">
      <span class={now.state === "current" ? "chip state-proposed" : "chip state-forgotten"}>{said}</span>
      <button type="button" class="link" aria-expanded={open.value} onClick={() => { open.value = !open.value; }}>
        {open.value ? "Hide what changed" : "What changed"}
      </button>
      <a href={to(["record", record.id])}>Its history</a>
      {open.value && (now.text === record.text
        ? <p class="faint">Its text is the same: revision {record.rev} then, {now.rev} now.</p>
        : <Diff before={record.text} after={now.text} />)}
    </div>
  );
}

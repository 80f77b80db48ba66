import { useSignal } from "@preact/signals";
import { get, type Asked } from "../../api/client";
import { recordOf, searched } from "../../api/records";
import type { Page, Rec } from "../../api/types";
import { Ago, Card, Choice, Empty, Marks, Trouble, Waiting, plural } from "../../parts/basics";
import { Plain } from "../../parts/plain";
import { HIDDEN_STATES, LAYERS, isId } from "../../parts/words";
import { useLoaded } from "../../state/loading";
import { project } from "../../state/prefs";
import { amend, go, route } from "../../state/router";

const TYPING_MS = 150;
const MOST = 200;
/** Of what is erased, nothing comes along that only happens to be nearest. */
const FLOOR = 0.01;

interface Found {
  records: Rec[];
  total: number;
}

/** What matches: by id, by key, by meaning, or all of a place. */
async function found(asked: URLSearchParams, inside: string, signal: AbortSignal): Promise<Found | null> {
  const [query, layer, scope, source, state] = ["q", "layer", "scope", "source", "state"].map((name) => asked.get(name)?.trim() ?? "");
  const filters: Asked = { project: inside, layer, scope, source, state, limit: MOST };
  if (query && isId(query)) {
    return { records: [await recordOf(query, signal)], total: 1 };
  }
  if (!query) return layer || scope || source || state ? get<Page>("/api/records", filters, signal) : null;
  const wanted: Record<string, unknown> = { query, k: 50, floor: FLOOR };
  if (layer) wanted["layers"] = [layer];
  if (scope) wanted["scope"] = scope;
  if (source) wanted["where"] = { source };
  const [named, meant] = await Promise.all([
    get<Page>("/api/records", { ...filters, key: query }, signal),
    // In other states than the current one nothing comes up by meaning.
    state ? null : searched(inside, wanted, signal),
  ]);
  const all = new Map([...named.records, ...meant?.hits.map((hit) => hit.record) ?? []].map((one) => [one.id, one]));
  return { records: [...all.values()], total: all.size };
}

export function Choosing() {
  const { asked } = route.value;
  const chosen = useSignal<ReadonlySet<string>>(new Set());
  const seen = useLoaded((signal) => found(asked, project.peek(), signal), [asked.toString(), project.value], { typing: TYPING_MS });
  const records = seen.value.value?.records ?? [];
  const picked = records.filter((one) => chosen.value.has(one.id)).map((one) => one.id);
  const pick = (ids: string[], on: boolean) => {
    const now = new Set(chosen.value);
    for (const id of ids) on ? now.add(id) : now.delete(id);
    chosen.value = now;
  };
  const text = (name: string, label: string, placeholder: string) => (
    <label class="field"><span>{label}</span>
      <input type="text" placeholder={placeholder} value={asked.get(name) ?? ""} onInput={(event) => amend({ [name]: event.currentTarget.value || undefined })} /></label>
  );
  return (
    <div class="columns">
      <Card title="What is to be erased?">
        <div class="edit">
          {text("q", "Words, a key or an id", "where do sessions live")}
          <div class="pair">
            {text("scope", "In this scope and below", "project/web/agent/mira")}
            {text("source", "Said by", "mira")}
          </div>
          <div class="filters">
            <Choice label="Layer" value={asked.get("layer") ?? ""} options={LAYERS} any="any" onChange={(layer) => amend({ layer: layer || undefined })} />
            <Choice label="State" value={asked.get("state") ?? ""} options={HIDDEN_STATES} any="current" onChange={(state) => amend({ state: state || undefined })} />
          </div>
          <p class="small muted">To <b>forget</b> hides a memory and can be undone. To <b>erase</b> removes its bytes, also from history and from files that show it, and then looks for them to be sure.</p>
        </div>
      </Card>
      <Card title="Found" aside={records.length > 0 && (
        <label class="check small"><input type="checkbox" checked={picked.length === records.length}
          onChange={(event) => pick(records.map((one) => one.id), event.currentTarget.checked)} />all {records.length}</label>
      )}>
        {seen.problem.value ? <Trouble problem={seen.problem.value} again={seen.again} />
          : asked.toString() && !seen.value.value ? <Waiting />
          : !asked.toString() ? <Empty title="Nothing is chosen yet">Search on the left, or name a scope or who said it to see everything of it.</Empty>
          : !records.length ? <Empty title="Nothing here matches">Other words may, or another layer or state.</Empty>
          : <div class="goes bounded">{records.map((one) => <Pick key={one.id} record={one} on={chosen.value.has(one.id)} onPick={(on) => pick([one.id], on)} />)}</div>}
        {(seen.value.value?.total ?? 0) > records.length && <p class="small muted">The newest {records.length} of {seen.value.value?.total}: erase these first, or narrow it down.</p>}
        {records.length > 0 && (
          <div class="actions gap-top">
            <button type="button" class="primary" disabled={!picked.length} onClick={() => go(["erase", ...picked])}>
              {picked.length ? `Show what erasing ${plural(picked.length, "memory", "memories")} touches` : "Choose some"}
            </button>
          </div>
        )}
      </Card>
    </div>
  );
}

function Pick({ record, on, onPick }: { record: Rec; on: boolean; onPick: (on: boolean) => void }) {
  return (
    <label class="pick">
      <input type="checkbox" checked={on} onChange={(event) => onPick(event.currentTarget.checked)} />
      <span>
        <span>{record.key && <b class="key">{record.key} </b>}<Plain text={record.text.slice(0, 200)} /></span>
        <span class="small faint"><Marks record={record} /> {record.scope}, said by {record.source}, <Ago at={record.updated_at} /></span>
      </span>
    </label>
  );
}

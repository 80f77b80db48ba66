// A list of memories that grows as it is scrolled, and follows what happens without losing its place.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { Problem, asProblem, get, isOver } from "../../api/client";
import { searched } from "../../api/records";
import type { Change, Page, Rec } from "../../api/types";
import { onChange } from "../../state/feed";
import { useBack } from "../../state/loading";

export const USUAL = "knowledge", ANY = "every layer";
const PAGE = 500, FOUND = 200, CALM_MS = 400, RESTS = 2;
/** A list that only ever grows is read anew, so that a page left open for days does not. */
const MOST_ADDED = 10_000;

/** What a list is asked with; it stands in the address. */
interface Filter {
  layer: string | null;
  state: string | null;
  kind: string | null;
  tag: string | null;
  scope: string | null;
  words: string | null;
  order: string | null;
  project: string;
}

export function filterOf(asked: URLSearchParams, project: string): Filter {
  const layer = asked.get("layer") ?? USUAL;
  const named = (name: string) => asked.get(name) || null;
  return {
    layer: layer === ANY ? null : layer, state: named("state"), kind: named("kind"), tag: named("tag"), scope: named("scope"),
    words: named("q"), order: named("sort"), project,
  };
}

export function useListed(filter: Filter) {
  const rows = useSignal<Rec[]>([]), total = useSignal(0), ready = useSignal(false);
  const cursor = useSignal<string | null>(null), problem = useSignal<Problem | null>(null);
  const round = useSignal(0), running = useRef<AbortController | null>(null);
  const took = useRef(0);
  /** What happened while an answer was on its way, which may be from before it. */
  const missed = useRef<Change[]>([]), apply = useRef<(change: Change, isMissed: boolean) => void>(() => undefined);
  const about = JSON.stringify(filter);

  const load = async (after: string | null) => {
    const begun = performance.now();
    const { signal } = running.current = new AbortController();
    missed.current = [];
    try {
      const page = filter.words ? await matching(filter, signal) : await listed(filter, after, signal);
      if (signal.aborted) return;
      rows.value = after ? [...rows.peek(), ...page.records] : page.records;
      total.value = page.total;
      cursor.value = page.cursor;
      problem.value = null;
      ready.value = true;
      took.current = performance.now() - begun;
      running.current = null;
      for (const change of missed.current) apply.current(change, true);
    } catch (error) {
      if (signal.aborted || isOver(error)) return;
      problem.value = asProblem(error);
    }
    running.current = null;
  };

  useEffect(() => {
    // The next page of the list of before belongs to no other list.
    cursor.value = null;
    void load(null);
    return () => running.current?.abort();
  }, [about, round.value]);

  useBack(problem, () => { round.value++; });

  useEffect(() => {
    let wait: number | undefined, added = 0;
    // However much happens, it is read again soon: a wait that begins anew each time might never end.
    const later = () => {
      wait ??= setTimeout(() => {
        wait = undefined;
        // What is being read is read to its end: begun anew each time, it might never come.
        if (running.current) later();
        else round.value++;
      }, Math.max(CALM_MS, RESTS * took.current));
    };
    apply.current = ({ event, record, before }, isMissed) => {
      const at = rows.peek().findIndex((row) => row.id === event.record);
      const fits = record && isIn(filter, record);
      if (at >= 0 && record && record.rev < rows.peek()[at]!.rev) return;
      if (at >= 0 && fits) rows.value = rows.peek().with(at, record);
      else if (at >= 0) { rows.value = rows.peek().toSpliced(at, 1); total.value--; }
      // How well words fit is for the server to say.
      else if (fits && (filter.words || ++added > MOST_ADDED)) later();
      else if (fits) {
        const place = rows.peek().findIndex((row) => comesFirst(filter.order, record, row));
        // What belongs behind all that is here comes with its page, and the answer may have counted it.
        const isHere = place >= 0 || !cursor.peek();
        if ((isHere || !isMissed) && (!before || !isIn(filter, before))) total.value++;
        if (isHere) rows.value = rows.peek().toSpliced(place >= 0 ? place : rows.peek().length, 0, record);
      }
    };
    const stop = onChange((change) => {
      if (running.current) missed.current.push(change);
      if (ready.peek()) apply.current(change, false);
      else if (!running.current && change.record && isIn(filter, change.record)) later();
    });
    return () => { stop(); clearTimeout(wait); };
  }, [about]);

  return {
    rows, total, ready, problem,
    again: () => { round.value++; },
    more: () => { if (cursor.peek() && !running.current) void load(cursor.peek()); },
  };
}

function listed({ layer, state, kind, tag, scope, order, project }: Filter, cursor: string | null, signal?: AbortSignal): Promise<Page> {
  const where = tag ? JSON.stringify({ tags: [tag] }) : null;
  return get<Page>("/api/records", { layer, state, kind, scope, project, where, order_by: order, cursor, limit: PAGE }, signal);
}

/** Words are a question of their own: what holds them comes best first, unless a column says otherwise. */
async function matching(filter: Filter, signal?: AbortSignal): Promise<Page> {
  const { layer, state, kind, tag, scope, words, order, project } = filter;
  const where = { ...(state && { state }), ...(kind && { kind }), ...(tag && { tags: [tag] }) };
  const body = { query: words, k: FOUND, floor: 0, mode: "keyword", explain: false, where, ...(layer && { layers: [layer] }), ...(scope && { scope }) };
  const found = await searched(project, body, signal);
  const records = found.hits.map((hit) => hit.record);
  if (order) {
    const field = order.replace(/^-/, "") as keyof Rec, way = order.startsWith("-") ? 1 : -1;
    records.sort((a, b) => way * String(a[field] ?? "").localeCompare(String(b[field] ?? ""), "en", { numeric: true }));
  }
  return { records, total: records.length, cursor: null };
}

/** Whether one memory stands before another: by the field that they are ordered by, then the newest. */
function comesFirst(order: string | null, one: Rec, other: Rec): boolean {
  const field = (order ?? "id").replace(/^-/, "") as keyof Rec;
  const [a, b] = order?.startsWith("-") ? [other[field], one[field]] : [one[field], other[field]];
  if (a === b) return one.id > other.id;
  // Nothing is less than anything.
  return (b ?? null) === null || ((a ?? null) !== null && a! > b!);
}

/** Whether the list would hold a memory; a new one that only might is asked for again. */
function isIn({ layer, state, kind, tag, scope, project }: Filter, record: Rec): boolean {
  const below = (path: string) => record.scope === path || record.scope.startsWith(`${path}/`);
  return (!layer || record.layer === layer) && record.layer !== "access" && record.state === (state ?? "current") && (!kind || record.kind === kind)
    && (!tag || record.tags.includes(tag)) && (!scope || below(scope)) && (!project || record.scope === "global" || below(`project/${project}`));
}

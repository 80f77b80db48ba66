// What is searched for, as the address says it.
import { tagsOf } from "../../parts/words";
import { amend } from "../../state/router";

export interface Wanted {
  query: string;
  where?: Record<string, unknown>;
  layers?: string[];
  scope?: string;
  as_of?: string;
  k?: number;
}

/** Every filter that an address may hold; the question itself is none. */
const FILTERS = ["layer", "kind", "tag", "scope", "source", "since", "from", "to", "as_of"];
const DAY_MS = 86_400_000;

export function wantedOf(asked: URLSearchParams): Wanted {
  const where: Record<string, unknown> = {};
  const tags = tagsOf(asked.get("tag") ?? "");
  const changed = changedWithin(asked);
  if (asked.get("kind")) where["kind"] = asked.get("kind");
  if (asked.get("source")) where["source"] = asked.get("source");
  if (tags.length) where["tags"] = tags;
  if (Object.keys(changed).length) where["updated_at"] = changed;
  // As an agent asks: the likely ones alone, unless somebody wants to see what is behind them.
  const wanted: Wanted = { query: asked.get("q") ?? "" };
  if (asked.get("k")) wanted.k = Number(asked.get("k"));
  if (Object.keys(where).length) wanted.where = where;
  if (asked.get("layer")) wanted.layers = [asked.get("layer")!];
  if (asked.get("scope")) wanted.scope = asked.get("scope")!;
  if (asked.get("as_of")) wanted.as_of = asked.get("as_of")!;
  return wanted;
}

/** From the beginning of one day to the end of another, or so many days back. */
function changedWithin(asked: URLSearchParams): Record<string, string> {
  const days = Number(asked.get("since") ?? "");
  const from = dayOf(asked.get("from")), to = dayOf(asked.get("to"));
  const found: Record<string, string> = {};
  if (days > 0) found["$gte"] = new Date(Date.now() - days * DAY_MS).toISOString();
  if (from) found["$gte"] = from.toISOString();
  if (to) {
    to.setDate(to.getDate() + 1);
    found["$lt"] = to.toISOString();
  }
  return found;
}

function dayOf(text: string | null): Date | null {
  const day = new Date(`${text}T00:00`);
  return text && !Number.isNaN(day.getTime()) ? day : null;
}

/** Those that are set; from and until when something changed are one. */
export function filtersIn(asked: URLSearchParams): string[] {
  const set = FILTERS.filter((name) => asked.get(name)).map((name) => (name === "from" || name === "to" ? "since" : name));
  return [...new Set(set)];
}

export function clearFilters(): void {
  amend(Object.fromEntries(FILTERS.map((name) => [name, ""])));
}

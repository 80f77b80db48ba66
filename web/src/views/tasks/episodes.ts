// What was tried, newest first. Attempts are many and never change, so what is known is kept and only
// what is new is asked for; where the numbers do not add up, something was taken away: all is read again.
import { useRef } from "preact/hooks";
import { get } from "../../api/client";
import type { Episode, EpisodePage } from "../../api/types";
import { inLayers } from "../../state/feed";
import { useLoaded, type Loaded } from "../../state/loading";

const FRESH = 50, PAGE = 1_000, MOST = 10_000;

interface Tried {
  episodes: Episode[];
  /** How many there are; more than are read on a very large store. */
  total: number;
}

export function useEpisodes(project: string): Loaded<Tried> {
  const kept = useRef<{ project: string; tried: Tried } | null>(null);
  return useLoaded(async (signal) => {
    const ask = (limit: number, cursor?: string | null) => get<EpisodePage>("/api/memory/episodes", { project, limit, cursor }, signal);
    const known = kept.current?.project === project ? kept.current.tried : null;
    const tried = (known && await refreshed(known, ask)) ?? await everything(ask);
    kept.current = { project, tried };
    return tried;
  }, [project], { live: inLayers("episode"), calm: 400 });
}

async function refreshed(known: Tried, ask: (limit: number) => Promise<EpisodePage>): Promise<Tried | null> {
  const page = await ask(FRESH);
  const oldest = page.episodes.at(-1)?.id;
  const old = oldest ? known.episodes.filter((one) => one.id < oldest) : [];
  const isWhole = known.episodes.length === known.total;
  const episodes = [...page.episodes, ...old];
  if (isWhole ? episodes.length !== page.total : known.total - known.episodes.length !== page.total - episodes.length) return null;
  // The very list of before, where nothing has come: nothing has to be drawn again.
  return episodes.length === known.total && episodes[0]?.id === known.episodes[0]?.id ? known : { episodes, total: page.total };
}

async function everything(ask: (limit: number, cursor?: string | null) => Promise<EpisodePage>): Promise<Tried> {
  const episodes: Episode[] = [];
  let page = await ask(PAGE);
  for (;;) {
    episodes.push(...page.episodes);
    if (!page.cursor || episodes.length >= MOST) return { episodes, total: page.total };
    page = await ask(PAGE, page.cursor);
  }
}

/** How often it was tried: an end, or a beginning that has no end yet. */
export function tries(episodes: Episode[]): number {
  const begun = new Map<string, number>();
  let ended = 0;
  for (const one of [...episodes].reverse()) {
    const who = `${one.project}/${one.task_id}/${one.agent_id}`, open = begun.get(who) ?? 0;
    if (one.action === "attempted" || one.action === "retried") begun.set(who, open + 1);
    else { ended++; begun.set(who, Math.max(0, open - 1)); }
  }
  return ended + [...begun.values()].reduce((sum, open) => sum + open, 0);
}

export function sum(episodes: Episode[], of: (one: Episode) => number | null): number {
  return episodes.reduce((total, one) => total + (of(one) ?? 0), 0);
}

export function lasted(ms: number): string {
  if (ms < 60_000) return `${Math.round(ms / 1_000)} s`;
  const minutes = Math.round(ms / 60_000);
  return minutes < 90 ? `${minutes} min` : `${minutes < 6_000 ? (minutes / 60).toFixed(1) : Math.round(minutes / 60).toLocaleString("en")} h`;
}

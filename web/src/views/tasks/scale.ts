// Time along a line: which stretch is seen, where its hours and days are, and what stands too close
// together to be told apart.
import type { Episode } from "../../api/types";

export interface Stretch {
  from: number;
  to: number;
}

export interface Bar {
  one: Episode;
  row: string;
  begin: number;
  end: number;
}

/** One attempt, or several that have no room beside one another. */
export interface Drawn {
  id: string;
  row: number;
  bars: Bar[];
  /** Where the first begins and ends, and where the last ends. */
  x: number;
  first: number;
  last: number;
}

const SECOND = 1_000, MINUTE = 60 * SECOND, HOUR = 60 * MINUTE, DAY = 24 * HOUR;
const STEPS = [5 * SECOND, 15 * SECOND, MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR, DAY, 2 * DAY, 7 * DAY, 30 * DAY, 91 * DAY, 365 * DAY];
const SHORTEST = 10 * SECOND, APART = 15, WIDEST = 60, GAP = 86, MOST = 300;

export function barsOf(episodes: Episode[], rowOf: (one: Episode) => string): Bar[] {
  return episodes.map((one) => {
    const end = Date.parse(one.created_at);
    return { one, row: rowOf(one), end, begin: end - (one.duration_ms ?? 0) };
  }).sort((a, b) => a.end - b.end || a.row.localeCompare(b.row, "en", { numeric: true }));
}

/** All there is, up to this moment where that is not far off. */
export function whole(bars: Bar[], now: number): Stretch {
  const from = bars.reduce((least, bar) => Math.min(least, bar.begin), Infinity);
  const last = bars.at(-1)?.end ?? now;
  const to = now > last && now - last < (last - from) / 2 ? now : last;
  const pad = Math.max((to - from) * 0.03, MINUTE);
  return { from: from - pad, to: to + pad };
}

/** The stretch seen when it is made longer or shorter around a moment, or moved by a share of itself. */
export function changed(seen: Stretch, all: Stretch, { by = 1, around = 0.5, move = 0 }): Stretch {
  const span = seen.to - seen.from, most = 1.2 * (all.to - all.from);
  const next = Math.max(SHORTEST, Math.min(most, span * by));
  const from = seen.from + (span - next) * around + next * move;
  // Half of what is seen may be empty, at either end; there is nothing to find beyond.
  const kept = Math.max(all.from - next / 2, Math.min(all.to - next / 2, from));
  return { from: kept, to: kept + next };
}

export function ticks(seen: Stretch, width: number): { at: number; text: string }[] {
  const span = seen.to - seen.from;
  const step = STEPS.find((one) => (width * one) / span > GAP) ?? STEPS.at(-1)!;
  const aside = new Date(seen.from).getTimezoneOffset() * MINUTE;
  const found = [];
  for (let at = Math.ceil((seen.from - aside) / step) * step + aside; at <= seen.to; at += step) found.push({ at, text: said(at, step) });
  return found;
}

function said(at: number, step: number): string {
  const date = new Date(at);
  if (step >= 30 * DAY) return date.toLocaleDateString("en", { month: "short", year: "numeric" });
  if (step >= DAY || (!date.getHours() && !date.getMinutes() && !date.getSeconds())) return date.toLocaleDateString("en", { day: "numeric", month: "short" });
  return date.toLocaleTimeString("en", { hour: "2-digit", minute: "2-digit", hour12: false, ...(step < MINUTE ? { second: "2-digit" } : {}) });
}

/** What is drawn on the rows that are seen: never so much that moving it would stutter. */
export function drawn(bars: Bar[], rows: Map<string, number>, x: (at: number) => number, width: number, apart = APART): Drawn[] {
  const last = new Map<number, Drawn>(), found: Drawn[] = [];
  for (const bar of bars) {
    const row = rows.get(bar.row);
    if (row === undefined) continue;
    const end = x(bar.end), begin = x(bar.begin), before = last.get(row);
    if (end < -APART || begin > width + APART) continue;
    if (before && end - before.last < apart && end - before.first < Math.max(WIDEST, 1.5 * apart)) {
      before.bars.push(bar);
      before.last = end;
      before.x = Math.min(before.x, begin);
    } else {
      const one = { id: bar.one.id, row, bars: [bar], x: begin, first: end, last: end };
      last.set(row, one);
      found.push(one);
    }
  }
  return found.length > MOST && apart < width ? drawn(bars, rows, x, width, 2 * apart) : found;
}

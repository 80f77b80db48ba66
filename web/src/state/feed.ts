// What happens in the store, as it happens: one stream for the tab, taken up again where it broke.
import { signal } from "@preact/signals";
import { Problem, get, problemOf, reach } from "../api/client";
import type { Change, Latest } from "../api/types";
import { OVER, signOut } from "./session";

type Standing = "joining" | "live" | "broken";

export const standing = signal<Standing>("joining");
/** The newest first. */
export const changes = signal<Change[]>([]);

/** From where the log goes on backwards; null at its beginning, or when enough is kept here. */
export const behind = signal<string | null>(null);

interface Resumed {
  /** When the stream broke, and when it was there again, by the server's clock. */
  from: number;
  until: number;
  missed: number;
  /** Whether the log was put back meanwhile, so that it had to be read anew. */
  anew: boolean;
}
/** How the stream was taken up again, the last time that it broke. */
export const resumed = signal<Resumed | null>(null);

export const KEPT = 10_000;
const PAGE = 200;
const PAUSE_MS = 1_000;
const LONGEST_MS = 8_000;
let last: string | null = null;
let brokenAt: number | null = null;
let isPutBack = false;
let running: AbortController | null = null;
const listeners = new Set<(change: Change) => void>();

export function onChange(listener: (change: Change) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** For what shows one memory. */
export function isAbout(id: string): (change: Change) => boolean {
  return ({ event }) => event.record === id;
}

/** For what shows some layers alone. */
export function inLayers(...layers: string[]): (change: Change) => boolean {
  return ({ record, before }) => {
    // Of what was erased nothing is known.
    if (!record && !before) return true;
    return layers.includes(record?.layer ?? "") || layers.includes(before?.layer ?? "");
  };
}

export function join(): () => void {
  const control = new AbortController();
  running?.abort();
  running = control;
  // Somebody else may have signed in, who sees other things.
  last = brokenAt = resumed.value = behind.value = null;
  changes.value = [];
  standing.value = "joining";
  void follow(control.signal);
  return () => control.abort();
}

async function follow(over: AbortSignal): Promise<void> {
  let pause = PAUSE_MS;
  while (!over.aborted) {
    try {
      await listen(over);
      pause = PAUSE_MS;
    } catch (error) {
      if (over.aborted) return;
      if (error instanceof Problem && error.status === 401) return signOut(OVER);
      // A place that is not in this log any more: the store was put back. Begin with what is.
      if (error instanceof Problem && error.status === 422) { last = null; isPutBack = true; }
      // One that was there begins anew: how long it was away before says nothing.
      pause = standing.peek() === "live" ? PAUSE_MS : Math.min(pause * 1.6, LONGEST_MS);
    }
    if (over.aborted) return;
    standing.value = "broken";
    brokenAt ??= Date.now();
    await new Promise((go) => setTimeout(go, pause));
  }
}

/** What happened before this page was opened, and the place from which the stream goes on. */
async function lookBack(over: AbortSignal): Promise<void> {
  const found = await get<Latest>("/api/changes/latest", { limit: PAGE }, over);
  changes.value = found.changes;
  behind.value = found.older;
  last = found.cursor;
}

/** The page of the log before what is here; says whether there was any. */
export async function lookFurther(): Promise<boolean> {
  const before = behind.peek();
  if (!before) return false;
  const found = await get<Latest>("/api/changes/latest", { limit: PAGE, before });
  // Two who look at once would tell everything twice.
  if (behind.peek() !== before) return true;
  changes.value = [...changes.peek(), ...found.changes];
  behind.value = changes.peek().length < KEPT ? found.older : null;
  return found.changes.length > 0;
}

function takenUp(answer: Response): void {
  if (brokenAt === null) return;
  const theirs = Date.parse(answer.headers.get("Date") ?? ""), ours = Date.now();
  resumed.value = { from: brokenAt, until: Math.abs(theirs - ours) > 2_000 ? theirs : ours, missed: 0, anew: isPutBack };
  brokenAt = null;
  isPutBack = false;
}

async function listen(over: AbortSignal): Promise<void> {
  if (!last) await lookBack(over);
  const headers: Record<string, string> = {};
  if (last) headers["Last-Event-ID"] = last;
  const answer = await reach("/api/changes/stream", { headers, signal: over });
  if (!answer.ok || !answer.body) throw await problemOf(answer);
  standing.value = "live";
  takenUp(answer);
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const frames = (rest + value).split("\n\n");
    rest = frames.pop() ?? "";
    take(frames);
  }
}

function take(frames: string[]): void {
  const fresh: Change[] = [];
  for (const frame of frames) {
    let id = "", data = "";
    for (const line of frame.split("\n")) {
      if (line.startsWith("id: ")) id = line.slice(4);
      else if (line.startsWith("data: ")) data += line.slice(6);
    }
    if (id) last = id;
    if (data) fresh.push(JSON.parse(data) as Change);
  }
  if (!fresh.length) return;
  const again = resumed.peek();
  const missed = again ? fresh.filter((one) => Date.parse(one.event.at) < again.until).length : 0;
  if (again && missed) resumed.value = { ...again, missed: again.missed + missed };
  const all = without(fresh, [...fresh.toReversed(), ...changes.peek()]);
  changes.value = all.slice(0, KEPT);
  // What falls off the end would be a gap before what is further back.
  if (all.length > KEPT) behind.value = null;
  for (const change of fresh) for (const listener of listeners) listener(change);
}

/** What was erased is gone from this page too, whatever it had been told before. */
function without(fresh: Change[], all: Change[]): Change[] {
  const gone = new Set(fresh.filter((one) => one.event.action === "erased").map((one) => one.event.record));
  return gone.size ? all.map((one) => gone.has(one.event.record) ? { ...one, record: null, before: null } : one) : all;
}

// What was asked for stays until something happened that it is about: some of it takes the server a
// second or more, and going back and forth between tabs must not ask for it again.
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { asProblem } from "../../api/client";
import { inLayers, onChange } from "../../state/feed";
import { useBack, type Loaded } from "../../state/loading";
import { onSomebodyElse } from "../../state/session";

interface Shelf extends Loaded<unknown> {
  dirty: boolean;
  /** Whether it was asked for once more while it was being asked for. */
  next: boolean;
  took: number;
  ended: number;
  layers: readonly string[];
  ask: () => Promise<unknown>;
}

const shelves = new Map<string, Shelf>();
/** Counts what has come for the first time, for those who look before anybody has asked. */
const made = signal(0);
const LEAST_MS = 200, MOST_MS = 15_000;

/** What is kept under a name, if anything is. */
export function keptAs<T>(name: string): T | null {
  void made.value;
  return (shelves.get(name)?.value.value ?? null) as T | null;
}

function shelfOf(name: string, layers: readonly string[], ask: () => Promise<unknown>): Shelf {
  const known = shelves.get(name);
  if (known) {
    known.ask = ask;
    return known;
  }
  const shelf: Shelf = {
    value: signal(null), problem: signal(null), busy: signal(false), dirty: true, next: false, took: 0, ended: 0, layers, ask,
    again: () => { void load(shelf); },
  };
  shelves.set(name, shelf);
  return shelf;
}

async function load(shelf: Shelf): Promise<void> {
  if (shelf.busy.peek()) { shelf.next = true; return; }
  shelf.busy.value = true;
  shelf.dirty = shelf.next = false;
  const begun = performance.now();
  try {
    const isFirst = shelf.value.peek() === null;
    shelf.value.value = await shelf.ask();
    if (isFirst) made.value++;
    shelf.problem.value = null;
  } catch (error) {
    shelf.problem.value = asProblem(error);
  }
  shelf.ended = performance.now();
  shelf.took = shelf.ended - begun;
  shelf.busy.value = false;
  if (shelf.next) void load(shelf);
}

/** Ask for something once, and again when the store has changed in one of these layers. */
export function useKept<T>(name: string, layers: readonly string[], ask: () => Promise<T>): Loaded<T> {
  const shelf = shelfOf(name, layers, ask);
  useBack(shelf.problem, shelf.again);
  useEffect(() => {
    let timer: number | undefined;
    const later = () => {
      timer = undefined;
      if (shelf.busy.peek()) timer = setTimeout(later, LEAST_MS);
      else void load(shelf);
    };
    if (shelf.dirty) void load(shelf);
    const stop = onChange((change) => {
      if (!inLayers(...layers)(change)) return;
      shelf.dirty = true;
      // The longer it takes, the rarer it is asked for: the server rests as long as it has worked.
      const rested = performance.now() - shelf.ended;
      timer ??= setTimeout(later, Math.min(Math.max(shelf.took - rested, LEAST_MS), MOST_MS));
    });
    return () => { stop(); clearTimeout(timer); };
  }, [name]);
  return shelf as Loaded<unknown> as Loaded<T>;
}

// What somebody was shown is not for who signs in next.
onSomebodyElse(() => shelves.clear());

// While nobody looks at a tab, what it showed may become wrong all the same.
onChange((change) => {
  for (const shelf of shelves.values()) if (inLayers(...shelf.layers)(change)) shelf.dirty = true;
});

// Something that is asked for and comes, or does not, and is asked for again when it has changed.
import { useSignal, type Signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { Problem, asProblem, isOver } from "../api/client";
import type { Change } from "../api/types";
import { onChange, standing } from "./feed";

export interface Loaded<T> {
  value: Signal<T | null>;
  problem: Signal<Problem | null>;
  /** Whether what is shown is not yet about what is asked. */
  busy: Signal<boolean>;
  again: () => void;
}

interface How {
  /** Whether it is read again when something happens in the store, or which changes it is about. */
  live?: boolean | ((change: Change) => boolean);
  /** How long at least lies between two such readings; there is one after the last change. */
  calm?: number;
  /** How long to wait for more, where what it is about is being typed. */
  typing?: number;
}

/** The longer an answer takes, the rarer it is asked for: a busy server gets room to breathe. */
const RESTS = 2, LONGEST_REST_MS = 5_000;
/** How long who types waits for the answer before. */
const PATIENCE_MS = 2_000;

/** A server that was away is asked again as soon as it is back: nobody has to press anything. */
export function useBack(problem: Signal<Problem | null>, again: () => void): void {
  useEffect(() => standing.subscribe((now) => {
    if (now === "live" && problem.peek()?.status === 0) again();
  }), [problem]);
}

export function useLoaded<T>(
  ask: (signal: AbortSignal) => Promise<T>,
  about: unknown[],
  { live = false, calm = 0, typing = 0 }: How = {},
): Loaded<T> {
  const value = useSignal<T | null>(null);
  const problem = useSignal<Problem | null>(null);
  const busy = useSignal(true);
  const round = useSignal(0);
  const latest = useRef(ask);
  latest.current = ask;
  const heard = useRef(live);
  heard.current = live;
  const took = useRef({ ms: 0, ended: 0 });
  const running = useRef<AbortController | null>(null);
  const waiting = useRef<number | undefined>(undefined);
  const turn = useRef(0), next = useRef(false);

  const wait = (then: () => void, ms: number) => {
    clearTimeout(waiting.current);
    waiting.current = setTimeout(() => { waiting.current = undefined; then(); }, ms);
  };
  const giveUp = () => {
    clearTimeout(waiting.current);
    waiting.current = undefined;
    running.current?.abort();
    running.current = null;
  };
  const load = () => {
    giveUp();
    next.current = false;
    const control = running.current = new AbortController();
    const begun = performance.now(), asked = turn.current;
    const ended = (found: T | null, error: Problem | null) => {
      if (control.signal.aborted) return;
      running.current = null;
      const now = performance.now();
      took.current = { ms: now - begun, ended: now };
      if (found !== null || !error) value.value = found;
      // What is asked since is another question, which is not answered yet.
      busy.value = asked !== turn.current;
      problem.value = busy.value ? null : error;
      if (next.current) load();
    };
    latest.current(control.signal).then(
      (found) => ended(found, null),
      (error: unknown) => { if (!isOver(error)) ended(null, asProblem(error)); },
    );
  };

  // The server works on a question to its end, even one that nobody waits for any more: who types gets
  // the answer to what was typed before, and then asks. One that hangs is given up.
  const inTurn = () => {
    if (!running.current) return load();
    next.current = true;
    wait(load, PATIENCE_MS);
  };

  useEffect(() => {
    turn.current++;
    busy.value = true;
    wait(typing ? inTurn : load, value.peek() === null ? 0 : typing);
    return typing ? () => clearTimeout(waiting.current) : giveUp;
  }, [...about, round.value]);
  useEffect(() => giveUp, []);

  useBack(problem, () => { round.value++; });

  useEffect(() => {
    if (!live) return undefined;
    let isDue = false;
    // What happens while one reading is awaited is in the next, and nobody sees a page in the background.
    const later = () => {
      const { ms, ended } = took.current;
      const rest = running.current ? calm : Math.min(RESTS * ms, LONGEST_REST_MS) - (performance.now() - ended);
      if (running.current || rest > 0) return wait(later, rest);
      isDue = document.hidden;
      if (!isDue) load();
    };
    const seen = () => { if (isDue) later(); };
    const stop = onChange((change) => {
      if (waiting.current !== undefined || isDue) return;
      if (heard.current === true || (heard.current && heard.current(change))) wait(later, calm);
    });
    document.addEventListener("visibilitychange", seen);
    return () => { stop(); document.removeEventListener("visibilitychange", seen); };
  }, []);

  return { value, problem, busy, again: () => { round.value++; } };
}

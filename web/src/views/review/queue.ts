// Moving through a queue, choosing from it, and deciding: the same for every tab.
import { useSignal, type Signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { send } from "../../api/client";
import type { Receipt } from "../../api/types";
import { doing, receiptOf, say, takeBack } from "../../state/saying";
import { onSomebodyElse } from "../../state/session";
import { useKeys } from "../../state/keys";
import { REVIEW_KEYS, type Move } from "./keys";

export interface Choosing {
  chosen: Signal<ReadonlySet<string>>;
  at: Signal<string | null>;
  /** Choose one or not; with shift, all from the last one that was chosen. */
  toggle: (id: string, withShift?: boolean) => void;
  set: (ids: string[]) => void;
}

/** `all` is what can be chosen, where that is more than is shown. */
export function useChoosing(ids: string[], act: (move: Move, id: string | null) => void, all = ids): Choosing {
  const chosen = useSignal<ReadonlySet<string>>(new Set());
  const at = useSignal<string | null>(null);
  const anchor = useRef<string | null>(null);
  const latest = useRef({ ids, act });
  latest.current = { ids, act };

  const toggle = (id: string, withShift = false) => {
    const next = new Set(chosen.peek()), all = latest.current.ids;
    const isOn = !next.has(id);
    const from = withShift && anchor.current ? all.indexOf(anchor.current) : -1, to = all.indexOf(id);
    const range = from < 0 ? [id] : all.slice(Math.min(from, to), Math.max(from, to) + 1);
    for (const one of range) isOn ? next.add(one) : next.delete(one);
    anchor.current = id;
    chosen.value = next;
  };

  const moved = (move: Move, event: KeyboardEvent): unknown => {
    const all = latest.current.ids, place = at.peek() ? all.indexOf(at.peek()!) : -1, here = all[place];
    if (move === "next" || move === "previous") {
      const next = all[Math.min(Math.max(place + (move === "next" ? 1 : -1), 0), all.length - 1)];
      if (next) { at.value = next; focusOn(next); }
    } else if (move === "choose") {
      // The space bar means what has the focus, where that can be pressed.
      if (!here || (event.key === " " && event.target instanceof Element && event.target.closest("button, a, summary, input"))) return false;
      toggle(here, event.shiftKey);
    } else latest.current.act(move, here ?? null);
    return true;
  };
  useKeys("In the queue", REVIEW_KEYS.map(({ keys, does, move }) => ({ keys, does, run: (_, event) => moved(move, event) })));

  // Who is gone is not chosen any more, and the next one is where the eye is.
  const before = useRef<string[]>([]);
  useEffect(() => {
    const there = new Set(ids), left = new Set(all);
    if ([...chosen.peek()].some((one) => !left.has(one))) {
      chosen.value = new Set([...chosen.peek()].filter((one) => left.has(one)));
    }
    const here = at.peek();
    if (here && !there.has(here)) {
      const place = before.current.indexOf(here);
      const next = before.current.slice(place + 1).find((one) => there.has(one)) ?? ids.at(-1) ?? null;
      const hadFocus = !document.activeElement || document.activeElement === document.body;
      at.value = next;
      if (next && hadFocus) focusOn(next);
    }
    before.current = ids;
  }, [ids.join(), all.join()]);

  return { chosen, at, toggle, set: (meant) => { chosen.value = new Set(meant); } };
}

function focusOn(id: string): void {
  requestAnimationFrame(() => {
    const row = document.getElementById(`case-${id}`);
    row?.focus({ preventScroll: true });
    row?.scrollIntoView({ block: "nearest" });
  });
}

const last = { tx: null as string | null };
onSomebodyElse(() => { last.tx = null; });

/** Do something that leaves a receipt; the toast and `u` take it back. */
export async function act<T extends Receipt | { receipt: Receipt | null }>(
  what: string | ((done: T) => string), path: string, body: unknown,
): Promise<T | null> {
  const done = await doing(what, send<T>("POST", path, body));
  last.tx = (done && receiptOf(done)?.tx) ?? last.tx;
  return done;
}

export function undoLast(): void {
  if (!last.tx) return say("Nothing was decided here that could be taken back.");
  const { tx } = last;
  last.tx = null;
  void takeBack(tx);
}

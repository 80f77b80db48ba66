// A list that does not move while the pointer is in it: what somebody else decides meanwhile stays
// in its place, faded, and what is new waits above. Nobody wants to accept what slid under the hand.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";

interface Row<T> {
  id: string;
  item: T;
  gone: boolean;
}

export function useSteady<T>(items: T[], idOf: (item: T) => string) {
  const held = useSignal(false);
  const shown = useRef<Row<T>[]>([]);
  const fresh = new Map(items.map((item) => [idOf(item), item]));
  let waiting = 0;
  const begins = !shown.current.length;
  // A list that goes while the pointer is in it never hears that the pointer has left.
  useEffect(() => { if (!items.length) held.value = false; }, [items.length]);
  if (!held.value || begins) {
    shown.current = items.map((item) => ({ id: idOf(item), item, gone: false }));
  } else {
    const before = new Set(shown.current.map((row) => row.id));
    waiting = items.filter((item) => !before.has(idOf(item))).length;
    shown.current = shown.current.map((row) => {
      const item = fresh.get(row.id);
      return item ? { id: row.id, item, gone: false } : { ...row, gone: true };
    });
    // When nothing of it is left, there is nothing to hold on to.
    if (shown.current.every((row) => row.gone)) {
      shown.current = items.map((item) => ({ id: idOf(item), item, gone: false }));
      waiting = 0;
    }
  }
  return {
    rows: shown.current,
    /** How many new ones wait to be shown. */
    waiting,
    release: () => { held.value = false; },
    hold: {
      onPointerEnter: (event: PointerEvent) => { if (event.pointerType === "mouse") held.value = true; },
      onPointerLeave: () => { held.value = false; },
    },
  };
}

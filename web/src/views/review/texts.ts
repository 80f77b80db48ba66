// The records that the steps of a plan are about: asked for as cards want them, many in one question.
import { signal, type Signal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { recordsOf } from "../../api/records";
import type { Rec } from "../../api/types";

const MOST = 100;

/** What an id says, once it has come; those that are wanted in one turn are asked for together. */
export function useTexts(): (id: string) => Rec | undefined {
  const shelf = useRef<Texts | null>(null);
  shelf.current ??= new Texts();
  return shelf.current.of;
}

class Texts {
  private readonly known: Signal<ReadonlyMap<string, Rec>> = signal(new Map());
  private readonly asked = new Set<string>();
  private wanted: string[] = [];

  of = (id: string): Rec | undefined => {
    if (!this.asked.has(id)) {
      this.asked.add(id);
      // Cards are drawn one after the other; the first one asks for all of them.
      if (this.wanted.push(id) === 1) queueMicrotask(() => { void this.fetch(); });
    }
    return this.known.value.get(id);
  };

  private async fetch(): Promise<void> {
    const ids = this.wanted;
    this.wanted = [];
    for (let start = 0; start < ids.length; start += MOST) {
      // Without its words a card can still be decided on.
      const found = await recordsOf(ids.slice(start, start + MOST)).catch(() => []);
      this.known.value = new Map([...this.known.peek(), ...found.map((one) => [one.id, one] as const)]);
    }
  }
}

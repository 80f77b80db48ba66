// The records that the steps of a plan are about: asked for as cards want them, many in one question.
import { signal, type Signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { recordsOf } from "../../api/records";
import type { Change, Rec } from "../../api/types";
import { onChange } from "../../state/feed";

const MOST = 100;

/** What an id says, once it has come; those that are wanted in one turn are asked for together. */
export function useTexts(): (id: string) => Rec | undefined {
  const shelf = useRef<Texts | null>(null);
  shelf.current ??= new Texts();
  useEffect(() => onChange(shelf.current!.heard), []);
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

  /** What is decided on is what it says now. */
  heard = ({ event, record }: Change): void => {
    if (!this.known.peek().has(event.record)) return;
    const known = new Map(this.known.peek());
    if (record) known.set(record.id, record);
    else known.delete(event.record);
    this.known.value = known;
  };

  private async fetch(): Promise<void> {
    const ids = this.wanted;
    this.wanted = [];
    for (let start = 0; start < ids.length; start += MOST) {
      const some = ids.slice(start, start + MOST), found = await recordsOf(some).catch(() => null);
      // They are asked for again when they are drawn again.
      if (!found) { for (const id of some) this.asked.delete(id); continue; }
      this.known.value = new Map([...this.known.peek(), ...found.map((one) => [one.id, one] as const)]);
    }
  }
}

// Words that are typed and not yet saved. They wait in this tab, whatever view is opened meanwhile; who
// leaves the page with them is asked first. They are on no disk, and go with what is erased.
import { signal } from "@preact/signals";
import { onChange } from "./feed";
import { whoever } from "./session";

/** The memory whose text is being written in its row of a table: its panel shows no second form. */
export const inRow = signal<string | null>(null);

const kept = new Map<string, unknown>();
const nameOf = (about: string) => `${whoever.peek()} ${about}`;

/** What somebody began to write about something; about a new memory, it is called `new`. */
export function draftOf<T>(about: string): Partial<T> {
  return (kept.get(nameOf(about)) ?? {}) as Partial<T>;
}

export const isBegun = (about: string) => kept.has(nameOf(about));

export function keepDraft<T>(about: string, draft: T): void {
  kept.set(nameOf(about), draft);
}

export function dropDraft(about: string): void {
  kept.delete(nameOf(about));
}

onChange(({ event }) => { if (event.action === "erased") dropDraft(event.record); });
addEventListener("beforeunload", (event) => { if (kept.size) event.preventDefault(); });

// Every key that does something: one table, which the handler obeys and the help shows.
import { signal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";

interface Key {
  keys: string[];
  does: string;
  /** Says `false` where it has nothing to do, so that others or the browser do what they would have done. */
  run: (key: string, event: KeyboardEvent) => unknown;
}

interface Group {
  title: string;
  keys: () => Key[];
}

/** What works at this moment: what the page knows, and what the view that is open adds. */
export const groups = signal<Group[]>([]);

export function useKeys(title: string, keys: Key[]): void {
  const latest = useRef(keys);
  latest.current = keys;
  // Before it is drawn: what can be seen can be used.
  useLayoutEffect(() => {
    const group: Group = { title, keys: () => latest.current };
    groups.value = [...groups.peek(), group];
    return () => { groups.value = groups.peek().filter((one) => one !== group); };
  }, [title]);
}

export function obey(event: KeyboardEvent): void {
  if (event.metaKey || event.ctrlKey || event.altKey || event.defaultPrevented || isTyping(event.target)) return;
  if (document.querySelector("dialog[open]")) return;
  const meant = groups.peek().flatMap((group) => group.keys()).filter((one) => one.keys.includes(event.key));
  if (meant.some((one) => one.run(event.key, event) !== false)) event.preventDefault();
}

/** How far each key moves in a list. */
export const MOVES: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, j: 1, k: -1, PageDown: 10, PageUp: -10 };

/** Moves between the elements of a list that say `data-row`; a field among them keeps its letters. */
export function withArrows(event: KeyboardEvent & { currentTarget: EventTarget | null }): void {
  const step = MOVES[event.key];
  const list = event.currentTarget, from = event.target;
  if (step === undefined || event.defaultPrevented || !(list instanceof HTMLElement) || !(from instanceof HTMLElement)) return;
  if (isTyping(from) && Math.abs(step) === 1 && !event.key.startsWith("Arrow")) return;
  const rows = [...list.querySelectorAll<HTMLElement>("[data-row]")];
  const at = rows.indexOf(from.closest<HTMLElement>("[data-row]")!);
  const next = rows[Math.max(0, Math.min(rows.length - 1, at + step))];
  if (at < 0 || !next || next === rows[at]) return;
  event.preventDefault();
  next.focus();
  next.scrollIntoView({ block: "nearest" });
}

/** From nowhere in particular into the list of the view. */
export function intoList(key: string): boolean {
  const here = document.activeElement;
  if (here && here !== document.body && here.id !== "main" && here.tagName !== "H1") return false;
  const list = document.querySelector<HTMLElement>("main .vbody, main [data-row]");
  if (!list) return false;
  list.focus();
  if (list.classList.contains("vbody")) list.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  return true;
}

/** From a table into the panel that shows what is chosen in it. */
export function intoPanel(): boolean {
  const first = document.querySelector<HTMLElement>("main .panel button, main .panel a");
  if (!document.activeElement?.classList.contains("vbody") || !first) return false;
  first.focus();
  return true;
}

/** Close the panel that is open beside a list, and be in the list again. */
export function closePanel(): boolean {
  const close = document.querySelector<HTMLElement>("main .panel-head button[aria-label='Close']");
  if (!close) return false;
  close.click();
  document.querySelector<HTMLElement>("main .vbody")?.focus();
  return true;
}

/** A row may be longer than a phone is wide. `scrollIntoView` would make Tab go on from there, past the
 * link that skips the menu. */
export function toMiddle(one: HTMLElement | null): void {
  const row = one?.parentElement;
  row?.scrollTo({ left: one!.offsetLeft - row.offsetLeft - (row.clientWidth - one!.offsetWidth) / 2 });
}

const NAMES: Record<string, string> = {
  ArrowDown: "↓", ArrowUp: "↑", Escape: "Esc", PageDown: "PgDn", PageUp: "PgUp", " ": "Space",
};
/** What stands on a key. */
export const keyName = (key: string) => NAMES[key] ?? key;

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement
    && (target.isContentEditable || target.matches("textarea, select, input:not([type=checkbox])"));
}

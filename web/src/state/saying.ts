// Short words about what was just done, with the way back.
import { signal } from "@preact/signals";
import { Problem, send } from "../api/client";
import type { Receipt } from "../api/types";

interface Said {
  number: number;
  text: string;
  remedy?: string;
  tx?: string | null;
  bad?: boolean;
}

export const said = signal<Said[]>([]);
const STAY_MS = 7_000;
let count = 0;

export function say(text: string, more: Partial<Said> = {}): void {
  const one = { number: ++count, text, ...more };
  said.value = [...said.peek(), one].slice(-3);
  setTimeout(() => hush(one.number), more.bad ? STAY_MS * 2 : STAY_MS);
}

export function hush(number: number): void {
  said.value = said.peek().filter((one) => one.number !== number);
}

export function complain(error: unknown): void {
  if (error instanceof Problem) say(error.message, { remedy: error.remedy, bad: true });
  else say(error instanceof Error ? error.message : String(error), { bad: true });
}

type Done = Receipt | { receipt: Receipt | null };

/** What something left; null where there was nothing to be done. */
export const receiptOf = (done: Done): Receipt | null => ("receipt" in done ? done.receipt : done);

/** Do something that leaves a receipt, say so, and offer to take it back; null where it failed. */
export async function doing<T extends Done>(what: string | ((done: T) => string), work: Promise<T>): Promise<T | null> {
  try {
    const done = await work, receipt = receiptOf(done);
    if (receipt) say(typeof what === "string" ? what : what(done), { tx: receipt.tx });
    return done;
  } catch (error) {
    complain(error);
    return null;
  }
}

export async function takeBack(tx: string): Promise<boolean> {
  try {
    await send<Receipt>("POST", "/api/undo", { tx });
    say("Undone.");
    return true;
  } catch (error) {
    complain(error);
    return false;
  }
}

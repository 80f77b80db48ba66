// Who is signed in. A token lasts minutes and is kept for this tab alone; tabs of one browser share
// it by word of mouth, and one of them renews it for all.
import { computed, effect, signal } from "@preact/signals";
import { Problem, asProblem, problemOf, unreachable } from "../api/client";
import type { Entered, Principal } from "../api/types";
import { ENTRY, restart } from "./router";

/** With the moment at which the token runs out by the clock of this machine, which may go wrong. */
type Kept = Entered & { until: number };

const SHELF = "lamina.entered";
const EARLY_MS = 3 * 60_000;
const PATIENCE_MS = 300;
const HERE = "lamina.here";
/** Browsers have none for pages that came over a net without TLS. */
const locks = navigator.locks as LockManager | undefined;
/** What is said to somebody whose token is refused and not renewed. */
export const OVER = "Your sign-in is over: it ran out, or its key was revoked.";

export const me = signal<Principal | null>(null);
/** The same for as long as nobody else signs in: a new token is no new person. */
export const whoever = computed(() => me.value && `${me.value.role} ${me.value.root ?? ""} ${me.value.name}`);
/** Forget something once somebody else signs in; who comes back finds it as it was. */
export function onSomebodyElse(forget: () => void): void {
  let last: string | null = null;
  effect(() => {
    const now = whoever.value;
    if (now && last && now !== last) forget();
    last = now ?? last;
  });
}
export const isReady = signal(false);
export const parting = signal("");
/** Whom an address would sign in, while somebody else is. */
export const invited = signal<Kept | null>(null);

let entered: Kept | null = null;
let timer: number | undefined;
const channel = new BroadcastChannel("lamina");

channel.onmessage = ({ data }: MessageEvent<{ ask?: true; entered?: Kept; out?: true }>) => {
  if (data.ask && entered) channel.postMessage({ entered });
  // Who is signed in stays who they are, whatever another tab has been opened with.
  else if (data.entered && isSame(entered, data.entered)) take(data.entered);
  else if (data.out) drop("You signed out in another tab.");
};

/** Whether both come from one key; nobody is like anybody. */
const isSame = (one: Kept | null, other: Kept) => !one || keyOf(one) === keyOf(other);
const keyOf = (one: Kept) => one.token.split("_")[1];

/** Sign in with what there is: a code in the address, this tab's own token, or another tab's. */
export async function begin(): Promise<void> {
  const found = ENTRY.exec(location.hash);
  if (found?.[1]) restart();
  const brought = found?.[1] ? traded(found[1]).catch(refused) : null;
  await fromShelf();
  if (!entered) await fromOthers();
  const one = await brought;
  if (one && (isSame(entered, one) || !(await isStillIn()))) tell(one);
  // Any page can open an address with a code of its own: whoever is here is asked first.
  else if (one) invited.value = one;
  isReady.value = true;
  // As long as the tab is there, so that another knows whether it is worth asking.
  void locks?.request(HERE, { mode: "shared" }, () => new Promise(() => undefined));
}

/** Whether the server knows who is signed in; it may be that of another store by now. */
async function isStillIn(): Promise<boolean> {
  const asked = fetch("/api/auth/me", { headers: { Authorization: await bearer() } });
  return (await asked.catch(() => null))?.status !== 401;
}

function refused(error: unknown): null {
  const told = asProblem(error);
  parting.value = [told.message, told.remedy].filter(Boolean).join(". ");
  return null;
}

/** Be who the address that was opened is for, or stay who one was. */
export function answer(isWanted: boolean): void {
  const one = invited.peek();
  invited.value = null;
  if (one && isWanted) {
    signOut();
    tell(one);
  } else if (one) leave(one.next_code);
}

/** Sign in with a key, which is forgotten at once. */
export async function signIn(key: string): Promise<void> {
  // No request can carry anything else, and the browser would say that the server does not answer.
  if (!/^[\x21-\x7e]+$/.test(key.trim())) throw new Problem(401, "unauthenticated", "", "", false);
  const said = { method: "POST", headers: { Authorization: `Bearer ${key.trim()}` } };
  const { code } = await answered<{ code: string }>(fetch("/api/auth/codes", said));
  await trade(code);
  parting.value = "";
}

/** Sign out; without a reason it is what somebody wanted, everywhere, and nothing is renewed any more. */
export function signOut(why = ""): void {
  const code = entered?.next_code;
  drop(why);
  if (why) return;
  channel.postMessage({ out: true });
  if (code) leave(code);
}

function leave(code: string): void {
  posted("/api/auth/leave", { code }).catch(() => undefined);
}

/** Whether it is worth asking again after a refusal, because there is another token now. */
export async function renewedAfter(refused: string): Promise<boolean> {
  if (entered && `Bearer ${entered.token}` === refused) await renew();
  return !!entered && `Bearer ${entered.token}` !== refused;
}

/** What requests show. */
export async function bearer(): Promise<string> {
  if (entered && left(entered) < EARLY_MS / 3) await renew();
  return `Bearer ${entered?.token ?? ""}`;
}

const left = (one: Kept) => one.until - Date.now();

async function trade(code: string): Promise<void> {
  tell(await traded(code));
}

async function traded(code: string): Promise<Kept> {
  const asked = Date.now();
  const one = await answered<Entered>(posted("/api/auth/enter", { code }));
  return { ...one, until: asked + one.lasts_seconds * 1_000 };
}

function tell(one: Kept): void {
  take(one);
  channel.postMessage({ entered });
}

function posted(path: string, body: unknown): Promise<Response> {
  const headers = { "Content-Type": "application/json" };
  return fetch(path, { method: "POST", body: JSON.stringify(body), headers, keepalive: true });
}

async function answered<T>(asked: Promise<Response>): Promise<T> {
  const answer = await asked.catch(() => { throw unreachable(); });
  if (!answer.ok) throw await problemOf(answer);
  return (await answer.json()) as T;
}

async function renew(): Promise<void> {
  const before = entered;
  const once = async () => {
    // Another tab may have done it while this one waited.
    if (!entered || entered !== before) return;
    try {
      await trade(entered.next_code);
    } catch (error) {
      // A server that is away comes back. Who is refused signs in again, when the token is over.
      if (error instanceof Problem && error.status === 401 && left(entered) <= 0) signOut(OVER);
    }
  };
  await (locks ? locks.request("lamina.renewing", once) : once());
}

function take(one: Kept): void {
  if (!(left(one) > 0)) return;
  entered = one;
  me.value = one.principal;
  sessionStorage.setItem(SHELF, JSON.stringify(one));
  clearTimeout(timer);
  timer = setTimeout(renew, Math.max(1_000, left(one) - EARLY_MS));
}

function drop(why: string): void {
  entered = null;
  clearTimeout(timer);
  sessionStorage.removeItem(SHELF);
  parting.value = why;
  me.value = null;
}

/** This tab's own token; one that ran out while the machine slept may still be renewed. */
async function fromShelf(): Promise<void> {
  const kept = sessionStorage.getItem(SHELF);
  if (!kept) return;
  try {
    const one = JSON.parse(kept) as Kept;
    take(one);
    if (!entered) await trade(one.next_code);
  } catch {
    sessionStorage.removeItem(SHELF);
  }
}

async function fromOthers(): Promise<void> {
  const there = await locks?.query();
  if (there && !there.held?.some((one) => one.name === HERE)) return;
  channel.postMessage({ ask: true });
  const until = performance.now() + PATIENCE_MS;
  while (!entered && performance.now() < until) await new Promise((go) => setTimeout(go, 20));
}

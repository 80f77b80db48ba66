// One way to ask the server, and one shape for what goes wrong.
import { bearer, OVER, renewedAfter, signOut } from "../state/session";

export class Problem extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly remedy: string,
    readonly retryable: boolean,
  ) {
    super(message);
  }
}

export type Asked = Record<string, string | number | boolean | null | undefined>;

export function address(path: string, asked: Asked = {}): string {
  const said = Object.entries(asked).filter(([, one]) => one !== undefined && one !== null && one !== "");
  if (!said.length) return path;
  return `${path}?${new URLSearchParams(said.map(([name, one]) => [name, String(one)]))}`;
}

/** Part of an address; names may hold anything. */
export const part = encodeURIComponent;

export function get<T>(path: string, asked: Asked = {}, signal?: AbortSignal): Promise<T> {
  return ask<T>("GET", address(path, asked), undefined, {}, signal);
}

export function send<T>(
  method: "POST" | "PUT" | "PATCH" | "DELETE",
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
  signal?: AbortSignal,
): Promise<T> {
  return ask<T>(method, path, body, headers, signal);
}

async function ask<T>(
  method: string,
  path: string,
  body: unknown,
  headers: Record<string, string>,
  signal?: AbortSignal,
): Promise<T> {
  const said: RequestInit = { method, headers };
  if (signal) said.signal = signal;
  if (body !== undefined) {
    said.body = JSON.stringify(body);
    said.headers = { ...said.headers, "Content-Type": "application/json" };
  }
  const answer = await answered(path, said);
  // A server that ends in the middle of its answer does not answer.
  return (await answer.json().catch((error: unknown) => { throw isOver(error) ? error : unreachable(); })) as T;
}

/** What the server answers, if it does as it was asked; whoever it does not know any more is signed out. */
export async function answered(path: string, said: RequestInit): Promise<Response> {
  const answer = await reach(path, said);
  if (answer.ok) return answer;
  if (answer.status === 401) signOut(OVER);
  throw await problemOf(answer);
}

/** Ask as who is signed in. A token may have run out while the machine slept, or sooner than its clock
 * says: then with a new one, once. */
export async function reach(path: string, said: RequestInit): Promise<Response> {
  const shown = await bearer();
  const asked = (bearing: string) => fetch(path, { ...said, headers: { ...said.headers, Authorization: bearing } })
    .catch((error: unknown) => { throw said.signal?.aborted ? error : unreachable(); });
  const answer = await asked(shown);
  if (answer.status !== 401 || !(await renewedAfter(shown))) return answer;
  return asked(await bearer());
}

export async function problemOf(answer: Response): Promise<Problem> {
  try {
    const { error } = (await answer.json()) as {
      error: { code: string; message: string; remedy: string; retryable: boolean };
    };
    return new Problem(answer.status, error.code, error.message, error.remedy, error.retryable);
  } catch {
    return new Problem(answer.status, "unknown", `The server answered with ${answer.status}.`, "Try again.", true);
  }
}

export function unreachable(): Problem {
  return new Problem(
    0, "unreachable", "The server does not answer.",
    "It may have been stopped: `lamina serve` starts it, and this page goes on by itself.", true,
  );
}

/** What went wrong, whatever it was: what is no word of the server is a mistake of this page, and says so. */
export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  const said = error instanceof Error ? error.message : String(error);
  return new Problem(0, "unknown", `This page has failed: ${said}`, "Load it again.", true);
}

/** Whether an error is of a request that nobody waits for any more. */
export function isOver(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}

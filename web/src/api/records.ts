// Asking for memories by name, or by what they say.
import { address, get, part, send } from "./client";
import type { Page, Past, Rec, Recall } from "./types";

export const recordPath = (id: string) => `/api/records/${part(id)}`;

export function recordOf(id: string, signal?: AbortSignal): Promise<Rec> {
  return get<Rec>(recordPath(id), {}, signal);
}

/** Every version that is left, or the newest so many. */
export function historyOf(id: string, signal?: AbortSignal, last?: number): Promise<Past> {
  return get<Past>(`${recordPath(id)}/history`, { last }, signal);
}

/** No more than a hundred; those that nobody sees are not among the answer. */
export async function recordsOf(ids: string[], signal?: AbortSignal, states?: readonly string[]): Promise<Rec[]> {
  const where = JSON.stringify({ id: { $in: ids }, ...(states && { state: { $in: states } }) });
  return ids.length ? (await get<Page>("/api/records", { where, limit: 100 }, signal)).records : [];
}

/** What a search finds. Looking for something here is no question of an agent, and what comes up has been
 * of no use yet: neither counts. */
export function searched(project: string, wanted: object, signal?: AbortSignal): Promise<Recall> {
  return send<Recall>("POST", address("/api/search", { project }), { ...wanted, tentative: true }, {}, signal);
}

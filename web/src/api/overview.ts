// Several parts of the page want the overview at the same moment; the server is asked once.
import { get } from "./client";
import type { Overview } from "./types";

const FRESH_MS = 400;
const asked = new Map<string, { at: number; answer: Promise<Overview> }>();

export function overviewOf(project: string): Promise<Overview> {
  const known = asked.get(project), now = performance.now();
  if (known && now - known.at < FRESH_MS) return known.answer;
  const answer = get<Overview>("/api/overview", { project });
  asked.set(project, { at: now, answer });
  answer.catch(() => asked.delete(project));
  return answer;
}

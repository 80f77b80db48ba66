// What there is in all. Several parts of the page want it at the same moment, and the server is asked once.
import { get } from "../api/client";
import type { Overview } from "../api/types";
import { useAgain } from "./again";
import { onChange } from "./feed";
import { useLoaded, type Loaded } from "./loading";

const FRESH_MS = 400;
const asked = new Map<string, { at: number; answer: Promise<Overview> }>();
// What was told before a change says nothing of it.
onChange(() => asked.clear());

/** The overview of a project or of all, as it is; read again at most once in so many milliseconds. */
export function useOverview(project: string, calm: number): Loaded<Overview> {
  const seen = useLoaded(() => overviewOf(project), [project], { live: true, calm });
  // What the server tells may be older than the last change, which was told of before anybody looked here.
  useAgain(seen, { least: calm });
  return seen;
}

function overviewOf(project: string): Promise<Overview> {
  const known = asked.get(project), now = performance.now();
  if (known && now - known.at < FRESH_MS) return known.answer;
  const answer = get<Overview>("/api/overview", { project });
  asked.set(project, { at: now, answer });
  answer.catch(() => asked.delete(project));
  return answer;
}

// Two texts made from one: what each changed, where that does not touch the same words.
import { difference } from "../diff";

interface Hunk {
  from: number;
  to: number;
  said: string;
}

function hunks(base: string, text: string): Hunk[] {
  const found: Hunk[] = [];
  let at = 0;
  for (const one of difference(base, text)) {
    const last = found.at(-1);
    const open = last?.to === at ? last : undefined;
    if (one.kind === "same") { at += one.text.length; continue; }
    const hunk = open ?? { from: at, to: at, said: "" };
    if (!open) found.push(hunk);
    if (one.kind === "new") hunk.said += one.text;
    else hunk.to = at += one.text.length;
  }
  return found;
}

/** Both changes in one text, or null where they meet. */
export function merged(base: string, mine: string, theirs: string): string | null {
  if (mine === theirs || theirs === base) return mine;
  if (mine === base) return theirs;
  const all = [...hunks(base, mine), ...hunks(base, theirs)].sort((a, b) => a.from - b.from || a.to - b.to);
  let made = "", at = 0;
  for (const [index, one] of all.entries()) {
    const before = all[index - 1];
    if (before && one.from <= before.to) return null;
    made += base.slice(at, one.from) + one.said;
    at = one.to;
  }
  return made + base.slice(at);
}

// Parts of a text that stand out: the words that a search was about, what looks odd. Where they stand is
// what the server says, which knows stems and parts of names; the text stays text.
import { Plain } from "./plain";

export type Spans = [number, number][];
const LEAD = 60;

/** Spans come first to last; what two have in common is marked once. */
export function Marked({ text, spans = [] }: { text: string; spans?: Spans | undefined }) {
  let at = 0;
  return (
    <>
      {spans.map(([begin, end]) => {
        const from = Math.max(begin, at), before = text.slice(at, from);
        if (end <= from) return null;
        at = end;
        return [<Plain text={before} />, <mark key={from}><Plain text={text.slice(from, end)} /></mark>];
      })}
      <Plain text={text.slice(at)} />
    </>
  );
}

/** The whole text or, where it is long, the part of it in which most of the words stand. */
export function Passage({ text, spans = [], most = 420 }: { text: string; spans?: Spans | undefined; most?: number }) {
  if (text.length <= most) return <Marked text={text} spans={spans} />;
  const [from, to] = windowOf(text, spans, most);
  const inside = spans.filter(([begin, end]) => begin >= from && end <= to)
    .map(([begin, end]): [number, number] => [begin - from, end - from]);
  return (
    <>
      {from > 0 && "… "}
      <Marked text={text.slice(from, to)} spans={inside} />
      {to < text.length && " …"}
    </>
  );
}

function windowOf(text: string, spans: Spans, most: number): [number, number] {
  let best = 0, held = 0;
  spans.forEach(([begin], index) => {
    const here = spans.filter(([one, end], other) => other >= index && one >= begin && end <= begin + most - LEAD).length;
    if (here > held) { held = here; best = begin; }
  });
  const from = wordFrom(text, Math.max(0, best - LEAD), best);
  const to = Math.min(text.length, from + most);
  return [from, to < text.length ? wordBefore(text, to, to - LEAD) : to];
}

/** Where a word begins, so that none is cut in two; or as near as can be in scripts without blanks. */
function wordFrom(text: string, at: number, latest: number): number {
  if (!at) return 0;
  const blank = text.slice(at, latest).search(/\s/);
  return blank < 0 ? whole(text, at) : at + blank + 1;
}

function wordBefore(text: string, at: number, earliest: number): number {
  const blank = text.slice(earliest, at).search(/\s\S*$/);
  return blank < 0 ? whole(text, at) : earliest + blank;
}

/** Not in the middle of a character that takes two places. */
function whole(text: string, at: number): number {
  return /[\udc00-\udfff]/.test(text[at] ?? "") ? at - 1 : at;
}

// What changed between two texts, word by word; rendered as text like everything else.
interface Piece {
  text: string;
  kind: "same" | "gone" | "new";
}

const MOST = 1_200;
// Words, the blanks between them, and each character of scripts that put none between words.
const WORDS = /(\s+|[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff])/u;

/** What two texts have in common and what not, as it is; joined up it is the one or the other. */
export function difference(before: string, after: string): Piece[] {
  const found: Piece[] = [];
  const add = (text: string, kind: Piece["kind"]) => {
    const last = found.at(-1);
    if (last?.kind === kind) last.text += text;
    else if (text) found.push({ text, kind });
  };
  const cut = (text: string) => text.split(WORDS).filter(Boolean);
  let old = cut(before), now = cut(after), head = 0, tail = 0;
  // What is alike at both ends needs no table.
  while (head < Math.min(old.length, now.length) && old[head] === now[head]) add(old[head++]!, "same");
  while (tail < Math.min(old.length, now.length) - head && old.at(-1 - tail) === now.at(-1 - tail)) tail++;
  const end = old.slice(old.length - tail).join("");
  old = old.slice(head, old.length - tail);
  now = now.slice(head, now.length - tail);
  if (old.length > MOST || now.length > MOST) {
    add(old.join(""), "gone");
    old = [];
  }
  const longest = lengths(old, now), width = now.length + 1;
  let i = 0, j = 0;
  while (i < old.length && j < now.length) {
    if (old[i] === now[j]) { add(now[j]!, "same"); i++; j++; }
    else if (longest[(i + 1) * width + j]! >= longest[i * width + j + 1]!) add(old[i++]!, "gone");
    else add(now[j++]!, "new");
  }
  while (i < old.length) add(old[i++]!, "gone");
  while (j < now.length) add(now[j++]!, "new");
  add(end, "same");
  return found;
}

const pieces = (before: string, after: string): Piece[] => joined(difference(before, after));

/** Changes with nothing but blanks between them read as one: first what went, then what came. */
function joined(all: Piece[]): Piece[] {
  const found: Piece[] = [];
  let gone = "", fresh = "";
  const close = () => {
    if (gone) found.push({ text: gone, kind: "gone" });
    if (gone && fresh && !/\s$/.test(gone)) found.push({ text: " ", kind: "same" });
    if (fresh) found.push({ text: fresh, kind: "new" });
    gone = fresh = "";
  };
  all.forEach((one, index) => {
    const isBetween = one.kind === "same" && !one.text.trim() && (gone || fresh) && index < all.length - 1;
    if (one.kind === "gone" || isBetween) gone += one.text;
    if (one.kind === "new" || isBetween) fresh += one.text;
    if (one.kind === "same" && !isBetween) { close(); found.push(one); }
  });
  close();
  return found;
}

function lengths(old: string[], now: string[]): Uint16Array {
  const width = now.length + 1;
  const table = new Uint16Array((old.length + 1) * width);
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = now.length - 1; j >= 0; j--) {
      table[i * width + j] = old[i] === now[j]
        ? table[(i + 1) * width + j + 1]! + 1
        : Math.max(table[(i + 1) * width + j]!, table[i * width + j + 1]!);
    }
  }
  return table;
}

export function Diff({ before, after }: { before: string; after: string }) {
  return (
    <p class="diff" dir="auto">
      {pieces(before, after).map((one, index) =>
        one.kind === "gone" ? <del key={index}>{one.text}</del>
        : one.kind === "new" ? <ins key={index}>{one.text}</ins>
        : <span key={index}>{one.text}</span>)}
    </p>
  );
}

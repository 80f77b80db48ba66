// What one memory has to do with others: drawn around it, listed beside it, walked by click or key.
import { useEffect, useRef } from "preact/hooks";
import type { Neighbour, Neighbourhood, Rec } from "../../api/types";
import { go, route, to } from "../../state/router";
import { LayerMark, cut, plural } from "../basics";
import { lookup } from "../lookup";
import { OPEN_STATES } from "../words";

const ROW = 34, TOP = 20;
/** How wide the drawing is, the room for names at its sides, and the letters that fit there. */
const SIZES = { phone: [350, 132, 18], desk: [500, 182, 25] } as const;
const narrow = matchMedia("(max-width: 860px)");
/** What each tie is called, and its side: what it grew from on the left, its company on the right. */
const HOWS = lookup<[words: string, side: "left" | "right", line: string]>({
  supersedes: ["replaces", "left", "solid"], superseded_by: ["replaced by", "left", "solid"], rival: ["competes with", "left", "double"],
  cites: ["cites", "left", "arrow"], cited_by: ["cited by", "left", "arrow"], same_key: ["has the same key", "right", "dash"],
  same_task: ["of the same task", "right", "dash"], recalled_with: ["recalled together", "right", "dots"], shares: ["names the same", "right", "thin"],
});
/** Where the last step in a drawing led: there is where the eyes and keys are. */
let walkedTo: string | null = null;

export function Neighbours({ record, near }: { record: Rec; near: Neighbourhood }) {
  const box = useRef<SVGSVGElement>(null);
  useEffect(() => {
    if (walkedTo !== record.id) return;
    walkedTo = null;
    box.current?.querySelector<SVGElement>(".center")?.focus();
    box.current?.scrollIntoView({ block: "nearest" });
  }, [record.id]);
  const all = near.neighbours;
  if (!all.length) {
    return <section class="neighbours" aria-label="Neighbourhood"><h3>Neighbourhood</h3>
      <p class="faint small">Nothing in sight replaces it, cites it, shares its key, task or names, or was recalled with it yet.</p></section>;
  }
  const walk = (one: Neighbour) => { walkedTo = one.record.id; go(["record", one.record.id], Object.fromEntries(route.peek().asked)); };
  const [wide, side, letters] = SIZES[narrow.matches ? "phone" : "desk"];
  const { places, height } = placed(all, wide, side);
  const middle = height / 2;
  const step = (event: KeyboardEvent) => {
    const by = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
    if (!by || !box.current) return;
    const nodes = [...box.current.querySelectorAll<SVGElement>("[tabindex]")];
    event.preventDefault();
    const at = nodes.indexOf(document.activeElement as SVGElement);
    nodes[(at + by + nodes.length) % nodes.length]!.focus();
  };
  return (
    <section class="neighbours" aria-label="Neighbourhood">
      <h3>Neighbourhood <span class="faint">{plural(all.length, "memory", "memories")}{near.left_out > 0 && `, ${near.left_out} more`}</span></h3>
      <svg ref={box} viewBox={`0 0 ${wide} ${height}`} role="group" aria-label="Memories that have to do with this one" onKeyDown={step}>
        {places.map(({ one, x, y }) => (
          <path key={one.record.id} class={`tie ${HOWS[one.ties[0]!.how]?.[2] ?? "thin"}`} d={`M${wide / 2} ${middle}C${(wide / 2 + x) / 2} ${middle} ${(wide / 2 + x) / 2} ${y} ${x} ${y}`} />
        ))}
        <circle cx={wide / 2} cy={middle} r={10} class="center" data-layer={record.layer} tabindex={0} role="img" aria-label={`This memory: ${name(record)}`} />
        {places.map(({ one, x, y, left }) => (
          <g key={one.record.id} class={OPEN_STATES.includes(one.record.state) ? "" : "past"} onClick={() => walk(one)}>
            <circle cx={x} cy={y} r={7} data-layer={one.record.layer} role="link" tabindex={0} aria-label={said(one)}
              onKeyDown={(event) => { if (event.key === "Enter") walk(one); }} />
            <text x={x + (left ? -13 : 13)} y={y + 4} text-anchor={left ? "end" : "start"} aria-hidden="true">{name(one.record, letters)}</text>
          </g>
        ))}
      </svg>
      <ul class="legend small" aria-label="Legend">
        {Object.entries(HOWS).filter(([how]) => all.some((one) => one.ties[0]!.how === how)).map(([how, [words, , line]]) => (
          <li key={how}><svg width="26" height="8" aria-hidden="true"><path class={`tie ${line}`} d="M0 4H26" /></svg>{words}</li>
        ))}
      </ul>
      <ul class="near-list" aria-label="The same as a list">
        {all.map((one) => (
          <li key={one.record.id}>
            <a href={to(["record", one.record.id], Object.fromEntries(route.value.asked))}><LayerMark layer={one.record.layer} /> <span>{name(one.record, 90)}</span></a>
            <span class="faint small">{one.ties.map((tie) => `${HOWS[tie.how]?.[0] ?? tie.how}${tie.why ? `: ${tie.why}` : ""}`).join(" · ")}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Every neighbour in a row of its own on one of two sides, in the order of the answer: nothing overlaps, and nothing jumps. */
function placed(all: Neighbour[], wide: number, room: number) {
  const sides: Record<"left" | "right", Neighbour[]> = { left: [], right: [] };
  for (const one of all) sides[HOWS[one.ties[0]!.how]?.[1] ?? "right"].push(one);
  // One side alone would be half a drawing.
  for (const [from, other] of [["left", "right"], ["right", "left"]] as const) {
    if (!sides[other].length) sides[other] = sides[from].splice(Math.ceil(sides[from].length / 2));
  }
  const height = 2 * TOP + ROW * Math.max(2, sides.left.length, sides.right.length);
  const places = (["left", "right"] as const).flatMap((side) => sides[side].map((one, index) => ({
    one, left: side === "left", x: side === "left" ? room : wide - room,
    y: height / 2 + (index - (sides[side].length - 1) / 2) * ROW,
  })));
  return { places, height };
}

function said(one: Neighbour): string {
  return `${HOWS[one.ties[0]!.how]?.[0] ?? one.ties[0]!.how}: ${name(one.record, 80)}`;
}

function name(record: Rec, most = 40): string {
  const text = record.key ? `${record.key}: ${record.text}` : record.text || record.kind;
  return cut(text, most);
}

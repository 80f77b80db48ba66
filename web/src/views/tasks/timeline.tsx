// Attempts in time, a row for each task or agent. What is seen stands in the address; only that is drawn.
import { useSignal } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { Episode } from "../../api/types";
import { lasted } from "./episodes";
import { amend, route } from "../../state/router";
import { Ago, count, cut, exactly, plural } from "../../parts/basics";
import { Legend, Mark, MarkAt } from "./marks";
import { useMoving, type Change } from "./moving";
import { useSize } from "../../parts/sized";
import { barsOf, changed, drawn, ticks, whole, type Bar, type Drawn, type Stretch } from "./scale";

const ROW = 32, AXIS = 24, SPARE = 1, ROOM = 420;
const ACTIONS = ["completed", "failed", "attempted", "retried"] as const;

type Zoom = (how: Change) => void;

export function Timeline({ episodes, chosen, onOpen, onRow }: {
  episodes: Episode[]; chosen: string | undefined; onOpen: (one: Episode) => void; onRow: (row: string) => void;
}) {
  const byAgent = route.value.asked.get("rows") === "agent";
  const bars = useMemo(() => barsOf(episodes, (one) => (byAgent ? one.agent_id : one.task_id) ?? "no task"), [episodes, byAgent]);
  const rows = useMemo(() => {
    const names = [...new Set(bars.map((bar) => bar.row))];
    return byAgent ? names.sort() : names;
  }, [bars]);
  const all = useMemo(() => whole(bars, Date.now()), [bars]);
  const box = useRef<HTMLDivElement>(null), width = Math.max(240, useSize(box, "width", 800).value);
  const top = useSignal(0), looked = useSignal<Drawn | null>(null), seen = useSeen(all);
  const lanes = useRef<HTMLDivElement>(null), at = chosen ? rows.indexOf(chosen) : -1;
  useEffect(() => { if (at >= 0) lanes.current?.scrollTo({ top: ROW * at - ROOM / 2 }); }, [at]);

  const names = width < 560 ? 84 : 132, plot = width - names, { from, to } = seen.value;
  const x = (at: number) => (plot * (at - from)) / (to - from);
  const first = Math.max(0, Math.floor(top.value / ROW) - SPARE), end = Math.ceil((top.value + ROOM) / ROW) + SPARE;
  const visible = new Map(rows.slice(first, end).map((name, index) => [name, first + index]));
  const things = drawn(bars, visible, x, plot);
  const zoom: Zoom = (how) => { seen.value = changed(seen.value, all, how); };
  const showAll = () => { seen.value = all; };
  const open = (thing: Drawn) => {
    if (thing.bars.length === 1) return onOpen(thing.bars[0]!.one);
    const [begin, last] = [thing.bars[0]!.begin, thing.bars.at(-1)!.end], pad = Math.max((last - begin) * 0.2, 1_000);
    seen.value = changed({ from: begin - pad, to: last + pad }, all, {});
  };
  const moving = useMoving(box, names, zoom);
  const { entered, enter, pressed } = useWalking(box, things, zoom, showAll);
  const now = x(Date.now()), height = ROW * rows.length, axis = ticks(seen.value, plot);
  return (
    <div class="timeline" ref={box} tabIndex={-1} onKeyDown={pressed}>
      <Tools byAgent={byAgent} zoom={zoom} onAll={showAll} />
      <svg class="axis" width={width} height={AXIS} aria-hidden="true">
        <svg x={names} width={plot} height={AXIS}>
          {axis.filter(({ at }) => Math.abs(x(at) - now) > 34).map(({ at, text }) => <text key={at} x={x(at) + 4} y={15}>{text}</text>)}
          {now >= 0 && now <= plot && <text class="now" x={Math.min(now + 4, plot - 26)} y={15}>now</text>}
        </svg>
      </svg>
      <div class="lanes" ref={lanes} style={{ maxHeight: `${ROOM}px` }} onScroll={(event) => { top.value = event.currentTarget.scrollTop; }}>
        <svg width={width} height={height} role="group" aria-label="Attempts in time" {...moving}>
          {[...visible].map(([name, index]) => <Lane key={name} name={name} index={index} names={names} plot={plot} isChosen={name === chosen} onRow={onRow} />)}
          <svg x={names} width={plot} height={height}>
            {axis.map(({ at }) => <line key={at} class="tick" x1={x(at)} x2={x(at)} y1={0} y2={height} />)}
            {now >= 0 && now <= plot && <line class="now" x1={now} x2={now} y1={0} y2={height} />}
            {things.map((thing) => (
              <Thing key={thing.id} thing={thing} isEntered={thing.id === entered} onOpen={() => open(thing)}
                onLook={() => { looked.value = thing; }} onFocus={() => { enter(thing); looked.value = thing; }} />
            ))}
          </svg>
        </svg>
      </div>
      <Details thing={looked.value} />
      <Legend of={ACTIONS} />
    </div>
  );
}

function Lane({ name, index, names, plot, isChosen, onRow }: {
  name: string; index: number; names: number; plot: number; isChosen: boolean; onRow: (row: string) => void;
}) {
  return (
    <g class={isChosen ? "row on" : "row"}>
      <rect x={names} y={ROW * index + 2} width={plot} height={ROW - 4} rx={6} class="lane" />
      <text x={0} y={ROW * index + 20} onClick={() => onRow(name)}>{cut(name, names / 8.2)}<title>{name}</title></text>
    </g>
  );
}

/** Keys: from one attempt to the next, and zooming; one of them is where Tab comes in. */
function useWalking(box: RefObject<HTMLElement | null>, things: Drawn[], zoom: Zoom, showAll: () => void) {
  const focused = useSignal("");
  const go = (thing: Drawn | undefined) => {
    if (!thing) return;
    focused.value = thing.id;
    requestAnimationFrame(() => box.current?.querySelector<SVGElement>("[tabindex='0'].attempt")?.focus());
  };
  const pressed = (event: KeyboardEvent) => {
    const at = things.find((one) => one.id === focused.value), beside = things.filter((one) => one.row === at?.row);
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    const down = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (event.key === "+" || event.key === "=") zoom({ by: 1 / 1.5 });
    else if (event.key === "-") zoom({ by: 1.5 });
    else if (event.key === "0") showAll();
    else if (step && (event.shiftKey || !at)) zoom({ move: step * 0.25 });
    else if (step) go(beside[beside.indexOf(at!) + step]);
    else if (down) go(nearest(things, at, down));
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const entered = things.some((one) => one.id === focused.value) ? focused.value : things[0]?.id;
  return { entered, enter: (thing: Drawn) => { focused.value = thing.id; }, pressed };
}

/** The stretch that is seen: told to the address once it rests, and taken from there. */
function useSeen(all: Stretch) {
  const { asked } = route.value;
  const from = Date.parse(asked.get("from") ?? ""), to = Date.parse(asked.get("to") ?? "");
  const told = from < to ? `${from}-${to}` : "";
  const own = useSignal<Stretch | null>(null);
  useEffect(() => { own.value = told ? { from, to } : null; }, [told]);
  const rest = useRef<number | undefined>(undefined);
  useEffect(() => () => clearTimeout(rest.current), []);
  const latest = useRef(all);
  latest.current = all;
  return {
    get value() { return own.value ?? latest.current; },
    set value(next: Stretch) {
      const isAll = next === latest.current;
      own.value = isAll ? null : next;
      clearTimeout(rest.current);
      rest.current = setTimeout(() => amend({ from: isAll ? "" : iso(next.from), to: isAll ? "" : iso(next.to) }), 250);
    },
  };
}

const iso = (at: number) => `${new Date(at).toISOString().slice(0, 19)}Z`;

function Tools({ byAgent, zoom, onAll }: { byAgent: boolean; zoom: Zoom; onAll: () => void }) {
  return (
    <div class="tools-row">
      <span class="switch" role="group" aria-label="A row for each">
        <button type="button" aria-pressed={!byAgent} onClick={() => amend({ rows: "" })}>By task</button>
        <button type="button" aria-pressed={byAgent} onClick={() => amend({ rows: "agent" })}>By agent</button>
      </span>
      <span class="grow faint small hint">Drag to move; wheel or pinch to zoom; arrows, + and − on the keyboard</span>
      <button type="button" aria-label="Earlier" onClick={() => zoom({ move: -0.4 })}>←</button>
      <button type="button" aria-label="Later" onClick={() => zoom({ move: 0.4 })}>→</button>
      <button type="button" aria-label="Zoom out" onClick={() => zoom({ by: 1.6 })}>−</button>
      <button type="button" aria-label="Zoom in" onClick={() => zoom({ by: 1 / 1.6 })}>+</button>
      <button type="button" onClick={onAll}>Show all</button>
    </div>
  );
}

function Thing({ thing, isEntered, onOpen, onLook, onFocus }: {
  thing: Drawn; isEntered: boolean; onOpen: () => void; onLook: () => void; onFocus: () => void;
}) {
  const y = ROW * thing.row + ROW / 2, [bar] = thing.bars, one = bar!.one, many = thing.bars.length;
  const link = {
    class: `attempt a-${one.action}`, role: "link", tabindex: isEntered ? 0 : -1, "aria-label": told(thing), onFocus, onMouseEnter: onLook,
    onClick: onOpen, onKeyDown: (event: KeyboardEvent) => { if (event.key === "Enter") onOpen(); },
  } as const;
  if (many === 1) {
    return (
      <g {...link}>
        {one.duration_ms !== null && <rect class="span" x={thing.x} width={Math.max(2, thing.last - thing.x)} y={y - 5} height={10} rx={3} />}
        <MarkAt of={one.action} x={thing.last} y={y} />
      </g>
    );
  }
  const wide = Math.max(26, thing.last - thing.first + 4), left = (thing.first + thing.last - wide) / 2;
  let at = left + 3;
  return (
    <g {...link} class="attempt cluster">
      <rect x={left} width={wide} y={y - 11} height={22} rx={7} class="pill" />
      <text x={left + wide / 2} y={y + 2.5} text-anchor="middle">{count(many)}</text>
      {ACTIONS.map((action) => {
        const part = ((wide - 6) * thing.bars.filter((other) => other.one.action === action).length) / many;
        at += part;
        return part > 0 && <rect key={action} class={`part m-${action}`} x={at - part} width={part} y={y + 5.5} height={3} />;
      })}
    </g>
  );
}

function told({ bars }: Drawn): string {
  const [{ one }] = bars as [Bar];
  if (bars.length === 1) return `${one.task_id ?? "no task"}: ${one.approach ?? ""}, ${one.action} by ${one.agent_id}${one.duration_ms === null ? "" : `, ${lasted(one.duration_ms)}`}`;
  return `${plural(bars.length, "attempt")} on ${bars[0]!.row}: ${tally(bars)}; zoom in`;
}

function tally(bars: Bar[]): string {
  return ACTIONS.map((action) => [bars.filter((bar) => bar.one.action === action).length, action] as const)
    .filter(([number]) => number).map(([number, action]) => `${number} ${action}`).join(", ");
}

/** What is pointed at or focused, in words; its place is kept, so that nothing jumps. */
function Details({ thing }: { thing: Drawn | null }) {
  const bar = thing?.bars[0];
  if (!thing || !bar) return <p class="looked faint small">Point at an attempt to see what was tried; click to open it.</p>;
  if (thing.bars.length > 1) return <p class="looked small"><b>{plural(thing.bars.length, "attempt")}</b> on {bar.row}: {tally(thing.bars)}. Click to zoom in.</p>;
  const { one } = bar;
  return (
    <p class="looked small" dir="auto">
      <Mark of={one.action} /> <b>{one.task_id}</b> {one.approach} <span class="muted">{one.outcome}</span>{" "}
      <span class="faint">{one.agent_id} · {exactly(bar.end)} · <Ago at={one.created_at} />
        {one.duration_ms !== null && ` · took ${lasted(one.duration_ms)}`}
        {one.tokens_in !== null && ` · ${count(one.tokens_in)} tokens in, ${count(one.tokens_out ?? 0)} out`}</span>
    </p>
  );
}

function nearest(things: Drawn[], at: Drawn | undefined, down: number): Drawn | undefined {
  if (!at) return things[0];
  const rows = [...new Set(things.map((one) => one.row))].filter((row) => (row - at.row) * down > 0).sort((a, b) => (a - b) * down);
  const there = things.filter((one) => one.row === rows[0]);
  return there.sort((a, b) => Math.abs(a.last - at.last) - Math.abs(b.last - at.last))[0];
}

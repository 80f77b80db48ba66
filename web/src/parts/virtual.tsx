// A table of any length of which only what can be seen is there.
import { useSignal } from "@preact/signals";
import type { ComponentChildren, RefObject, VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { MOVES } from "../state/keys";
import { useSize } from "./sized";

const ROW = 45, SPARE = 8, TWICE_MS = 500;

export interface Column<T> {
  name: string;
  width: string;
  cell: (row: T) => ComponentChildren;
  class?: string;
  /** The field that a click on its head orders by. */
  field?: string;
  head?: () => ComponentChildren;
}

interface Rows<T> {
  label: string;
  columns: Column<T>[];
  rows: T[];
  total: number;
  height?: number;
  id: (row: T) => string;
  chosen?: string | undefined;
  onChoose: (row: T) => void;
  /** A key on the chosen row, or a double click, which counts as Enter; true when it meant something. */
  onKey?: (key: string, row: T) => boolean;
  /** The field in force, with a `-` before it where the least comes first. */
  order?: string | null;
  onOrder?: (order: string) => void;
  /** Called when rows are wanted that have not come yet. */
  onMore: () => void;
}

interface Drawn<T> {
  index: number;
  is: boolean;
  columns: Column<T>[];
  node: VNode;
}

export function VirtualTable<T extends object>(asked: Rows<T>) {
  const { label, columns, rows, total, height = ROW, id, chosen, onChoose, onMore } = asked;
  const box = useRef<HTMLDivElement>(null);
  // Rows that are drawn stay as they are; what they call is always the latest.
  const latest = useRef(asked);
  latest.current = asked;
  const drawn = useDrawn(latest);
  const top = useSignal(0), room = useSize(box, "height", 600);
  const first = Math.max(0, Math.floor(top.value / height) - SPARE);
  const end = Math.min(total, Math.ceil((top.value + room.value) / height) + SPARE);
  useEffect(() => { if (end > rows.length && rows.length < total) onMore(); }, [end, rows.length, total]);

  const move = (event: KeyboardEvent) => {
    if (event.target !== box.current || event.ctrlKey || event.metaKey || event.altKey) return;
    const at = rows.findIndex((row) => id(row) === chosen);
    const step = { ...MOVES, Home: -total, End: total }[event.key];
    const here = rows[at];
    if (here && asked.onKey?.(event.key, here)) return event.preventDefault();
    if (step === undefined || !rows.length) return;
    event.preventDefault();
    const next = Math.max(0, Math.min(rows.length - 1, at + step));
    onChoose(rows[next]!);
    const place = next * height, view = box.current!;
    if (place < view.scrollTop) view.scrollTop = place;
    else if (place + height > view.scrollTop + room.value - height) view.scrollTop = place - room.value + 2 * height;
  };

  return (
    <div class="vtable" role="table" aria-label={label} aria-rowcount={total + 1}>
      <div class="vhead" role="row" style={gridOf(columns)}>
        {columns.map((one) => <Heading key={one.name} column={one} order={asked.order} onOrder={asked.onOrder} />)}
      </div>
      <div class="vbody" role="rowgroup" ref={box} tabIndex={0} onKeyDown={move} aria-label={`${label}, rows`}
        onScroll={(event) => { top.value = event.currentTarget.scrollTop; }}>
        <div class="vspace" style={{ height: `${total * height}px` }}>
          {Array.from({ length: Math.max(0, end - first) }, (_, offset) => drawn(first + offset))}
        </div>
      </div>
    </div>
  );
}

const gridOf = (columns: Column<never>[]) => ({ gridTemplateColumns: columns.map((one) => one.width).join(" ") });

/** Draws a row, or the place of one that has not come yet. */
function useDrawn<T extends object>(latest: RefObject<Rows<T>>): (index: number) => VNode {
  const known = useRef(new WeakMap<T, Drawn<T>>());
  const clicked = useTwice((row: T) => latest.current!.onKey?.("Enter", row) ?? false);
  return (index) => {
    const { columns, rows, height = ROW, id, chosen } = latest.current!, row = rows[index];
    const place = { ...gridOf(columns), transform: `translateY(${index * height}px)`, height: `${height}px` };
    if (!row) return <div key={index} class="vrow ghosted" role="row" style={place}><i /></div>;
    const is = id(row) === chosen, before = known.current.get(row);
    // The very same node again is not looked at again, which is what keeps scrolling smooth.
    if (before?.index === index && before.is === is && before.columns === columns) return before.node;
    const node = (
      <div key={id(row)} class={is ? "vrow chosen" : "vrow"} role="row" aria-rowindex={index + 2}
        aria-selected={is} style={place} onClick={(event) => { clicked(row, event); latest.current!.onChoose(row); }}>
        {columns.map((one) => <span key={one.name} role="cell" class={one.class ?? ""}>{one.cell(row)}</span>)}
      </div>
    );
    known.current.set(row, { index, is, columns, node });
    return node;
  };
}

/** A second click in the same place means the row of the first, which may have made room for something else there. */
function useTwice<T>(onTwice: (row: T) => boolean): (row: T, event: MouseEvent) => void {
  const clicked = useRef<{ row: T; event: MouseEvent } | null>(null);
  useEffect(() => {
    const again = (event: MouseEvent) => {
      const first = clicked.current;
      clicked.current = null;
      if (!first || event.timeStamp - first.event.timeStamp > TWICE_MS) return;
      if (Math.hypot(event.clientX - first.event.clientX, event.clientY - first.event.clientY) > 6) return;
      if (onTwice(first.row)) event.stopPropagation();
    };
    addEventListener("click", again, true);
    return () => removeEventListener("click", again, true);
  }, []);
  return (row, event) => { clicked.current = { row, event }; };
}

function Heading<T>({ column, order, onOrder }: { column: Column<T>; order: string | null | undefined; onOrder: ((order: string) => void) | undefined }) {
  const { name, field, head } = column;
  const down = order === field, up = order === `-${field}`;
  if (!field || !onOrder) return <span role="columnheader" class={column.class ?? ""}>{head ? head() : name}</span>;
  return (
    <span role="columnheader" class={column.class ?? ""} aria-sort={down ? "descending" : up ? "ascending" : "none"}>
      <button type="button" class="link" onClick={() => onOrder(down ? `-${field}` : up ? "" : field)}>{name}{down ? " ↓" : up ? " ↑" : ""}</button>
    </span>
  );
}

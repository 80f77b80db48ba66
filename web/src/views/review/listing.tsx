// A queue of cards, each with the same few things to do about it, for one or for many at once.
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import type { Rec } from "../../api/types";
import { Marks, Trouble, Waiting } from "../../parts/basics";
import type { Loaded } from "../../state/loading";
import { Bulk, Choose, Fresh, Working, rowOf } from "./list";
import { undoLast, useChoosing } from "./queue";
import { useSteady } from "./steady";

/** Something that can be done about cards, by a button and by a key. */
export interface Deed {
  label: string;
  key?: "accept" | "reject" | "edit";
  class?: string;
  /** Whether it is done to one card only. */
  single?: boolean;
  run: (ids: string[]) => unknown;
}

interface Face {
  /** What tells a card from others, for who chooses without seeing it. */
  name: string;
  record: Rec | undefined;
  chips?: ComponentChildren;
  body: ComponentChildren;
}

const PAGE = 50;

export function Listing<T>({ found, items, idOf, deeds, face, intro, empty }: {
  found: Loaded<unknown>; items: T[]; idOf: (item: T) => string; deeds: Deed[];
  face: (item: T, gone: boolean) => Face; intro?: ComponentChildren; empty: ComponentChildren;
}) {
  const shown = useSignal(PAGE);
  const steady = useSteady(items.slice(0, shown.value), idOf);
  const ids = steady.rows.filter((row) => !row.gone).map((row) => row.id);
  const choosing = useChoosing(ids, (move, id) => {
    if (move === "undo") return undoLast();
    const deed = deeds.find((one) => one.key === move), many = [...choosing.chosen.peek()];
    const meant = many.length && !deed?.single ? many : id ? [id] : [];
    if (deed && meant.length) deed.run(meant);
  }, items.map(idOf));
  if (!found.value.value) {
    return found.problem.value ? <Trouble problem={found.problem.value} again={found.again} /> : <><Working busy has={false} /><Waiting /></>;
  }
  const chosen = [...choosing.chosen.value];
  const buttons = (of: string[], all: Deed[]) => all.map((deed) => (
    <button key={deed.label} type="button" class={of === chosen ? "" : deed.class ?? ""} disabled={!of.length} onClick={() => deed.run(of)}>{deed.label}</button>
  ));
  return (
    <>
      {intro && <p class="muted plan-why">{intro}</p>}
      {!steady.rows.length ? empty : (
        <>
          <Bulk ids={ids} choosing={choosing} total={items.length}>
            {items.length > ids.length && chosen.length === ids.length && (
              <button type="button" class="link" onClick={() => choosing.set(items.map(idOf))}>Choose all {items.length}</button>
            )}
            {buttons(chosen, deeds.filter((deed) => !deed.single))}
          </Bulk>
          <Working busy={found.busy.value} has />
          <Fresh count={steady.waiting} onShow={steady.release} />
          <ul class="queue" {...steady.hold}>
            {steady.rows.map(({ id, item, gone }) => {
              const { name, record, chips, body } = face(item, gone);
              return (
                <li key={id} class={gone ? "card case gone" : "card case"} {...rowOf(id, choosing, gone)}>
                  <div class="case-head">
                    <Choose id={id} name={name} choosing={choosing} />
                    {chips}{record && <Marks record={record} />}{record?.key && <b class="key">{record.key}</b>}
                    <span class="grow" />{gone ? <span class="chip">decided</span> : <span class="faint small">{record?.scope}</span>}
                  </div>
                  {body}
                  {deeds.length > 0 && <div class="actions">{buttons([id], deeds)}</div>}
                </li>
              );
            })}
          </ul>
          {items.length > shown.value && <button type="button" onClick={() => { shown.value += 2 * PAGE; }}>Show more of {items.length}</button>}
        </>
      )}
    </>
  );
}

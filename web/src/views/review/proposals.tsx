// What was said and does not count yet: beside what stands, with the reason and the evidence.
import { signal, useSignal, type Signal } from "@preact/signals";
import { address, get } from "../../api/client";
import type { Queue, Settled, Waits } from "../../api/types";
import { Empty, Trouble, Waiting, plural } from "../../parts/basics";
import { project } from "../../state/prefs";
import { say } from "../../state/saying";
import { onSomebodyElse } from "../../state/session";
import { Bulk, Fresh, Working } from "./list";
import { useKept } from "./kept";
import { maySettle } from "../../state/may";
import { Proposed } from "./proposed";
import { act, undoLast, useChoosing, type Choosing } from "./queue";
import { useSteady } from "./steady";

const PAGE = 100;
const LAYERS = ["knowledge", "fact"] as const;
export const proposalsName = (named: string) => `proposals ${named}`;

/** What somebody has in hand: words put better, and what could not be decided. */
export interface Hand {
  drafts: Signal<ReadonlyMap<string, string>>;
  left: Signal<ReadonlyMap<string, string>>;
  editing: Signal<string | null>;
  decide: (accept: string[], reject: string[]) => Promise<void>;
}

export function Proposals() {
  const named = project.value, limit = useSignal(PAGE);
  const found = useKept(proposalsName(named), LAYERS, () => get<Queue>("/api/review/waiting", { project: named, limit: limit.peek() }));
  const waiting = found.value.value?.waiting ?? [];
  const steady = useSteady(waiting, (one) => one.record.id);
  const groups = competing(steady.rows);
  const ids = groups.flatMap((group) => group.rows.filter((row) => !row.gone).map((row) => row.id));
  const hand = useHand(named, found.again);
  const choosing = useChoosing(ids, (move, id) => {
    if (move === "undo") return undoLast();
    if (!maySettle()) return;
    const meant = choosing.chosen.peek().size ? [...choosing.chosen.peek()] : id ? [id] : [];
    if (move === "accept" && meant.length) void hand.decide(meant, []);
    if (move === "reject" && meant.length) void hand.decide([], meant);
    if (move === "edit" && id) hand.editing.value = id;
  });
  if (!found.value.value) {
    return found.problem.value ? <Trouble problem={found.problem.value} again={found.again} /> : <Waiting />;
  }
  if (!steady.rows.length) {
    return <Empty title="Nothing waits for you">When agents disagree with what a person said, or a model proposes a fact, it stands here until you decide.</Empty>;
  }
  const { total } = found.value.value;
  return (
    <>
      <Decide ids={ids} choosing={choosing} hand={hand} total={total} />
      <Working busy={found.busy.value} has />
      <Fresh count={steady.waiting} onShow={steady.release} />
      <ul class="queue" {...steady.hold}>
        {groups.map((group) => <Proposed key={group.place} rows={group.rows} choosing={choosing} hand={hand} />)}
      </ul>
      {total > waiting.length && waiting.length < 1_000 && (
        <button type="button" onClick={() => { limit.value = Math.min(limit.value + 4 * PAGE, 1_000); found.again(); }}>
          Show more of {plural(total, "proposal")}
        </button>
      )}
    </>
  );
}

function Decide({ ids, choosing, hand, total }: { ids: string[]; choosing: Choosing; hand: Hand; total: number }) {
  const chosen = [...choosing.chosen.value], none = !chosen.length;
  const edited = chosen.filter((id) => hand.drafts.value.has(id)).length;
  return (
    <Bulk ids={ids} choosing={choosing} total={total}>
      {maySettle() ? (
        <>
          {edited > 0 && <span class="small muted">{edited} with your words</span>}
          <button type="button" disabled={none} onClick={() => hand.decide(chosen, [])}>Accept</button>
          <button type="button" disabled={none} onClick={() => hand.decide([], chosen)}>Reject</button>
        </>
      ) : <span class="small muted">Deciding takes the key of an admin or orchestrator.</span>}
    </Bulk>
  );
}

/** Kept for later, whatever is looked at meanwhile; not for who signs in next. */
const drafts = signal<ReadonlyMap<string, string>>(new Map());
onSomebodyElse(() => { drafts.value = new Map(); });

function useHand(named: string, again: () => void): Hand {
  const left = useSignal<ReadonlyMap<string, string>>(new Map());
  const editing = useSignal<string | null>(null);
  const decide = async (accept: string[], reject: string[]) => {
    const edited = Object.fromEntries(accept.flatMap((id) => (drafts.peek().has(id) ? [[id, drafts.peek().get(id)!]] : [])));
    const done = await act<Settled>((settled) => told(settled, accept), address("/api/review/settle", { project: named }), { accept, reject, edited });
    if (!done) return;
    drafts.value = new Map([...drafts.peek()].filter(([id]) => !done.done.includes(id)));
    left.value = new Map(done.left.map((one) => [one.id, one.why]));
    editing.value = null;
    if (done.left.length) say(`${plural(done.left.length, "proposal")} could not be decided.`, { remedy: done.left[0]!.why, bad: true });
    again();
  };
  return { drafts, left, editing, decide };
}

function told({ done }: Settled, accept: string[]): string {
  const accepted = done.filter((id) => accept.includes(id)).length, rejected = done.length - accepted;
  if (accepted && rejected) return `Accepted ${accepted}, rejected ${rejected}.`;
  return `${accepted ? "Accepted" : "Rejected"} ${plural(done.length, "proposal")}.`;
}

interface Group {
  place: string;
  rows: { id: string; item: Waits; gone: boolean }[];
}

/** Proposals for one place belong together, where the first of them stands. */
function competing(rows: Group["rows"]): Group[] {
  const found = new Map<string, Group>();
  for (const row of rows) {
    const { record, stands } = row.item;
    const place = record.key ? [record.scope, record.layer, record.layer === "knowledge" ? record.kind : "", record.key].join("\n") : stands?.id ?? record.id;
    const group = found.get(place) ?? { place, rows: [] };
    group.rows.push(row);
    found.set(place, group);
  }
  return [...found.values()];
}

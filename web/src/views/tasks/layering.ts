// Where tasks stand when they are drawn by what they wait for: in columns, each behind what it waits for.
import type { Rec } from "../../api/types";
import { shown } from "../../parts/basics";

export interface Node {
  task: Rec;
  key: string;
  /** What it waits for, as far as that is drawn. */
  waits: string[];
  column: number;
  row: number;
}

const FEW = 40, NEAR = 3;
const ENDED = ["done", "dropped"];

export function statusOf(task: Rec): string {
  return shown(task.data["status"] ?? "open");
}

export const isEnded = (task: Rec) => ENDED.includes(statusOf(task));

export function waitsOf(task: Rec): string[] {
  const listed = task.data["blocked_by"];
  return Array.isArray(listed) ? listed.map(shown) : [];
}

const keyOf = (task: Rec) => task.key ?? task.id;

export class Plan {
  readonly named: Map<string, Rec>;
  readonly after = new Map<string, string[]>();

  constructor(tasks: Rec[]) {
    this.named = new Map(tasks.map((one) => [keyOf(one), one]));
    for (const [key] of this.named) for (const other of this.waits(key)) this.after.set(other, [...(this.after.get(other) ?? []), key]);
  }

  waits(key: string): string[] {
    const task = this.named.get(key);
    return task ? waitsOf(task).filter((one) => this.named.has(one)) : [];
  }

  isOpen(key: string): boolean {
    const task = this.named.get(key);
    return !!task && !isEnded(task);
  }

  /** All that lies before or behind, by how many steps away it is. */
  reach(from: string, next: (key: string) => string[], most = Infinity): Set<string> {
    let edge = [from];
    const found = new Set(edge);
    for (let step = 0; step < most && edge.length; step++) {
      edge = [...new Set(edge.flatMap(next))].filter((key) => !found.has(key));
      for (const key of edge) found.add(key);
    }
    return found;
  }

  /** What has to be done before a task can be, itself included; without one, the longest way there is. */
  blocking(chosen: string | undefined): Set<string> {
    const open = (key: string) => this.waits(key).filter((one) => this.isOpen(one));
    if (chosen && this.named.has(chosen)) return this.isOpen(chosen) ? this.reach(chosen, open) : new Set();
    const ways = new Map<string, string[]>();
    const way = (key: string, above: string[] = []): string[] => {
      const known = ways.get(key);
      if (known) return known;
      const before = above.includes(key) ? [] : open(key).map((one) => way(one, [...above, key])).sort((a, b) => b.length - a.length)[0] ?? [];
      const found = [...before, key];
      ways.set(key, found);
      return found;
    };
    const all = [...this.named.keys()].filter((key) => this.isOpen(key)).map((key) => way(key));
    const longest = all.sort((a, b) => b.length - a.length)[0] ?? [];
    return new Set(longest.length > 1 ? longest : []);
  }

  /** What is worth drawing: of many, what has to do with the chosen one, or what is still to be done. */
  shown(chosen: string | undefined, withEnded: boolean): Set<string> {
    const tied = [...this.named.keys()].filter((key) => key === chosen || this.waits(key).length || this.after.get(key)?.length);
    const few = tied.length <= FEW;
    if (!few && chosen && this.named.has(chosen)) {
      const near = [...this.reach(chosen, (key) => this.waits(key), NEAR), ...this.reach(chosen, (key) => this.after.get(key) ?? [], NEAR)];
      return new Set(near.filter((key) => key === chosen || withEnded || this.isOpen(key)));
    }
    return new Set(tied.filter((key) => withEnded || few || this.isOpen(key)));
  }
}

export function laidOut(plan: Plan, keys: Set<string>): Node[] {
  const waits = (key: string) => plan.waits(key).filter((one) => keys.has(one));
  const columns = new Map<string, number>();
  const column = (key: string, above: string[] = []): number => {
    const known = columns.get(key);
    if (known !== undefined) return known;
    const found = above.includes(key) ? 0 : Math.max(0, ...waits(key).map((one) => column(one, [...above, key]) + 1));
    columns.set(key, found);
    return found;
  };
  const nodes = [...keys].sort((a, b) => a.localeCompare(b, "en", { numeric: true }))
    .map((key) => ({ task: plan.named.get(key)!, key, waits: waits(key), column: column(key), row: 0 }));
  const placed = new Map<string, number>();
  for (let at = 0; nodes.some((one) => one.column === at); at++) {
    // Beside what it waits for, so that lines cross seldom.
    const middle = (one: Node) => one.waits.length ? one.waits.reduce((sum, key) => sum + (placed.get(key) ?? 0), 0) / one.waits.length : Infinity;
    const here = nodes.filter((one) => one.column === at).map((one) => ({ one, at: middle(one) })).sort((a, b) => (a.at === b.at ? 0 : a.at - b.at));
    here.forEach(({ one }, row) => { one.row = row; placed.set(one.key, row); });
  }
  return nodes;
}

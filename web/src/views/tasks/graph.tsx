// Which task waits for which: drawn left to right; what holds the chosen one up stands out.
import { useEffect, useRef } from "preact/hooks";
import type { Rec } from "../../api/types";
import { amend, route } from "../../state/router";
import { Card, Empty, cut, plural } from "../../parts/basics";
import { Plan, isEnded, laidOut, statusOf, type Node } from "./layering";
import { Legend, MarkAt } from "./marks";

const WIDE = 164, HIGH = 46, ACROSS = 204, DOWN = 58, EDGE = 6;

export function TaskGraph({ tasks, chosen, onChoose }: { tasks: Rec[]; chosen: string | undefined; onChoose: (task: string) => void }) {
  const box = useRef<HTMLDivElement>(null);
  const plan = new Plan(tasks), withEnded = route.value.asked.get("ended") === "yes", isWide = route.value.asked.get("graph") === "wide";
  const keys = plan.shown(chosen, withEnded), blocking = plan.blocking(chosen);
  const nodes = laidOut(plan, keys), at = new Map(nodes.map((one) => [one.key, one]));
  const x = (column: number) => EDGE + column * ACROSS, y = (row: number) => EDGE + row * DOWN;
  const width = 2 * EDGE + WIDE + ACROSS * Math.max(0, ...nodes.map((one) => one.column));
  const height = 2 * EDGE + HIGH + DOWN * Math.max(0, ...nodes.map((one) => one.row));
  const middle = at.get(chosen ?? "");
  useEffect(() => {
    if (middle && box.current) box.current.scrollTo({ left: x(middle.column) - box.current.clientWidth / 2 + WIDE / 2, top: y(middle.row) - box.current.clientHeight / 2 });
  }, [middle?.key, middle?.column, middle?.row]);
  const hidden = tasks.length - nodes.length, ended = tasks.filter(isEnded).length;
  const way = [...blocking].filter((key) => key !== chosen);
  return (
    <Card title="What waits for what" aside={(
      <span class="graph-how small">
        {plan.named.size > nodes.length && ended > 0 || withEnded ? (
          <label class="check"><input type="checkbox" checked={withEnded} onChange={(event) => amend({ ended: event.currentTarget.checked ? "yes" : "" })} /> with what ended</label>
        ) : null}
        <label class="check"><input type="checkbox" checked={isWide} onChange={(event) => amend({ graph: event.currentTarget.checked ? "wide" : "" })} /> wide</label>
      </span>
    )}>
      {nodes.length ? (
        <div class="graph" ref={box} tabIndex={0} role="region" aria-label="Task graph">
          <svg width={width} height={height} role="group" aria-label="Tasks and what they wait for">
            {nodes.flatMap((one) => one.waits.map((other) => {
              const from = at.get(other)!, left = x(from.column) + WIDE, top = y(from.row) + HIGH / 2, right = x(one.column), end = y(one.row) + HIGH / 2;
              const holds = blocking.has(one.key) && blocking.has(other);
              return <path key={`${other}>${one.key}`} class={holds ? "holds" : ""} d={`M${left} ${top}C${left + 40} ${top} ${right - 40} ${end} ${right} ${end}`} />;
            }))}
            {nodes.map((one) => (
              <Task key={one.key} node={one} x={x(one.column)} y={y(one.row)} isChosen={one.key === chosen} holds={blocking.has(one.key)} onChoose={onChoose} />
            ))}
          </svg>
        </div>
      ) : <Empty title="No task waits for another" code='lamina tasks add t-2 "Ship it" --blocked-by t-1'>What a task waits for is said when it is added or changed.</Empty>}
      <p class="small muted graph-says">
        {chosen && middle ? before(chosen, middle.task, way) : way.length ? `The longest way still to go: ${some(way, 8, " → ")}.` : ""}
        {hidden > 0 && ` ${plural(hidden, "task is", "tasks are")} not drawn: ended, far from the chosen one, or tied to no other.`}
      </p>
      {nodes.length > 0 && <Legend of={["open", "active", "blocked", "done", "dropped"]} />}
    </Card>
  );
}

/** What has to end before a task can be begun. */
function before(chosen: string, task: Rec, way: string[]): string {
  if (way.length) return `Before ${chosen}, ${plural(way.length, "task has", "tasks have")} to end: ${some(way, 6, ", ")}.`;
  return isEnded(task) ? `${chosen} is ${statusOf(task)}.` : `Nothing holds ${chosen} up.`;
}

const some = (names: string[], most: number, between: string) => names.slice(0, most).join(between) + (names.length > most ? "…" : "");

function Task({ node, x, y, isChosen, holds, onChoose }: {
  node: Node; x: number; y: number; isChosen: boolean; holds: boolean; onChoose: (task: string) => void;
}) {
  const { key, task } = node, status = statusOf(task);
  return (
    <g transform={`translate(${x} ${y})`} class={`node s-${status} ${isChosen ? "on" : ""} ${holds ? "holds" : ""}`}>
      <rect width={WIDE} height={HIGH} rx={9} />
      <MarkAt of={status} x={18} y={HIGH / 2} />
      <g aria-hidden="true">
        <text x={34} y={20} class="strong">{cut(key, 15)}</text><text x={34} y={35}>{cut(task.text, 20)}</text>
      </g>
      <rect class="touch" width={WIDE} height={HIGH} rx={9} role="link" tabindex={0} aria-label={`${key}: ${task.text}, ${status}`}
        onClick={() => onChoose(key)} onKeyDown={(event) => { if (event.key === "Enter") onChoose(key); }}>
        <title>{`${key}: ${task.text}`}</title></rect>
    </g>
  );
}

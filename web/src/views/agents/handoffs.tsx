// What other agents ask of this one, what it asks of others, and what came of that.
import { get, type Asked } from "../../api/client";
import type { Handoff } from "../../api/types";
import { inLayers } from "../../state/feed";
import { useLoaded } from "../../state/loading";
import { to } from "../../state/router";
import { Ago, Card, Empty, Trouble, Waiting, plural, shown } from "../../parts/basics";
import { Plain } from "../../parts/plain";

const BOXES = { inbox: "Asked of it", sent: "Asked by it" } as const;

export function Handoffs({ who, scope }: { who: Asked; scope: string }) {
  return <div class="columns">{(["inbox", "sent"] as const).map((box) => <Box key={box} box={box} who={who} scope={scope} />)}</div>;
}

function Box({ box, who, scope }: { box: "inbox" | "sent"; who: Asked; scope: string }) {
  const { value, problem, again } = useLoaded((signal) => get<{ handoffs: Handoff[] }>("/api/handoffs", { ...who, box, limit: 500 }, signal), [scope, box], { live: inLayers("notebook"), calm: 500 });
  const found = [...(value.value?.handoffs ?? [])].reverse();
  return (
    <Card title={BOXES[box]} aside={<span class="faint small">{plural(found.filter((one) => one.status === "open").length, "request")} open</span>}>
      {problem.value ? <Trouble problem={problem.value} again={again} /> : !value.value ? <Waiting /> : found.length ? (
        <ul class="notes">{found.map((one) => (
          <li key={one.id}>
            <span class="log-kind">{box === "inbox" ? `from ${one.from}` : `to ${one.to}`}<br /><span class="chip">{one.status}</span></span>
            <div>
              <p dir="auto"><Plain text={one.action} /></p>
              {[...one.memory, ...one.returned].map((piece, index) => (
                <p key={index} class="muted small" dir="auto">{index < one.memory.length ? "with " : "back came "}{piece.record ? <a href={to(["record", piece.record])}>{piece.text}</a> : piece.text}</p>
              ))}
              {one.context !== null && <p class="muted small mono">{shown(one.context)}</p>}
              {one.answer !== null && <p dir="auto"><b>{one.status}:</b> <Plain text={one.answer} /></p>}
            </div>
            <span class="faint small"><Ago at={one.at} /></span>
          </li>
        ))}</ul>
      ) : <Empty title="No requests" code={'agent.handoff.request("maya", "Review the login form")'}>Agents of a project hand work to each other, with the memory that goes along.</Empty>}
    </Card>
  );
}

// How a budget of tokens was spent: one bar, and for each part what it could count on and what it took.
import type { Context } from "../../api/types";
import { Card, count } from "../../parts/basics";
import { lookup } from "../../parts/lookup";

export const TITLES = lookup<string>({
  now: "Now", log: "Log", fact: "Facts", tasks: "Open tasks", memory: "Memory that weighs most", task: "From the task", project: "From the project", global: "From everywhere",
});

export function TokenBar({ told, other }: { told: Context; other: Context | null }) {
  const most = Math.max(1, ...Object.values(told.rooms), ...Object.values(told.parts));
  const names = Object.keys(TITLES).filter((name) => told.parts[name] || told.rooms[name]);
  return (
    <Card class="tokens">
      <Bar told={told} widest={Math.max(told.budget, other?.budget ?? 0)} />
      {other && <Bar told={other} widest={Math.max(told.budget, other.budget)} />}
      <dl class="tiers">
        {names.map((name) => {
          const used = told.parts[name] ?? 0, room = told.rooms[name] ?? 0;
          return (
            <div key={name} data-part={name}>
              <dt><i />{TITLES[name]}<span><b>{count(used)}</b>, room {count(room)}</span></dt>
              <dd class="room" title={`${used} tokens used; it could count on ${room}, and may use what others leave`}>
                <i style={{ width: `${(100 * used) / most}%` }} /><u style={{ left: `${(100 * room) / most}%` }} />
              </dd>
            </div>
          );
        })}
      </dl>
      <p class="small muted gap-top">
        <b>{count(told.tokens)}</b> of {count(told.budget)} tokens, out of {count(told.considered)} that came into question.
        {" "}Shares of task, project and everywhere: {["task", "project", "global"].map((one) => Math.round(100 * (told.split.shares[one] ?? 0))).join(" / ")}, by {told.split.origin}.
        {other && <> With {count(other.budget)} instead: <b>{count(other.tokens)}</b> tokens, {other.entries.length} entries instead of {told.entries.length}.</>}
      </p>
    </Card>
  );
}

function Bar({ told, widest }: { told: Context; widest: number }) {
  const parts = Object.entries(told.parts).filter(([, used]) => used > 0);
  const marks = Math.max(0, told.tokens - parts.reduce((sum, [, used]) => sum + used, 0));
  const all = [...parts, ...(marks ? [["marks", marks] as const] : [])];
  return (
    <div class="token-bar" role="img" aria-label={`${told.tokens} of ${told.budget} tokens used`} style={{ width: `${(100 * told.budget) / widest}%` }}>
      {all.map(([name, used]) => <i key={name} data-part={name} style={{ width: `${(100 * used) / told.budget}%` }} title={`${TITLES[name] ?? "Titles and marks"}: ${used} tokens`} />)}
    </div>
  );
}

// The row of figures, each with what it is about and a way to where something can be done about it.
import type { ComponentChildren } from "preact";
import { get } from "../../api/client";
import type { Figures as Told, Overview, Spent } from "../../api/types";
import { Card, Empty, Waiting, ago, count, plural, short } from "../../parts/basics";
import { useAgain } from "../../state/again";
import { useLoaded } from "../../state/loading";
import { to } from "../../state/router";

/** Recalls change nothing that the stream would tell of. */
const LOOKED_MS = 15_000;

export function useFigures(named: string): Told | null {
  const seen = useLoaded((signal) => get<Told>("/api/overview/figures", { project: named }, signal), [named],
    { live: true, calm: 2_000 });
  useAgain(seen, { every: LOOKED_MS });
  return seen.value.value;
}

export function Figures({ found, memories, figures }: { found: Overview; memories: number; figures: Told | null }) {
  const known = figures?.knowledge, recalls = figures?.recalls;
  const weighed = known ? `Weighed ${ago(known.at)}.` : "All knowledge is being read, which takes a while on a large store.";
  return (
    <div class="figures">
      <Figure name="Memories" value={short(memories)} href={to(["knowledge"])}
        about={`${short(found.tokens)} tokens`} title={`${plural(memories, "memory", "memories")} that stand now, with ${count(found.tokens)} tokens of text. Opens the table of them.`} />
      <Figure name="Waiting for review" value={count(found.proposals)} href={to(["review"])}
        about={found.proposals ? "to accept or reject" : "nothing to decide"} title="Proposals of agents that somebody has to accept or reject. Opens them." />
      <Figure name="Near-duplicates" value={known && share(known.repeated, known.known)} href={to(["review", "consolidation"])}
        about={known ? `${count(known.repeated)} of ${short(known.known)} known` : "being weighed"}
        title={`Knowledge that says the same as another piece of it, and could be merged. ${weighed} Opens what would be merged.`} />
      <Figure name="Stale" value={known && share(known.stale, known.known)} href={to(["review", "stale"])}
        about={known ? `${count(known.stale)} of ${short(known.known)} known` : "being weighed"}
        title={`Knowledge that has been neither used nor talked about for long. ${weighed} Opens what could be forgotten.`} />
      <Figure name="Recalls abstained" value={recalls && (recalls.asked ? share(recalls.abstained, recalls.asked) : "–")} href={to(["search"])}
        about={recalls ? asked(recalls) : "…"} title={recalls ? sinceWhen(recalls) : ""} />
      <Figure name="Tokens on tasks" value={figures?.spent ? short(figures.spent.tokens_in + figures.spent.tokens_out) : undefined} href={to(["tasks"])}
        about={figures?.spent ? plural(figures.spent.episodes, "attempt") : "being summed"}
        title="Tokens that attempts at tasks say they cost, all of them, the archived included. Opens the tasks." />
    </div>
  );
}

function Figure({ name, value, about, title, href }: {
  name: string; value: string | null | undefined; about: ComponentChildren; title: string; href: string;
}) {
  return (
    <a class="figure" href={href} title={title}>
      <b>{value ?? "…"}</b><span>{name}</span><small>{about}</small>
    </a>
  );
}

function asked(recalls: Told["recalls"]): string {
  if (!recalls.asked) return "no question yet";
  return `${count(recalls.abstained)} of ${short(recalls.asked)}, ${milliseconds(recalls.median_ms ?? 0)} each`;
}

function sinceWhen(recalls: Told["recalls"]): string {
  return "Questions to which nothing relevant was found, so that nothing was returned: of those asked through this "
    + `server since it started ${ago(recalls.since)}, over HTTP and MCP. The time is the median. Searches in these pages, and `
    + "programs that open the store by themselves, are not counted. Opens the search.";
}

export function Spending({ found, spent }: { found: Overview; spent: Spent | null }) {
  // Its room is kept meanwhile, so that nothing below it jumps.
  if (!spent) return <Card title="Token spend"><Waiting rows={6} /></Card>;
  const total = spent.tokens_in + spent.tokens_out;
  if (!total) {
    return (
      <Card title="Token spend">
        <Empty title="No attempt says what it cost" code={'lamina episodes record t-1 completed --tokens-in 1200 --tokens-out 300'}>
          Episodes that name their tokens are summed here, by day and by agent.
        </Empty>
      </Card>
    );
  }
  const scopes = new Map(found.agents.map((one) => [one.name, one.scope]));
  const most = Math.max(1, ...spent.agents.map((one) => one.tokens));
  return (
    <Card title="Token spend" aside={<span class="faint small">{count(spent.tokens_in)} in, {count(spent.tokens_out)} out</span>}>
      <Days days={spent.days} />
      <ul class="bars">
        {spent.agents.map((one) => {
          const scope = scopes.get(one.name);
          return (
            <li key={one.name}>
              <a href={scope ? to(["agents", scope]) : to(["tasks"])} title={`${one.name}: ${count(one.tokens)} tokens in all attempts`}>
                <bdi class="cut">{one.name}</bdi>
                <span class="bar"><i style={{ width: `${Math.max(1, (100 * one.tokens) / most)}%` }} /></span>
                <b>{short(one.tokens)}</b>
              </a>
            </li>
          );
        })}
      </ul>
    </Card>
  );
}

function Days({ days }: { days: Spent["days"] }) {
  const most = Math.max(1, ...days.map((one) => one.tokens));
  const sum = days.reduce((all, one) => all + one.tokens, 0);
  const said = `${short(sum)} tokens in the last ${days.length} days`;
  return (
    <figure class="days">
      <svg viewBox={`0 0 ${days.length * 10} 40`} preserveAspectRatio="none" role="img" aria-label={said}>
        {days.map((one, at) => {
          const height = one.tokens ? Math.max(2, (38 * one.tokens) / most) : 1;
          return (
            <rect key={one.day} class={one.tokens ? "" : "none"} x={at * 10 + 1} y={40 - height} width="8" height={height}>
              <title>{`${dayOf(one.day)}: ${count(one.tokens)} tokens`}</title>
            </rect>
          );
        })}
      </svg>
      <figcaption class="faint small"><span>{days[0] && dayOf(days[0].day)}</span><span>{said}</span><span>today</span></figcaption>
    </figure>
  );
}

const dayOf = (day: string) => new Date(day).toLocaleDateString("en", { month: "short", day: "numeric", timeZone: "UTC" });

function share(some: number, all: number): string {
  if (!all || !some) return "0%";
  const percent = (100 * some) / all;
  return percent < 0.1 ? "< 0.1%" : `${percent.toFixed(percent < 10 ? 1 : 0)}%`;
}

function milliseconds(ms: number): string {
  return ms < 10 ? `${ms.toFixed(1)} ms` : `${Math.round(ms)} ms`;
}

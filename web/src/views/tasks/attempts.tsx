// What was tried for a task, attempt by attempt, what it cost, and some of them side by side.
import type { Episode } from "../../api/types";
import { lasted, sum, tries } from "./episodes";
import { amend, route } from "../../state/router";
import { Ago, Card, Empty, count, plural, short, shown } from "../../parts/basics";
import { StatusChip } from "./marks";
import { Plain } from "../../parts/plain";

function Totals({ episodes }: { episodes: Episode[] }) {
  const number = (action: string) => episodes.filter((one) => one.action === action).length;
  const known = episodes.filter((one) => one.duration_ms !== null);
  return (
    <dl class="totals">
      <div><dt>Tried</dt><dd>{plural(tries(episodes), "time")}</dd></div>
      <div><dt>Completed</dt><dd>{count(number("completed"))}</dd></div>
      <div><dt>Failed</dt><dd>{count(number("failed"))}</dd></div>
      <div><dt>Time</dt><dd>{known.length ? lasted(sum(known, (one) => one.duration_ms)) : "not known"}</dd></div>
      <div><dt>Tokens in</dt><dd title={count(sum(episodes, (one) => one.tokens_in))}>{short(sum(episodes, (one) => one.tokens_in))}</dd></div>
      <div><dt>Tokens out</dt><dd title={count(sum(episodes, (one) => one.tokens_out))}>{short(sum(episodes, (one) => one.tokens_out))}</dd></div>
    </dl>
  );
}

export function Attempts({ episodes, title = "Attempts", few = 30 }: { episodes: Episode[]; title?: string; few?: number }) {
  const { asked } = route.value;
  const picked = (asked.get("compare") ?? "").split(".").filter((id) => episodes.some((one) => one.id === id));
  const all = asked.get("attempts") === "all", listed = all ? episodes : episodes.slice(0, few);
  const pick = (id: string, is: boolean) => amend({ compare: (is ? [...picked, id] : picked.filter((one) => one !== id)).join(".") });
  return (
    <Card title={title} aside={<span class="faint small">{picked.length === 1 ? "Tick another to compare" : plural(episodes.length, "entry", "entries")}</span>}>
      {!episodes.length ? <Empty title="Not tried yet" code='lamina episodes record t-1 failed --approach "Signed cookies"'>Who tries it says what was tried, and how it went.</Empty> : <Totals episodes={episodes} />}
      {picked.length > 1 && <Compared episodes={picked.map((id) => episodes.find((one) => one.id === id)!)} />}
      <ol class="attempts">{listed.map((one) => (
        <li key={one.id} data-action={one.action} class={asked.get("episode") === one.id ? "on" : ""}>
          <input type="checkbox" aria-label={`Compare ${one.approach ?? one.id}`} checked={picked.includes(one.id)} onChange={(event) => pick(one.id, event.currentTarget.checked)} />
          <div>
            <div class="attempt-head"><StatusChip of={one.action} />
              <button type="button" class="link said-link" dir="auto" onClick={() => amend({ episode: one.id })}><Plain text={shown(one.approach ?? "no approach said")} /></button></div>
            {one.outcome && <p class="muted" dir="auto"><span class="faint small">{one.action === "failed" ? "Because " : ""}</span><Plain text={shown(one.outcome)} /></p>}
            <p class="faint small">{one.agent_id} · <Ago at={one.created_at} />{one.duration_ms !== null && ` · ${lasted(one.duration_ms)}`}{one.tokens_in !== null && ` · ${count(one.tokens_in)} in, ${count(one.tokens_out ?? 0)} out`}</p>
          </div>
        </li>
      ))}</ol>
      {listed.length < episodes.length && <button type="button" onClick={() => amend({ attempts: "all" })}>Show all {count(episodes.length)}</button>}
    </Card>
  );
}

function Compared({ episodes }: { episodes: Episode[] }) {
  const least = (of: (one: Episode) => number | null) => Math.min(...episodes.map((one) => of(one) ?? Infinity));
  const number = (of: (one: Episode) => number | null, said: (value: number) => string) => (one: Episode) => {
    const value = of(one);
    return value === null ? "–" : value === least(of) ? <b>{said(value)} (least)</b> : said(value);
  };
  const rows = [
    ["Ended", (one: Episode) => <StatusChip of={one.action} />],
    ["Approach", (one: Episode) => shown(one.approach ?? "")],
    ["What came of it", (one: Episode) => shown(one.outcome ?? "–")],
    ["By", (one: Episode) => one.agent_id],
    ["When", (one: Episode) => <Ago at={one.created_at} />],
    ["Time", number((one) => one.duration_ms, lasted)],
    ["Tokens in", number((one) => one.tokens_in, count)],
    ["Tokens out", number((one) => one.tokens_out, count)],
  ] as const;
  return (
    <div class="compared" tabIndex={0} role="region" aria-label="Attempts side by side">
      <table class="table">
        <tbody>{rows.map(([name, cell]) => (
          <tr key={name}><th scope="row">{name}</th>{episodes.map((one) => <td key={one.id} dir="auto">{cell(one)}</td>)}</tr>
        ))}</tbody>
      </table>
      <button type="button" class="link small" onClick={() => amend({ compare: "" })}>Close the comparison</button>
    </div>
  );
}

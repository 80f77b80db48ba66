import { useSignal } from "@preact/signals";
import { get } from "../../api/client";
import type { Page, Rec } from "../../api/types";
import { Ago, Card, Empty, Head, Trouble, Waiting, cut, plural, shown } from "../../parts/basics";
import { useKeys, withArrows } from "../../state/keys";
import { inLayers } from "../../state/feed";
import { mayWrite } from "../../state/may";
import { useLoaded } from "../../state/loading";
import { project } from "../../state/prefs";
import { amend, go, route, to } from "../../state/router";
import { doing } from "../../state/saying";
import { second } from "../../state/ticking";
import { KeyHistory, Spark } from "./history";
import { Publish } from "./publish";
import { clear, projectOf, valueOf } from "./signals";

const DRAWN = 40;
const MOST = 1_000;
const BRIEF = 300;

export function BoardView({ rest }: { rest: string[] }) {
  const { asked } = route.value;
  const prefix = asked.get("prefix") ?? "", chosen = rest[0];
  const publishing = useSignal<Rec | "new" | null>(null);
  const where = JSON.stringify({ layer: "blackboard", kind: "signal", ...(prefix ? { key: { $prefix: prefix } } : {}) });
  const found = useLoaded(
    (signal) => get<Page>("/api/records", { where, project: project.value, limit: MOST }, signal),
    [where, project.value], { live: inLayers("blackboard"), calm: 100, typing: 120 });
  const page = found.value.value;
  const begin = () => { publishing.value = "new"; };
  useKeys("On the blackboard", mayWrite() ? [{ keys: ["n"], does: "Publish a signal", run: begin }] : []);
  const close = () => go(["board"], Object.fromEntries(asked));
  return (
    <>
      <Head title="Blackboard" about="Signals that agents leave for each other, as they stand now.">
        <label class="field inline"><span>Keys that begin with</span>
          <input type="text" size={14} value={prefix} placeholder="task:" onInput={(event) => amend({ prefix: event.currentTarget.value })} /></label>
        {mayWrite() && <button type="button" class="primary" onClick={begin}>Publish…</button>}
      </Head>
      {found.problem.value && <Trouble problem={found.problem.value} again={found.again} />}
      <div class={chosen ? "browser open" : "browser"}>
        <div class="listing free">
          {!page ? <Waiting /> : page.records.length ? <Signals page={page} chosen={chosen} prefix={prefix} /> : <None prefix={prefix} />}
        </div>
        {chosen && <KeyHistory key={chosen} id={chosen} onClose={close} onChange={(record) => { publishing.value = record; }} />}
      </div>
      {publishing.value && <Publish over={publishing.value === "new" ? null : publishing.value} onClose={() => { publishing.value = null; }} />}
    </>
  );
}

function None({ prefix }: { prefix: string }) {
  if (prefix) return <Empty title={`No key begins with “${prefix}”`}>Fewer letters show more of the board.</Empty>;
  return (
    <Empty title="The board is empty" code={"lamina --project web blackboard publish build:web:status green"}>
      Agents publish what others wait for: <code>task:t-7:status</code>, <code>module:x:built</code>. It appears here at once.
    </Empty>
  );
}

function Signals({ page, chosen, prefix }: { page: Page; chosen: string | undefined; prefix: string }) {
  return (
    <>
      <Card class="flush">
        <table class={chosen ? "table signals narrow-table" : "table signals"} onKeyDown={withArrows}>
          <thead><tr><th>Key</th><th>Value</th><th>Publisher</th><th>Age</th><th>History</th><th><span class="unseen">Actions</span></th></tr></thead>
          <tbody>{page.records.map((one, index) => <Line key={one.id} signal={one} drawn={index < DRAWN} chosen={one.id === chosen} prefix={prefix} />)}</tbody>
        </table>
      </Card>
      {page.total > page.records.length && <p class="faint small gap-top">The newest {page.records.length} of {plural(page.total, "signal")}; name the beginning of a key to see others.</p>}
    </>
  );
}

function Line({ signal, drawn, chosen, prefix }: { signal: Rec; drawn: boolean; chosen: boolean; prefix: string }) {
  if (isOver(signal)) return null;
  return (
    <tr class={chosen ? "chosen" : ""}>
      <td>
        <a href={to(["board", signal.id], { prefix })} data-row aria-current={chosen ? "true" : undefined}><span class="key">{signal.key}</span></a>
        {!project.value && <span class="faint small"> {projectOf(signal) ?? signal.scope}</span>}
      </td>
      <td class="mono value"><span class="clamped" dir="auto">{cut(shown(valueOf(signal)), BRIEF)}</span></td>
      <td>{signal.source}</td>
      <td class="muted age"><Ago exact at={signal.updated_at} />{signal.expires_at && <small class="faint"> ends <Ago exact at={signal.expires_at} /></small>}</td>
      <td>{drawn && <Spark record={signal} />}</td>
      <td class="end">{mayWrite() && <button type="button" class="link small" onClick={() => doing("Taken off the board.", clear(signal))}>Clear</button>}</td>
    </tr>
  );
}

/** Nothing happens when a signal runs out, so nobody tells: it is seen by the clock. */
function isOver(signal: Rec): boolean {
  if (!signal.expires_at) return false;
  void second.value;
  return Date.parse(signal.expires_at) <= Date.now();
}

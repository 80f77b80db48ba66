// What an agent did, thought, heard and failed at; the newest first, as far back as one likes.
import { get, type Asked } from "../../api/client";
import type { Page } from "../../api/types";
import { inLayers } from "../../state/feed";
import { useLoaded } from "../../state/loading";
import { amend, route } from "../../state/router";
import { Ago, Card, Empty, RecordLink, Trouble, Waiting, count, cut, shown } from "../../parts/basics";
import { Plain } from "../../parts/plain";

const KINDS = ["SYSTEM", "TOOL_USE", "THOUGHT", "USER_FEEDBACK", "ERROR"];
const FIRST = 100, MOST = 10_000, USUAL = 0.5, LONG = 600;

export function LogCard({ who, scope }: { who: Asked; scope: string }) {
  const { asked } = route.value;
  const kind = asked.get("kind") ?? "", wanted = Math.min(MOST, Number(asked.get("entries")) || FIRST);
  const { value, problem, again } = useLoaded(
    (signal) => get<Page>("/api/log", { ...who, n: wanted, type: kind }, signal), [scope, kind, wanted], { live: inLayers("log"), calm: 300 });
  const entries = [...(value.value?.records ?? [])].reverse();
  return (
    <Card title="Log" aside={(
      <select aria-label="Which entries" class="small" value={kind} onChange={(event) => amend({ kind: event.currentTarget.value })}>
        <option value="">everything</option>{KINDS.map((one) => <option key={one} value={one}>{worded(one)}</option>)}
      </select>
    )}>
      {problem.value && <Trouble problem={problem.value} again={again} />}
      {!value.value ? !problem.value && <Waiting /> : entries.length ? (
        <ol class="log">
          {entries.map((one) => (
            <li key={one.id} data-kind={one.kind}>
              <span class="log-kind">{worded(one.kind)}{one.importance > USUAL && <b class="weighty" title={`Importance ${Math.round(one.importance * 100)}%`}> !</b>}</span>
              <span dir="auto">{typeof one.data["tool"] === "string" && one.data["tool"] !== one.text && <span class="chip">{shown(one.data["tool"])}</span>}{" "}
                <RecordLink record={one}><Plain text={cut(one.text, LONG)} /></RecordLink></span>
              <span class="faint small"><Ago at={one.created_at} /></span>
            </li>
          ))}
        </ol>
      ) : <Empty title="Nothing logged" code='lamina --as finn log add "Try the cache first"'>Tool calls, thoughts, feedback and errors of the agent's loop stand here.</Empty>}
      {entries.length >= wanted && wanted < MOST && (
        <div class="log-foot"><button type="button" onClick={() => amend({ entries: String(wanted * 3) })}>Show older than these {count(entries.length)}</button></div>
      )}
    </Card>
  );
}

const worded = (kind: string) => kind.replace("_", " ").toLowerCase();

// The sessions of an agent, and the transcript of one: all that was said, or what a model is told of it.
import { useSignal } from "@preact/signals";
import { get, part, type Asked } from "../../api/client";
import type { Page } from "../../api/types";
import { inLayers } from "../../state/feed";
import { useLoaded } from "../../state/loading";
import { amend, route, to } from "../../state/router";
import { Empty, Trouble, Waiting, count, plural } from "../../parts/basics";
import { Transcript } from "./transcript";

const CALM = { live: inLayers("session", "archive"), calm: 400 };
const FIRST = 60, MOST = 10_000, FEW = 12;

export function Sessions({ who, scope }: { who: Asked; scope: string }) {
  const names = useLoaded((signal) => get<{ sessions: string[] }>("/api/sessions", { ...who, archived: true }, signal), [scope], CALM);
  const find = useSignal("");
  const listed = names.value.value?.sessions ?? [];
  const name = route.value.asked.get("session") ?? listed[0];
  if (!names.value.value) return names.problem.value ? <Trouble problem={names.problem.value} again={names.again} /> : <Waiting />;
  if (!listed.length || !name) {
    return <Empty title="No sessions yet" code="lamina run --as finn --session s-1">What is said between a person and the agent is kept here, message by message.</Empty>;
  }
  return (
    <div class="aside-left">
      <div>
        {listed.length > FEW && <input type="search" aria-label="Find a session" placeholder={`Find among ${count(listed.length)}`} value={find.value} onInput={(event) => { find.value = event.currentTarget.value; }} />}
        <ul class="picks" aria-label="Sessions">
          {listed.filter((one) => one.toLowerCase().includes(find.value.toLowerCase())).slice(0, 200).map((one) => (
            <li key={one}><a href={to(["agents", scope], { tab: "sessions", session: one })} aria-current={one === name ? "true" : undefined}>{one}</a></li>
          ))}
        </ul>
      </div>
      <Talk key={name} who={who} scope={scope} name={name} />
    </div>
  );
}

function Talk({ who, scope, name }: { who: Asked; scope: string; name: string }) {
  const { asked } = route.value;
  const isView = asked.get("as") === "model", wanted = Math.min(MOST, Number(asked.get("messages")) || FIRST);
  const how = isView ? { view: true } : { archived: true, last: wanted };
  const { value, problem, again } = useLoaded(
    (signal) => get<Page>(`/api/sessions/${part(name)}`, { ...who, ...how }, signal), [scope, name, isView, wanted], CALM);
  const messages = value.value?.records ?? [];
  return (
    <div>
      <div class="talk-head">
        <span class="switch" role="group" aria-label="Which messages">
          <button type="button" aria-pressed={!isView} onClick={() => amend({ as: "" })}>All that was said</button>
          <button type="button" aria-pressed={isView} onClick={() => amend({ as: "model" })}>What a model is told</button>
        </span>
        <span class="faint small">{plural(messages.length, "message")}</span>
      </div>
      {problem.value && <Trouble problem={problem.value} again={again} />}
      {!isView && messages.length >= wanted && (
        <div class="log-foot"><button type="button" onClick={() => amend({ messages: String(wanted * 3) })}>Show earlier messages</button></div>
      )}
      {value.value ? <Transcript messages={messages} /> : !problem.value && <Waiting />}
    </div>
  );
}

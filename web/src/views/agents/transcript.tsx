// What was said, with the calls of tools folded away and long outputs cut.
import { useSignal } from "@preact/signals";
import type { Rec } from "../../api/types";
import { Ago, count, plural, shown } from "../../parts/basics";
import { lookup } from "../../parts/lookup";
import { Plain } from "../../parts/plain";

const LONG = 1_500;
const ROLES = lookup<string>({ user: "User", assistant: "Assistant", summary: "Summary of what came before" });

export function Transcript({ messages }: { messages: Rec[] }) {
  const groups: Rec[][] = [];
  for (const one of messages) {
    const last = groups.at(-1);
    if (isTool(one) && last?.[0] && isTool(last[0]) && isCompacted(last[0]) === isCompacted(one)) last.push(one);
    else groups.push([one]);
  }
  const turn = groups.findIndex(([one], index) => index > 0 && isCompacted(groups[index - 1]![0]!) && !isCompacted(one!));
  return (
    <ol class="talk" aria-label="Transcript">
      {groups.map((group, index) => (
        <li key={group[0]!.id} class={`${isTool(group[0]!) ? "tools-fold" : ""} ${isCompacted(group[0]!) ? "compacted" : ""}`}>
          {index === turn && <p class="fold-line">Compacted up to here: a model is told the summary instead</p>}
          {isTool(group[0]!) ? <Calls group={group} /> : <Said message={group[0]!} />}
        </li>
      ))}
    </ol>
  );
}

function Said({ message: one }: { message: Rec }) {
  return (
    <div class={`bubble ${one.kind}`}>
      <span class="faint small"><span class="role">{ROLES[one.kind] ?? one.kind}</span> · <Ago at={one.created_at} /></span>
      <p dir="auto"><Cut text={one.text} /></p>
    </div>
  );
}

function Calls({ group }: { group: Rec[] }) {
  const calls = group.filter((one) => one.kind === "tool_call").length;
  const tools = [...new Set(group.map((one) => one.data["tool"]).filter(Boolean).map(shown))];
  const about = tools.join(", ") || group[0]!.text;
  return (
    <details>
      <summary>{plural(calls || group.length, calls ? "tool call" : "tool result")}: {about.slice(0, 100)}</summary>
      {group.map((one) => (
        <pre key={one.id} class={one.kind === "tool_call" ? "" : "tool-result"}>
          <b title={one.kind === "tool_call" ? "The call" : "What it gave"}>{one.kind === "tool_call" ? "→ " : "← "}</b><Cut text={one.text} />
        </pre>
      ))}
    </details>
  );
}

/** A text that is shown in part until somebody wants all of it. */
function Cut({ text }: { text: string }) {
  const all = useSignal(false);
  if (all.value || text.length <= LONG * 1.2) return <Plain text={text} />;
  return <><Plain text={text.slice(0, LONG)} />… <button type="button" class="link" onClick={() => { all.value = true; }}>Show all {count(text.length)} characters</button></>;
}

function isTool(one: Rec): boolean {
  return one.kind === "tool_call" || one.kind === "tool_result";
}

/** Compaction puts aside what a summary speaks of. */
function isCompacted(one: Rec): boolean {
  return one.state === "archived";
}

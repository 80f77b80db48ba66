import type { Change } from "../api/types";
import { to } from "../state/router";
import { Ago, LayerMark } from "./basics";
import { lookup } from "./lookup";

const WORDS = lookup<string>({
  created: "added", revised: "revised", proposed: "proposed", moved: "moved", adopted: "accepted",
  erased: "erased", witnessed: "noted", unchanged: "touched",
});

/** What tells a change from all others, in addresses too: its place in the log. */
export function nameOf({ event }: Pick<Change, "event">): string {
  return `${event.stream}#${event.seq}`;
}

export function verb(change: Omit<Change, "cursor">): string {
  const { event, record, before } = change;
  if (event.action === "revised" && record && before && record.state !== before.state) {
    if (record.state === "forgotten") return "forgot";
    if (before.state === "forgotten") return "brought back";
    return `made ${record.state}`;
  }
  return WORDS[event.action] ?? event.action;
}

/** One line about one change. */
export function ChangeLine({ change }: { change: Change }) {
  const { event } = change;
  const record = change.record ?? change.before;
  return (
    <li class="change" data-action={event.action}>
      <span class="change-who">{event.actor}</span>
      <span class="change-verb">{verb(change)}</span>
      {record && <LayerMark layer={record.layer} />}
      <a class="change-what" href={to(["record", event.record])}>
        {record ? (record.key ? <><b>{record.key}</b> {record.text}</> : record.text || record.kind) : <i>erased</i>}
      </a>
      <span class="change-when"><Ago at={event.at} /></span>
    </li>
  );
}

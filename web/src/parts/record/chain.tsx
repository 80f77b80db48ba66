// What a memory replaced and what replaced it; and what competes with it now.
import { send } from "../../api/client";
import { recordPath } from "../../api/records";
import type { Neighbourhood, Rec, Receipt } from "../../api/types";
import { maySettle, mayWrite } from "../../state/may";
import { to } from "../../state/router";
import { doing } from "../../state/saying";
import { Ago, Meter, Trust } from "../basics";
import { Changes } from "../fields";
import { Plain } from "../plain";

export function Chain({ chain, id }: { chain: Rec[]; id: string }) {
  if (chain.length < 2) return null;
  return (
    <section class="chain" aria-label="Supersession">
      <h3>Supersession chain, oldest first</h3>
      <ol>
        {chain.map((one) => (
          <li key={one.id}>
            <span class={`chip state-${one.state}`}>{one.state}</span>
            {one.id === id ? <b aria-current="true">{one.text}</b> : <a href={to(["record", one.id])}>{one.text || one.kind}</a>}
            <span class="faint small">{one.source}, <Ago at={one.created_at} /></span>
          </li>
        ))}
      </ol>
    </section>
  );
}

/** Competing statements, of which one stands: decided here as in Review. */
export function Rivals({ record, near }: { record: Rec; near: Neighbourhood }) {
  const rivals = near.neighbours.filter((one) => one.ties.some((tie) => tie.how === "rival")).map((one) => one.record);
  const isOpen = record.state === "proposed" || record.state === "current";
  if (!isOpen || (record.state === "current" && !rivals.some((one) => one.state === "proposed"))) return null;
  const standing = record.state === "current" ? record : rivals.find((one) => one.state === "current");
  const proposed = record.state === "proposed" ? [record] : rivals.filter((one) => one.state === "proposed");
  return (
    <section class="conflict" aria-label="Competing statements">
      <strong>{standing ? "Two statements compete; one stands." : "Proposed: nothing stands in its place yet."}</strong>
      {proposed.map((one) => (
        <div key={one.id}>
          <div class={standing ? "sides" : ""}>
            {standing && <Side title="Stands now" record={standing}><p class="diff"><Plain text={standing.text} /></p></Side>}
            <Side title={standing ? "Proposed instead" : "Proposed"} record={one}>
              {standing ? <Changes before={standing} after={{ text: one.text, tags: one.tags, kind: one.kind }} /> : <p class="diff"><Plain text={one.text} /></p>}
            </Side>
          </div>
          <div class="actions">
            {maySettle() && <button type="button" class="primary" onClick={() => doing("Accepted.", send<Receipt>("POST", `${recordPath(one.id)}/accept`))}>Accept</button>}
            {mayWrite() && <button type="button" onClick={() => doing("Rejected.", send<{ receipt: Receipt | null }>("POST", "/api/lifecycle/reject", { ids: [one.id] }))}>Reject</button>}
            {one.id !== record.id && <a href={to(["record", one.id])}>Open it</a>}
            <a href={to(["review"])}>All that waits</a>
          </div>
        </div>
      ))}
    </section>
  );
}

function Side({ title, record, children }: { title: string; record: Rec; children: preact.ComponentChildren }) {
  return (
    <div>
      <h3>{title}</h3>
      {children}
      <p class="small muted">{record.source} <Trust trust={record.trust} /> <Meter value={record.confidence} label="Confidence" /></p>
    </div>
  );
}

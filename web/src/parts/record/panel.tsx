// One memory: what it says, where it comes from, what became of it, and ways to put it right.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { get, send } from "../../api/client";
import { recordOf, recordPath } from "../../api/records";
import type { Change, Neighbourhood, Rec, Receipt, Version } from "../../api/types";
import { inRow, isBegun } from "../../state/drafts";
import { isAbout } from "../../state/feed";
import { useLoaded, type Loaded } from "../../state/loading";
import { mayWrite } from "../../state/may";
import { go } from "../../state/router";
import { doing, takeBack } from "../../state/saying";
import { IconButton, Marks, Trouble, Waiting } from "../basics";
import { Plain } from "../plain";
import { FIXED, OPEN_STATES } from "../words";
import { Chain, Rivals } from "./chain";
import { Edit } from "./edit";
import { Facts } from "./facts";
import { History, useHistory } from "./history";
import { Neighbours } from "./neighbours";

const CALM_MS = 100;

export function RecordPanel({ id, onClose }: { id: string; onClose: () => void }) {
  const found = useLoaded((signal) => recordOf(id, signal), [id], { live: isAbout(id), calm: CALM_MS });
  const { told, last } = useHistory(id);
  const record = found.value.value, past = told.value.value;
  // Looking around costs more than looking: only what may have moved there is a reason.
  const isNear = ({ event, record: fresh }: Change): boolean => event.record === id || fresh?.supersedes === id
    || (!!record?.key && fresh?.key === record.key) || !!near?.neighbours.some((one) => one.record.id === event.record);
  const around: Loaded<Neighbourhood> = useLoaded((signal) => get<Neighbourhood>(`${recordPath(id)}/neighbours`, {}, signal), [id], { live: isNear, calm: CALM_MS });
  const near = around.value.value;
  const erased = past?.versions.at(-1)?.event.action === "erased";
  return (
    <article class="panel" aria-label="Memory" onKeyDown={(event) => { if (event.key === "Escape") onClose(); }}>
      <div class="panel-head">
        {record && <Marks record={record} />}
        <span class="grow" />
        <IconButton icon="close" label="Close" onClick={onClose} />
      </div>
      {erased ? <p><strong>This memory was erased for good.</strong> That it was there, and who erased it, stays in the log.</p>
        : record && !OPEN_STATES.includes(record.state) ? <Gone last={record} newest={past?.versions.at(-1)} />
        : record ? <Body record={record} again={found.again} />
        : found.problem.value ? <Trouble problem={found.problem.value} again={found.again} /> : <Waiting />}
      {record && near && <Rivals record={record} near={near} />}
      {record && !erased && <Facts record={record} />}
      {near && <Chain chain={near.chain} id={id} />}
      {past ? <History told={past} record={record} onOlder={() => { last.value += 60; }} /> : record && told.problem.value && <Trouble problem={told.problem.value} again={told.again} />}
      {record && !erased && (near ? <Neighbours record={record} near={near} /> : around.problem.value && <Trouble problem={around.problem.value} again={around.again} />)}
    </article>
  );
}

function Body({ record, again }: { record: Rec; again: () => void }) {
  const begun = useSignal(isBegun(record.id) && inRow.peek() !== record.id);
  const editing = begun.value && inRow.value !== record.id;
  const fixed = FIXED.includes(record.layer) || !mayWrite();
  const begin = () => {
    if (fixed) return;
    if (inRow.peek() === record.id) inRow.value = null;
    begun.value = true;
  };
  useEffect(() => { if (fixed) begun.value = false; }, [fixed]);
  return (
    <>
      {record.key && <h2 class="key">{record.key}</h2>}
      {editing
        ? <Edit record={record} onDone={() => { begun.value = false; again(); }} />
        : <p class="said" dir="auto" onDblClick={begin}>{record.text ? <Plain text={record.text} /> : <i class="faint">no text</i>}</p>}
      {!editing && mayWrite() && <Actions record={record} onEdit={fixed ? null : begin} />}
    </>
  );
}

function Actions({ record, onEdit }: { record: Rec; onEdit: (() => void) | null }) {
  return (
    <div class="actions">
      {onEdit && <button type="button" onClick={onEdit}>Edit</button>}
      <button type="button" onClick={() => doing("Forgotten; it can be brought back.", send<Receipt>("DELETE", recordPath(record.id)))}>Forget</button>
      <button type="button" onClick={() => go(["search"], { why: record.id })}>Why not found?</button>
      <button type="button" class="danger" onClick={() => go(["erase", record.id])}>Erase…</button>
      {!onEdit && <span class="faint small">What was said or done never gets other words.</span>}
    </div>
  );
}

function Gone({ last, newest }: { last: Rec; newest: Version | undefined }) {
  // What is known of the past may be older than what is shown, and another change would be taken back.
  const tx = newest?.event.rev === last.rev ? newest.event.tx : undefined;
  return (
    <div class="gone">
      <p><strong>This memory is {last.state}.</strong> No search finds it.</p>
      <p class="said" dir="auto"><Plain text={last.text} /></p>
      <div class="actions">
        {tx && mayWrite() && <button type="button" class="primary" onClick={() => takeBack(tx)}>Bring it back</button>}
        {mayWrite() && <button type="button" class="danger" onClick={() => go(["erase", last.id])}>Erase…</button>}
      </div>
    </div>
  );
}

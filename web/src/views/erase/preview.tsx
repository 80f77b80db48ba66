import { useSignal } from "@preact/signals";
import { Problem, asProblem, send } from "../../api/client";
import type { Erasure, ErasurePlan, Touched } from "../../api/types";
import { Card, LayerMark, RecordLink, Trouble, Waiting, count, plural } from "../../parts/basics";
import { Plain } from "../../parts/plain";
import { useLoaded } from "../../state/loading";
import { go, to } from "../../state/router";
import { Report } from "./report";

export function Preview({ names }: { names: string[] }) {
  const found = useLoaded((signal) => send<ErasurePlan>("POST", "/api/erase/preview", { names }, {}, signal), [names.join()]);
  const report = useSignal<Erasure | null>(null);
  const plan = found.value.value;
  if (report.value && plan) return <Report report={report.value} plan={plan} />;
  if (found.problem.value) return <Trouble problem={found.problem.value} again={found.again} />;
  if (!plan) return <Waiting />;
  return (
    <div class="columns">
      <Card title="This goes" aside={<span class="small muted">{plural(plan.records.length, "memory", "memories")}</span>}>
        <Memories records={plan.records} />
      </Card>
      <div class="column">
        <With plan={plan} />
        <Stays plan={plan} names={names} />
        <Confirm plan={plan} onDone={(done) => { report.value = done; }} />
      </div>
    </div>
  );
}

function Memories({ records }: { records: Touched[] }) {
  return (
    <ul class="goes bounded" tabIndex={0} aria-label="Memories">
      {records.map((one) => (
        <li key={one.id}>
          <span>{one.key && <b class="key">{one.key} </b>}<RecordLink record={one}><Plain text={one.text || "(data only)"} /></RecordLink></span>
          <LayerMark layer={one.layer} />
          <span class="small muted">{one.scope}{one.state !== "current" && `, ${one.state}`}{one.why && `, ${one.why}`}{one.versions > 1 && `, ${plural(one.versions, "version")}`}</span>
        </li>
      ))}
    </ul>
  );
}

function With({ plan }: { plan: ErasurePlan }) {
  const whose = plan.records.length === 1 ? "its" : "their";
  return (
    <Card title="And with it">
      <ul class="touches">
        <li><b>{plural(plan.versions, "version")}</b> of {whose} history, with who changed what to what</li>
        <li><b>{plural(plan.words, "entry", "entries")}</b> in the index of words, and the vectors</li>
        {plan.sealed > 0 && <li><b>{plural(plan.sealed, "sealed secret")}</b></li>}
        {plan.files.map((file) => <li key={file}>Lines of <code>{file}</code>, which is written anew</li>)}
      </ul>
    </Card>
  );
}

function Stays({ plan, names }: { plan: ErasurePlan; names: string[] }) {
  const talks = plan.saying.filter((one) => one.layer === "session" || one.layer === "archive").length;
  return (
    <Card title="This stays">
      {plan.mentions.length > 0 && <>
        <p><b>{plural(plan.mentions.length, "other memory says", "other memories say")}</b> the same{talks > 0 && `, ${talks === plan.mentions.length ? "" : `${talks} of them `}in conversations`}:</p>
        <Memories records={plan.saying} />
        <div class="actions"><button type="button" onClick={() => go(["erase", ...names, ...plan.mentions])}>Erase {plan.mentions.length === 1 ? "it" : "these"} too</button></div>
      </>}
      <ul class="touches gap-top">
        {plan.sources.map((file) => <li key={file}><code>{file}</code> holds it and is left as it is</li>)}
        {plan.notes.map((file) => <li key={file}>It was imported from <code>{file}</code>: importing that again would bring it back</li>)}
        <li>Backups, exports and capsules that were made before: no store knows where they are. A backup that is restored over this store leaves it out.</li>
        <li>That something was erased, when and by whom: the log must add up.</li>
      </ul>
    </Card>
  );
}

function Confirm({ plan, onDone }: { plan: ErasurePlan; onDone: (report: Erasure) => void }) {
  const typed = useSignal(""), busy = useSignal(false), problem = useSignal<Problem | null>(null);
  const [only] = plan.records;
  const word = plan.records.length > 1 ? `erase ${plan.records.length}` : only?.key ?? only?.id.slice(-6) ?? "";
  const erase = async (event: Event) => {
    event.preventDefault();
    busy.value = true;
    try {
      onDone(await send<Erasure>("POST", "/api/erase", { names: plan.records.map((one) => one.id) }));
    } catch (error) {
      problem.value = asProblem(error);
    }
    busy.value = false;
  };
  return (
    <Card title="There is no undo">
      <form class="edit" onSubmit={erase}>
        {problem.value && <Trouble problem={problem.value} />}
        <label class="field"><span>Type <code>{word}</code> to go on</span>
          <input type="text" autocomplete="off" value={typed.value} onInput={(event) => { typed.value = event.currentTarget.value; }} /></label>
        <div class="actions">
          <button type="submit" class="primary danger" disabled={typed.value.trim() !== word || busy.value}>
            {busy.value ? "Erasing and looking for what is left…" : "Erase for good"}</button>
          <button type="button" onClick={() => history.length > 1 ? history.back() : location.assign(to(["erase"]))}>Cancel</button>
        </div>
        <p class="small muted">{count(plan.records.length)} at once: all of it goes, or none.</p>
      </form>
    </Card>
  );
}

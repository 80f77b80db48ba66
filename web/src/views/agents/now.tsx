// What an agent does now, and telling it otherwise; the single values that go with every prompt.
import { useSignal } from "@preact/signals";
import { Problem, address, get, send, type Asked } from "../../api/client";
import type { Page, Receipt, Status } from "../../api/types";
import { inLayers } from "../../state/feed";
import { mayWrite } from "../../state/may";
import { useLoaded } from "../../state/loading";
import { complain, say } from "../../state/saying";
import { Ago, Card, Empty, RecordLink, Trouble, Waiting, plural } from "../../parts/basics";
import { Diff } from "../../parts/diff";
import { Plain } from "../../parts/plain";

const CALM = { live: inLayers("now"), calm: 300 };
const lines = (text: string) => text.split("\n").map((one) => one.trim()).filter(Boolean);
const whole = (one: Status) => [one.objective, ...one.next_steps].join("\n");

export function NowCard({ who, scope }: { who: Asked; scope: string }) {
  const { value, problem, again } = useLoaded((signal) => get<Status>("/api/now", who, signal), [scope], CALM);
  const begun = useSignal<Status | null>(null);
  const now = value.value;
  return (
    <Card title="Now" aside={!begun.value && now && mayWrite() && <button type="button" class="link small" onClick={() => { begun.value = now; }}>Steer</button>}>
      {problem.value && <Trouble problem={problem.value} again={again} />}
      {begun.value && now ? (
        <Steering who={who} begun={begun.value} now={now} onDone={() => { begun.value = null; again(); }} />
      ) : now && (
        <>
          <p class="objective" dir="auto">{now.objective ? <Plain text={now.objective} /> : <i class="faint">Nothing is said yet.</i>}</p>
          {!!now.next_steps.length && <ol class="steps">{now.next_steps.map((one, index) => <li key={index} dir="auto"><span class="grow"><Plain text={one} /></span></li>)}</ol>}
          <p class="faint small">Said <Ago at={now.updated_at} /></p>
        </>
      )}
    </Card>
  );
}

function Steering({ who, begun, now, onDone }: { who: Asked; begun: Status; now: Status; onDone: () => void }) {
  const objective = useSignal(begun.objective), steps = useSignal(begun.next_steps.join("\n"));
  /** What was read last by who writes; what came since is shown before it is overwritten. */
  const base = useSignal(begun);
  const isNew = now.rev !== base.value.rev;
  const save = async (event: Event) => {
    event.preventDefault();
    const body = { objective: objective.value, next_steps: lines(steps.value), expect: base.value.rev };
    try {
      const done = await send<Receipt>("PUT", address("/api/now", who), body);
      say("The agent is told.", { tx: done.tx });
      onDone();
    } catch (error) {
      complain(error instanceof Problem && error.status === 409 ? new Error("The agent has said something else meanwhile; look at it first.") : error);
    }
  };
  return (
    <form class="edit" onSubmit={save} onKeyDown={(event) => { if (event.key === "Escape") { event.stopPropagation(); onDone(); } }}>
      {isNew && (
        <div class="conflict" role="alert">
          <strong>This was changed while you were writing.</strong>
          <div class="sides">
            <div><h3>It says now</h3><Diff before={whole(base.value)} after={whole(now)} /></div>
            <div><h3>You write</h3><Diff before={whole(base.value)} after={[objective.value, ...lines(steps.value)].join("\n")} /></div>
          </div>
          <div class="actions">
            <button type="button" onClick={() => { base.value = now; }}>Keep mine</button>
            <button type="button" onClick={onDone}>Take theirs</button>
          </div>
        </div>
      )}
      <label class="field"><span>Objective</span>
        <input type="text" dir="auto" value={objective.value} onInput={(event) => { objective.value = event.currentTarget.value; }} /></label>
      <label class="field"><span>Next steps, one a line</span>
        <textarea rows={4} dir="auto" value={steps.value} onInput={(event) => { steps.value = event.currentTarget.value; }} /></label>
      <div class="actions"><button type="submit" class="primary" disabled={isNew}>Save</button>
        <button type="button" onClick={onDone}>Cancel</button></div>
    </form>
  );
}

export function FactsCard({ who, scope }: { who: Asked; scope: string }) {
  const { value, problem, again } = useLoaded((signal) => get<Page>("/api/facts", who, signal), [scope], { live: inLayers("fact"), calm: 800 });
  const facts = value.value?.records ?? [];
  return (
    <Card title="Facts" aside={<span class="faint small">{plural(facts.length, "value")}</span>}>
      {problem.value && <Trouble problem={problem.value} again={again} />}
      {!value.value ? !problem.value && <Waiting /> : facts.length ? (
        <dl class="facts plain">
          {facts.map((one) => <div key={one.id}><dt><RecordLink record={one}>{one.key}</RecordLink></dt><dd dir="auto"><Plain text={one.text} /></dd></div>)}
        </dl>
      ) : <Empty title="No facts" code="lamina --as finn fact set timezone Europe/Berlin">Single values by key, such as a time zone, go with every prompt.</Empty>}
    </Card>
  );
}

// What a model would be told now, within a budget, and what was left out and why.
import { useSignal } from "@preact/signals";
import { address, send, type Asked } from "../../api/client";
import { recordsOf } from "../../api/records";
import type { Context } from "../../api/types";
import { useLoaded } from "../../state/loading";
import { amend, route, to } from "../../state/router";
import { complain, say } from "../../state/saying";
import { Card, Empty, Meter, Trouble, Waiting, count, plural } from "../../parts/basics";
import { Plain } from "../../parts/plain";
import { TITLES, TokenBar } from "./tokens";

const BUDGETS = [250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000];
const SHOWN = 100;

export function ContextPreview({ who, scope }: { who: Asked; scope: string }) {
  const { asked } = route.value;
  const query = asked.get("q") ?? "", budget = Number(asked.get("budget")) || 2_000, than = Number(asked.get("than")) || 0;
  const isText = asked.get("as") === "text";
  const how = { live: true, calm: 1_000, typing: 200 };
  const ask = (tokens: number, signal: AbortSignal) => send<Context>("POST", address("/api/context", who), { query, budget: tokens }, {}, signal);
  const found = useLoaded((signal) => ask(budget, signal), [scope, query, budget], how);
  const compared = useLoaded((signal) => than ? ask(than, signal) : Promise.resolve(null), [scope, query, than], how);
  const told = found.value.value, other = than ? compared.value.value : null;
  return (
    <>
      <div class="filters">
        <label class="field inline grow"><span>The model is asked</span>
          <input type="text" class="grow" dir="auto" value={query} placeholder="nothing yet: hot state alone"
            onInput={(event) => amend({ q: event.currentTarget.value })} /></label>
        <label class="field inline"><span>Budget</span>
          <select value={String(budget)} onChange={(event) => amend({ budget: event.currentTarget.value })}>
            {[...new Set([...BUDGETS, budget])].sort((a, b) => a - b).map((one) => <option key={one} value={String(one)}>{count(one)} tokens</option>)}
          </select></label>
        <label class="field inline"><span>Compare with</span>
          <select value={String(than || "")} onChange={(event) => amend({ than: event.currentTarget.value })}>
            <option value="">nothing</option>{BUDGETS.filter((one) => one !== budget).map((one) => <option key={one} value={String(one)}>{count(one)}</option>)}
          </select></label>
      </div>
      {found.problem.value && <Trouble problem={found.problem.value} again={found.again} />}
      {!told ? !found.problem.value && <Waiting /> : (
        <>
          <TokenBar told={told} other={other} />
          <div class="columns">
            <Card title="What the model would see" aside={(
              <span class="switch small" role="group" aria-label="Shown as">
                <button type="button" aria-pressed={!isText} onClick={() => amend({ as: "" })}>Entries</button>
                <button type="button" aria-pressed={isText} onClick={() => amend({ as: "text" })}>As text</button>
              </span>
            )}>
              {isText ? <AsText text={told.text} /> : <Entries told={told} other={other} />}
            </Card>
            <Card title="What was left out" aside={<span class="faint small">{plural(told.left_out.length, "memory", "memories")}</span>}>
              {told.left_out.length ? <LeftOut told={told} /> : <Empty title="Nothing had to stay out">All that is relevant fits within the budget.</Empty>}
            </Card>
          </div>
        </>
      )}
    </>
  );
}

/** To the letter what goes before a model. */
function AsText({ text }: { text: string }) {
  const copy = () => {
    const done = navigator.clipboard?.writeText(text) ?? Promise.reject(new Error("This browser lets pages copy only over HTTPS or on this machine; mark the text and copy it."));
    done.then(() => say("Copied."), complain);
  };
  if (!text) return <Empty title="Nothing">With nothing asked and no hot state, the model is told nothing.</Empty>;
  return <><button type="button" onClick={copy}>Copy</button><pre class="raw" tabIndex={0} dir="auto">{text}</pre></>;
}

function Entries({ told, other }: { told: Context; other: Context | null }) {
  const parts = [...new Set(told.entries.map((one) => one.part))];
  const also = other && new Set(other.entries.map((one) => one.id));
  return (
    <>
      {parts.map((name) => {
        const listed = told.entries.filter((one) => one.part === name);
        return (
          <section key={name} class="entries">
            <h3 data-part={name}><i />{TITLES[name] ?? name} <span class="faint">{plural(listed.length, "entry", "entries")}</span></h3>
            <ul>
              {listed.map((one) => {
                const isExtra = !!also && !also.has(one.id);
                return (
                  <li key={one.id} class={isExtra ? "extra" : ""}>
                    <a href={to(["record", one.id])} dir="auto"><Plain text={one.line.replace(/^- /, "")} /></a>
                    {isExtra && <span class="chip">only here</span>}
                    {one.cut && <span class="chip state-proposed">shortened</span>}
                    <span class="why faint small">{one.score !== null && <><Meter value={one.score} label="How likely it is what was asked for:" />{Math.round(one.score * 100)}%</>} {count(one.tokens)} t</span>
                  </li>
                );
              })}
            </ul>
          </section>
        );
      })}
      {!parts.length && <Empty title="Nothing">With nothing asked and no hot state, the model is told nothing.</Empty>}
    </>
  );
}

function LeftOut({ told }: { told: Context }) {
  const all = useSignal(false);
  const ids = told.left_out.slice(0, SHOWN).map((one) => one.id);
  const texts = useLoaded((signal) => recordsOf(ids, signal), [ids.join()]);
  const named = new Map(texts.value.value?.map((one) => [one.id, one.key ? `${one.key}: ${one.text}` : one.text]));
  const reasons = new Map<string, string[]>();
  for (const one of told.left_out) reasons.set(one.why, [...(reasons.get(one.why) ?? []), one.id]);
  const few = all.value ? Infinity : 12;
  return (
    <>
      {[...reasons].sort((a, b) => b[1].length - a[1].length).map(([why, out]) => (
        <section key={why} class="entries">
          <h3>{why} <span class="faint">{plural(out.length, "memory", "memories")}</span></h3>
          <ul class="left-out">
            {out.slice(0, few).map((id) => <li key={id}><a href={to(["record", id])} dir="auto">{named.get(id) ?? id.slice(-8)}</a></li>)}
          </ul>
          {out.length > few && <button type="button" class="link small" onClick={() => { all.value = true; }}>{count(out.length - few)} more</button>}
        </section>
      ))}
    </>
  );
}

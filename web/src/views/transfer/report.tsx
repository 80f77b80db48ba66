import type { Became, Imported } from "../../api/types";
import { count, plural } from "../../parts/basics";
import { Plain } from "../../parts/plain";
import { FATES, INCOMING } from "./formats";

const SHOWN = 50;

/** What an import came to, or would: numbers, why something stays out, and what to look at. */
export function Report({ report }: { report: Imported }) {
  const fates = FATES.filter(([name]) => report.counts[name]);
  const reasons = Object.entries(report.reasons);
  return (
    <div class="column">
      <p class="small muted">
        {INCOMING.find((one) => one.name === report.format)?.title ?? report.format}
        {report.scope && <>, into <b>{report.scope}</b></>}
        {report.sessions > 0 && <>, {plural(report.sessions, "session")}</>}
        {report.sealed > 0 && <>, {plural(report.sealed, "secret")} sealed</>}
      </p>
      <dl class="tallies">
        {fates.map(([name, said, tone]) => (
          <div key={name} class={tone}><dt>{said}</dt><dd>{count(report.counts[name]!)}</dd></div>
        ))}
      </dl>
      {reasons.length > 0 && (
        <section aria-label="Why something stays out">
          <h3>Why something stays out</h3>
          <ul class="touches">{reasons.slice(0, SHOWN).map(([why, number]) => <li key={why}><b>{count(number)}</b> × <Plain text={why} /></li>)}</ul>
        </section>
      )}
      <Entries title="To look at" entries={report.problems} />
      {!report.applied && <Entries title="For example" entries={report.samples} />}
    </div>
  );
}

function Entries({ title, entries }: { title: string; entries: Became[] }) {
  if (!entries.length) return null;
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      <ul class="came">
        {entries.slice(0, SHOWN).map((one, index) => (
          <li key={index}>
            <span class="small faint">{FATES.find(([name]) => name === one.fate)?.[1] ?? one.fate}, {one.item ? `item ${one.item}` : `line ${one.line}`}</span>
            <span>{one.text ? <Plain text={one.text} /> : <Plain text={one.note} />}</span>
          </li>
        ))}
      </ul>
      {entries.length > SHOWN && <p class="small faint">and {count(entries.length - SHOWN)} more</p>}
    </section>
  );
}

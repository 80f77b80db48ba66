// Where a memory comes from and how far to believe it, in figures and in words.
import type { Rec } from "../../api/types";
import { to } from "../../state/router";
import { Ago, Meter, Trust, plural, shown } from "../basics";
import { lookup } from "../lookup";
import { Plain } from "../plain";
import { TRUSTED, isId, sureness } from "../words";

export function Facts({ record }: { record: Rec }) {
  return (
    <dl class="facts">
      <div><dt>Said by</dt><dd>{record.source} <Trust trust={record.trust} /> <span class="faint">{TRUSTED[record.trust]}</span></dd></div>
      <div><dt>Confidence</dt><dd><Meter value={record.confidence} label="Confidence" /> {Math.round(record.confidence * 100)}% <span class="faint">{sureness(record.confidence)}</span></dd></div>
      <div><dt>Importance</dt><dd><Meter value={record.importance} label="Importance" /> {Math.round(record.importance * 100)}%</dd></div>
      <div><dt>Scope</dt><dd>{record.scope}</dd></div>
      <div><dt>Kept</dt><dd><Ago at={record.created_at} /></dd></div>
      <div><dt>Changed</dt><dd><Ago at={record.updated_at} /> · revision {record.rev}</dd></div>
      {record.valid_from && <div><dt>Holds from</dt><dd><Ago at={record.valid_from} /></dd></div>}
      {record.expires_at && <div><dt>Runs out</dt><dd><Ago at={record.expires_at} /></dd></div>}
      <div><dt>Size</dt><dd>{plural(record.tokens, "token")}</dd></div>
      {Object.entries(record.data).map(([name, value]) => <div key={name}><dt>{LABELS[name] ?? name}</dt><dd><Value value={value} /></dd></div>)}
    </dl>
  );
}

const LABELS = lookup<string>({ promoted: "Promoted from", proposed: "Proposed from", merged: "Stands for", cites: "Evidence", quote: "Evidence" });

/** A value of `data`, with the memories that it names to be opened. */
function Value({ value }: { value: unknown }) {
  if (typeof value === "string" && isId(value)) return <a class="mono" href={to(["record", value])}>memory …{value.slice(-6)}</a>;
  if (Array.isArray(value) && value.length && value.length <= 60) {
    return <ul class="values">{value.map((one, index) => <li key={index}><Value value={one} /></li>)}</ul>;
  }
  if (value && typeof value === "object" && !Array.isArray(value)) {
    return <dl class="values">{Object.entries(value).map(([name, one]) => <div key={name}><dt>{name}</dt><dd><Value value={one} /></dd></div>)}</dl>;
  }
  return <span class="mono"><Plain text={shown(value)} /></span>;
}

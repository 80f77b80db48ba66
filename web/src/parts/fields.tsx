// What changed about a memory besides its text, field by field.
import type { Rec } from "../api/types";
import { shown } from "./basics";
import { Diff } from "./diff";

const NAMED: [keyof Rec, string][] = [
  ["state", "state"], ["kind", "kind"], ["key", "key"], ["scope", "scope"], ["tags", "tags"], ["confidence", "confidence"],
  ["importance", "importance"], ["trust", "trust"], ["source", "said by"], ["supersedes", "replaces"], ["valid_from", "holds from"], ["expires_at", "runs out"],
];
interface Changed {
  name: string;
  before: string;
  after: string;
}

const told = (value: unknown): string =>
  value === null || value === undefined || (Array.isArray(value) && !value.length) ? "nothing"
  : Array.isArray(value) && value.every((one) => typeof one === "string") ? value.join(", ") : shown(value);

function fieldChanges(before: Rec, after: Partial<Rec>): Changed[] {
  const found: Changed[] = [];
  const compare = (name: string, was: unknown, is: unknown) => {
    // A value that is the text as well is shown as the text.
    if (JSON.stringify(was) !== JSON.stringify(is) && told(is) !== after.text) found.push({ name, before: told(was), after: told(is) });
  };
  for (const [field, name] of NAMED) if (field in after) compare(name, before[field], after[field]);
  if (after.data) {
    const names = new Set([...Object.keys(before.data), ...Object.keys(after.data)]);
    for (const name of names) compare(name, before.data[name], after.data[name]);
  }
  return found;
}

/** All that differs between two versions: the text word by word, then the fields. */
export function Changes({ before, after }: { before: Rec; after: Partial<Rec> }) {
  const fields = fieldChanges(before, after);
  const said = after.text !== undefined && after.text !== before.text;
  return (
    <>
      {said && <Diff before={before.text} after={after.text!} />}
      {!!fields.length && (
        <dl class="field-diff">
          {fields.map((one) => <div key={one.name}><dt>{one.name}</dt><dd class="diff"><del>{one.before}</del> <ins>{one.after}</ins></dd></div>)}
        </dl>
      )}
      {!said && !fields.length && <p class="faint small">Nothing differs.</p>}
    </>
  );
}

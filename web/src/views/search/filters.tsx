import { useSignal } from "@preact/signals";
import { get } from "../../api/client";
import type { Facets } from "../../api/types";
import { Choice } from "../../parts/basics";
import { Typed } from "../../parts/typed";
import { LAYERS } from "../../parts/words";
import { useLoaded } from "../../state/loading";
import { project } from "../../state/prefs";
import { clearFilters, filtersIn } from "./question";
import { amend } from "../../state/router";
import { Past } from "./past";

const RANGE = "range";

export function Filters({ asked }: { asked: URLSearchParams }) {
  // What there is to choose from is asked for when somebody is about to choose.
  const choosing = useSignal(false);
  const layer = asked.get("layer") ?? "";
  const found = useLoaded(
    (signal) => choosing.value ? get<Facets>("/api/facets", { layer, project: project.value }, signal) : Promise.resolve(null),
    [choosing.value, layer, project.value]);
  const offered = found.value.value;
  const set = filtersIn(asked);
  const said = (label: string, name: string, size: number, choice: string[] | undefined) =>
    <Typed label={label} name={name} size={size} value={asked.get(name) ?? ""} offered={choice} />;
  return (
    <div class="filters" role="group" aria-label="Filters" onFocusCapture={() => { choosing.value = true; }}>
      <Choice label="Layer" value={layer} options={LAYERS} any="any" onChange={(one) => amend({ layer: one })} />
      {said("Kind", "kind", 9, offered?.kinds)}
      {said("Tag", "tag", 9, offered?.tags)}
      {said("Scope", "scope", 14, offered?.scopes)}
      {said("Said by", "source", 9, offered?.sources)}
      <Changed asked={asked} />
      <Past asOf={asked.get("as_of") ?? ""} />
      {set.length > 0 && <button type="button" class="small" onClick={clearFilters}>Clear {set.length === 1 ? "the filter" : `${set.length} filters`}</button>}
    </div>
  );
}

function Changed({ asked }: { asked: URLSearchParams }) {
  const from = asked.get("from") ?? "", to = asked.get("to") ?? "";
  const since = from || to ? RANGE : asked.get("since") ?? "";
  return (
    <>
      <label class="field inline">
        <span>Changed</span>
        <select value={since} onChange={(event) => amend({ since: event.currentTarget.value, from: "", to: "" })}>
          <option value="">any time</option><option value="1">last day</option>
          <option value="7">last week</option><option value="30">last month</option>
          <option value={RANGE}>between two days…</option>
        </select>
      </label>
      {since === RANGE && (
        <span class="range">
          <input type="date" aria-label="Changed from" value={from} max={to} onChange={(event) => amend({ since: RANGE, from: event.currentTarget.value })} />
          <span class="faint">to</span>
          <input type="date" aria-label="Changed until" value={to} min={from} onChange={(event) => amend({ since: RANGE, to: event.currentTarget.value })} />
        </span>
      )}
    </>
  );
}

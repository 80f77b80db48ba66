// The moment that a search is about: a slider whose steps grow with the distance, and a field for any other.
import { exactly, plural } from "../../parts/basics";
import { amend } from "../../state/router";

const STOPS = [
  "", "1m", "5m", "15m", "30m", "1h", "2h", "4h", "8h", "12h", "1d", "2d", "3d", "4d", "5d", "7d", "10d", "14d", "21d",
  "30d", "45d", "60d", "90d", "120d", "180d", "270d", "365d", "730d", "1825d",
];
const UNITS: Record<string, [number, string]> = {
  s: [1, "second"], m: [60, "minute"], h: [3_600, "hour"], d: [86_400, "day"], w: [604_800, "week"],
};

/** How many seconds ago a moment was; an address holds a span or an instant. */
function secondsAgo(asOf: string): number {
  const span = /^(\d+)([smhdw])$/.exec(asOf);
  if (span) return Number(span[1]) * UNITS[span[2]!]![0];
  return Math.max(0, (Date.now() - Date.parse(asOf)) / 1_000);
}

export function momentOf(asOf: string): string {
  if (!asOf) return "now";
  const span = /^(\d+)([smhdw])$/.exec(asOf);
  if (span) return `${plural(Number(span[1]), UNITS[span[2]!]![1])} ago`;
  const then = new Date(asOf);
  return Number.isNaN(then.getTime()) ? "then" : exactly(asOf);
}

function stopOf(asOf: string): number {
  if (!asOf) return 0;
  const age = secondsAgo(asOf);
  const at = STOPS.findIndex((stop) => stop && secondsAgo(stop) >= age);
  return at < 0 ? STOPS.length - 1 : at;
}

/** As a field for date and time wants it: in local time, to the minute. */
function localOf(asOf: string): string {
  if (!asOf) return "";
  const then = new Date(Date.now() - secondsAgo(asOf) * 1_000);
  if (Number.isNaN(then.getTime())) return "";
  return new Date(then.getTime() - then.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

export function Past({ asOf }: { asOf: string }) {
  const last = STOPS.length - 1;
  return (
    <div class="past" role="group" aria-label="As of">
      <label class="field inline">
        <span>As of <b>{momentOf(asOf)}</b></span>
        <input type="range" min={0} max={last} step={1} value={last - stopOf(asOf)} aria-label="As of"
          aria-valuetext={momentOf(asOf)} onInput={(event) => amend({ as_of: STOPS[last - Number(event.currentTarget.value)] })} />
      </label>
      <input type="datetime-local" aria-label="As of a moment" value={localOf(asOf)} max={localOf("1m")}
        onChange={(event) => {
          const then = event.currentTarget.value;
          amend({ as_of: then ? new Date(then).toISOString() : "" });
        }} />
      {asOf && <button type="button" class="link small" onClick={() => amend({ as_of: "" })}>Back to now</button>}
    </div>
  );
}

import type { ComponentChildren } from "preact";
import type { Problem } from "../api/client";
import type { Rec } from "../api/types";
import { to } from "../state/router";
import { moment, second } from "../state/ticking";
import { Icon } from "./icons";

export function Head({ title, about, children }: { title: string; about?: ComponentChildren; children?: ComponentChildren }) {
  return (
    <header class="head">
      <div>
        <h1 tabIndex={-1}>{title}</h1>
        {about && <p class="muted">{about}</p>}
      </div>
      <div class="actions">{children}</div>
    </header>
  );
}

export function Card({ title, children, aside, class: more = "" }: {
  title?: string; children: ComponentChildren; aside?: ComponentChildren; class?: string;
}) {
  return (
    <section class={`card ${more}`} aria-label={title}>
      {title && <div class="card-head"><h2>{title}</h2>{aside}</div>}
      {children}
    </section>
  );
}

/** Nothing here yet, and how to change that. */
export function Empty({ title, children, code, actions }: {
  title: string; children?: ComponentChildren; code?: string; actions?: ComponentChildren;
}) {
  return (
    <div class="empty">
      <svg width="64" height="52" viewBox="0 0 32 26" aria-hidden="true">
        <path d="M16 13 4 19l12 6 12-6z" /><path d="M16 7 4 13l12 6 12-6z" /><path d="M16 1 4 7l12 6 12-6z" />
      </svg>
      <strong>{title}</strong>
      {children && <p>{children}</p>}
      {actions && <div class="actions">{actions}</div>}
      {code && <code class="block">{code}</code>}
    </div>
  );
}

/** Something that the key behind the sign-in does not allow, and who can. */
export function OnlyReads({ what }: { what: string }) {
  return <Empty title="Your key only reads" code="lamina token create NAME">{what} needs a key that may write. The store's owner makes one.</Empty>;
}

/** What the server says, as sentences; commands in it as commands. */
export function Sentence({ text }: { text: string }) {
  const ended = /[.!?…:]$/.test(text) ? text : `${text}.`;
  return <>{(ended[0]!.toUpperCase() + ended.slice(1)).split("`").map((piece, index) => (index % 2 ? <code key={index}>{piece}</code> : piece))}</>;
}

/** What went wrong, and the way out; asking again is offered where another answer may come. */
export function Trouble({ problem, again }: { problem: Problem; again?: () => void }) {
  const mayChange = problem.retryable || problem.status === 0 || problem.status >= 500;
  return (
    <div class="trouble" role="alert">
      <strong><Sentence text={problem.message} /></strong>
      {problem.remedy && <p><Sentence text={problem.remedy} /></p>}
      {again && mayChange && <button type="button" onClick={again}>Try again</button>}
    </div>
  );
}

export function Waiting({ rows = 4 }: { rows?: number }) {
  return (
    <div class="waiting" role="status" aria-label="Loading">
      {Array.from({ length: rows }, (_, index) => <i key={index} style={{ width: `${92 - index * 11}%` }} />)}
    </div>
  );
}

export function LayerMark({ layer }: { layer: string }) {
  return <span class="layer" data-layer={layer}>{layer}</span>;
}

export function Marks({ record }: { record: Rec }) {
  return (
    <span class="marks">
      <LayerMark layer={record.layer} />
      <span class="chip">{record.kind}</span>
      {record.state !== "current" && <span class={`chip state-${record.state}`}>{record.state}</span>}
      {record.tags.map((tag) => <span key={tag} class="chip tag">{tag}</span>)}
    </span>
  );
}

const TRUST = ["web", "tool", "file", "agent", "system", "user"];

/** Where a statement comes from, as six steps of belief. */
export function Trust({ trust }: { trust: string }) {
  const rank = TRUST.indexOf(trust) + 1;
  return (
    <span class="trust" title={`Trust: ${trust}, step ${rank} of ${TRUST.length}`}>
      {TRUST.map((name, index) => <i key={name} class={index < rank ? "on" : ""} />)}
      <span>{trust}</span>
    </span>
  );
}

export function Meter({ value, label }: { value: number; label?: string }) {
  const share = Math.round(Math.max(0, Math.min(1, value)) * 100);
  return (
    <span class="meter" role="img" aria-label={`${label ?? ""} ${share} percent`} title={`${label ?? ""} ${share}%`}>
      <i style={{ width: `${share}%` }} />
    </span>
  );
}

/** A moment to the minute, as the reader's own place writes it. */
export function exactly(at: string | number): string {
  return new Date(at).toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
}

/** How old something is, growing as one looks: to the second while it is young, where that matters. */
export function Ago({ at, exact = false }: { at: string | null; exact?: boolean }) {
  if (!at) return <span class="faint">never</span>;
  void (exact ? second : moment).value;
  const seconds = Math.round((Date.now() - Date.parse(at)) / 1_000);
  const text = !exact || Math.abs(seconds) >= 60 ? ago(at) : seconds < 0 ? `in ${-seconds} s` : `${seconds} s ago`;
  return <time dateTime={at} title={exactly(at)}>{text}</time>;
}

const SPANS: [number, string][] = [[31_536_000, "y"], [2_592_000, "mo"], [604_800, "w"], [86_400, "d"], [3_600, "h"], [60, "min"]];

export function ago(at: string): string {
  const seconds = (Date.now() - Date.parse(at)) / 1_000;
  const future = seconds < 0;
  for (const [size, name] of SPANS) {
    // What began less than two hours ago is one hour old; what ends in two has two to go, not one.
    const count = future ? Math.round(-seconds / size) : Math.floor(seconds / size);
    if (count) return future ? `in ${count} ${name}` : `${count} ${name} ago`;
  }
  return future ? "in a moment" : "just now";
}

export function RecordLink({ record, children }: { record: Pick<Rec, "id">; children: ComponentChildren }) {
  return <a href={to(["record", record.id])}>{children}</a>;
}

export function IconButton({ icon, label, onClick, disabled }: {
  icon: string; label: string; onClick: () => void; disabled?: boolean;
}) {
  return (
    <button type="button" class="ghost icon-only" aria-label={label} title={label} onClick={onClick} disabled={disabled ?? false}>
      <Icon name={icon} size={16} />
    </button>
  );
}

export function Choice({ label, value, options, onChange, any }: {
  label: string; value: string; options: readonly string[]; onChange: (value: string) => void; any?: string;
}) {
  return (
    <label class="field inline">
      <span>{label}</span>
      <select value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {any !== undefined && <option value="">{any}</option>}
        {options.map((one) => <option key={one} value={one}>{one}</option>)}
      </select>
    </label>
  );
}

export const count = (number: number) => number.toLocaleString("en");

/** As long as it fits; the exact number stands beside it. */
export function short(number: number): string {
  if (number < 10_000) return count(number);
  const [size, unit] = number < 1e6 ? [1e3, "k"] as const : number < 1e9 ? [1e6, "M"] as const : [1e9, "G"] as const;
  const scaled = number / size;
  return `${scaled.toFixed(scaled < 100 ? 1 : 0)} ${unit}`;
}

export function plural(number: number, one: string, many = `${one}s`): string {
  return `${count(number)} ${number === 1 ? one : many}`;
}

export const cut = (text: string, most: number) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

export function shown(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

// Signals as records: what stands under a key, and how it is published.
import { address, get, part, send } from "../../api/client";
import type { Rec, Receipt, Signal } from "../../api/types";
import { partOf } from "../../state/places";

interface Draft {
  project: string | undefined;
  key: string;
  value: unknown;
  ttl: string;
}

export function valueOf(record: Rec): unknown {
  return "value" in record.data ? record.data["value"] : record.text;
}

export function projectOf(record: Rec): string | undefined {
  return partOf(record.scope, "project");
}

function pathOf(key: string, project: string | undefined): string {
  return address(`/api/blackboard/signals/${key.split("/").map(part).join("/")}`, { project });
}

/** `expect` is the revision that must stand there, 0 for none. */
export function publish({ project, key, value, ttl }: Draft, expect: number) {
  const body = { value, expect, ...(ttl ? { ttl } : {}) };
  return send<Receipt & { drift: string[] }>("PUT", pathOf(key, project), body);
}

export function standing(key: string, project: string | undefined): Promise<Signal> {
  return get<Signal>(pathOf(key, project));
}

export function clear(signal: Rec): Promise<Receipt> {
  return send<Receipt>("DELETE", pathOf(signal.key!, projectOf(signal)));
}

/** A value as somebody types it: JSON where it is JSON, else text. */
export function read(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The other way round: a text that would be read as JSON is written as JSON. */
export function written(value: unknown): string {
  return typeof value === "string" && read(value) === value ? value : JSON.stringify(value);
}

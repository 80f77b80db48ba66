// The import of this tab. It goes on while other views are looked at.
import { signal } from "@preact/signals";
import { Problem, asProblem, isOver, send, type Asked } from "../../api/client";
import { importFile } from "../../api/transfer";
import type { Imported } from "../../api/types";
import { onSomebodyElse } from "../../state/session";

type Stage = "looking" | "looked" | "importing" | "done" | "stopped" | "taking-back" | "taken-back";

export interface Job {
  file: File;
  how: Asked;
  stage: Stage;
  share: number;
  /** What was written so far: what `undo` takes. */
  written: string[];
  report: Imported | null;
  problem: Problem | null;
}

export const job = signal<Job | null>(null);
let running: AbortController | null = null;

function amendJob(changed: Partial<Job>): void {
  if (job.value) job.value = { ...job.value, ...changed };
}

/** Look what would become of a file; nothing is written. */
export function look(file: File, how: Asked): Promise<void> {
  job.value = { file, how, stage: "looking", share: 0, written: [], report: null, problem: null };
  return run(true, "looked");
}

/** Take it in, or go on where that was stopped. */
export function take(): Promise<void> {
  amendJob({ stage: "importing", share: 0, report: null, problem: null });
  return run(false, "done");
}

/** Stop it behind the batch that is being written, so that everything written is known here. */
export async function stop(): Promise<void> {
  const control = running;
  try {
    if ((await send<{ stopped: boolean }>("DELETE", "/api/import")).stopped) return;
  } catch {
    // Who cannot be told is left.
  }
  control?.abort();
}

export function clear(): void {
  running = null;
  job.value = null;
}

onSomebodyElse(() => {
  running?.abort();
  clear();
});

async function run(dry: boolean, then: Stage): Promise<void> {
  const { file, how } = job.peek()!;
  const control = running = new AbortController();
  // What an import that was given up still tells is about no file that is shown.
  const isMine = () => running === control;
  try {
    const tell = (share: number, written: string[]) => {
      if (isMine()) amendJob({ share, written: [...job.peek()!.written, ...written] });
    };
    const report = await importFile(file, { ...how, dry_run: dry }, tell, control.signal);
    if (isMine()) amendJob({ stage: then, share: 1, report });
  } catch (error) {
    if (!isMine() || !job.peek()) return;
    if (dry && isOver(error)) job.value = null;
    else amendJob({ stage: dry ? "looked" : "stopped", problem: isOver(error) ? null : asProblem(error) });
  }
}

/** Take back what was written, the last batch first. */
export async function takeAllBack(): Promise<void> {
  const all = job.peek()!.written;
  amendJob({ stage: "taking-back", share: 0, problem: null });
  try {
    for (let left = all.length; left > 0; left--) {
      await send("POST", "/api/undo", { tx: all[left - 1] });
      amendJob({ share: (all.length - left + 1) / all.length, written: all.slice(0, left - 1) });
    }
    amendJob({ stage: "taken-back" });
  } catch (error) {
    amendJob({ stage: "stopped", problem: asProblem(error) });
  }
}

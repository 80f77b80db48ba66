// Files that go in and come out: what is told while that lasts.
import { Problem, address, answered, isOver, unreachable, type Asked } from "./client";
import type { ImportLine, Imported } from "./types";

interface Got {
  name: string;
  bytes: number;
  content: Blob;
}

/** Every piece of an answer as it comes; one that is cut off in the middle is an error. */
async function* pieces(answer: Response): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const reader = answer.body!.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } catch (error) {
    throw isOver(error) ? error : unreachable();
  }
}

/** Send a file; what is told meanwhile goes to `tell`, and what it came to is returned. */
export async function importFile(
  file: File, how: Asked, tell: (share: number, transactions: string[]) => void, signal: AbortSignal,
): Promise<Imported> {
  // It always has a type of its own: nobody else's page can send one without being asked.
  const headers = { "Content-Type": "application/octet-stream" };
  const answer = await answered(address("/api/import", { ...how, name: file.name }), { method: "POST", body: file, headers, signal });
  const decoder = new TextDecoder();
  let rest = "";
  for await (const piece of pieces(answer)) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const told = JSON.parse(line) as ImportLine;
      if (told.error) throw new Problem(200, told.error.code, told.error.message, told.error.remedy, told.error.retryable);
      if (told.report) return told.report;
      if (told.stopped) throw new DOMException("The import was stopped.", "AbortError");
      tell(told.progress ?? 0, told.transactions ?? []);
    }
  }
  throw unreachable();
}

/** Fetch an export; `tell` hears of bytes and lines so far, and of how many memories it is about. */
export async function exportFile(
  how: Asked, tell: (bytes: number, lines: number, records: number) => void, signal: AbortSignal,
): Promise<Got> {
  const answer = await answered(address("/api/export", how), { signal });
  const records = Number(answer.headers.get("Lamina-Records") ?? 0);
  const name = /filename="([^"]+)"/.exec(answer.headers.get("Content-Disposition") ?? "")?.[1] ?? "lamina-export";
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0, lines = 0;
  tell(0, 0, records);
  for await (const piece of pieces(answer)) {
    parts.push(piece);
    bytes += piece.length;
    for (const one of piece) if (one === 10) lines++;
    tell(bytes, lines, records);
  }
  return { name, bytes, content: new Blob(parts, { type: "application/octet-stream" }) };
}

/** Let the browser keep something as a file. */
export function save(name: string, content: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

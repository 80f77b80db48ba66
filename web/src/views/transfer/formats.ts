// What can come in and go out, in words for people.

interface Format {
  name: string;
  title: string;
  about: string;
}

export const INCOMING: Format[] = [
  { name: "auto", title: "Find out by itself", about: "The content tells which of the others it is." },
  { name: "chatgpt", title: "ChatGPT", about: "The archive that ChatGPT sends, or conversations.json out of it. Each conversation becomes a session." },
  { name: "claude", title: "Claude", about: "The archive that Claude sends, or conversations.json out of it. Each conversation becomes a session." },
  { name: "mem0", title: "Mem0", about: "Memories as JSON, as Mem0 exports them. Each becomes knowledge." },
  { name: "server-memory", title: "MCP memory server", about: "memory.jsonl of the reference server. Entities and relations become knowledge." },
  { name: "markdown", title: "Markdown note", about: "CLAUDE.md, a page of a vault or any other note. Each item and paragraph becomes knowledge." },
  { name: "basic-memory", title: "Basic Memory note", about: "A note of Basic Memory, with its observations and relations." },
  { name: "jsonl", title: "Rows of JSON", about: "One object on each line, or a list of them. Columns are guessed, or named below." },
  { name: "csv", title: "Table", about: "CSV with a line of headings. Columns are guessed, or named below." },
  { name: "lamina", title: "Lamina", about: "JSON lines that an export wrote. Each says itself where it belongs." },
];

export const OUTGOING: Format[] = [
  { name: "jsonl", title: "JSON lines", about: "Everything, so that it can be taken in again without loss." },
  { name: "markdown", title: "Markdown", about: "What stands now, as one page for people." },
  { name: "server-memory", title: "MCP memory server", about: "Knowledge and facts as memory.jsonl of the reference server." },
  { name: "mem0", title: "Mem0", about: "Knowledge and facts as a list in the shape of Mem0." },
];

/** What became of entries, the good first, and whether somebody should look. */
export const FATES: [string, string, "" | "good" | "warn" | "bad"][] = [
  ["added", "new", "good"], ["revised", "changed", "good"], ["unchanged", "known already", ""],
  ["forgotten", "no longer in it", "warn"], ["proposed", "for review", "warn"], ["conflict", "differ here", "warn"],
  ["kept", "kept as they are here", "warn"], ["hidden", "forgotten here", ""], ["erased", "erased here", ""],
  ["left", "nothing to keep", ""], ["failed", "cannot be taken", "bad"],
];

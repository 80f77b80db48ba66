// The words that memories are kept under, and what figures mean in words.
import { lookup } from "./lookup";

export const LAYERS: readonly string[] = [
  "knowledge", "fact", "episode", "task", "artifact", "notebook", "log", "now", "blackboard", "item",
  "source", "session", "archive",
];
/** The states in which something is said, and those in which no search finds it. */
export const OPEN_STATES: readonly string[] = ["current", "proposed"];
export const STATES: readonly string[] = [...OPEN_STATES, "superseded", "archived", "forgotten"];
export const HIDDEN_STATES: readonly string[] = STATES.filter((one) => one !== "current");

const ID = /^[0-9a-hjkmnp-tv-z]{26}$/;
export const isId = (text: string) => ID.test(text);

/** The kinds that a layer is made for; others are welcome where it says so. */
export const KINDS = lookup<readonly string[]>({
  knowledge: ["fact", "convention", "architecture", "decision", "pattern", "pitfall", "codebase", "preference", "outcome", "failure"],
  fact: ["general", "preference", "personal", "config"],
  notebook: ["note", "reasoning", "tool_output"],
});
/** Layers of which nothing ever gets other words. */
export const FIXED = ["session", "log", "episode", "access"];

const SURE: [number, string][] = [[0.9, "as good as certain"], [0.7, "likely"], [0.45, "unsure"], [0, "doubtful"]];

export function sureness(share: number): string {
  return SURE.find(([least]) => share >= least)![1];
}

export const TRUSTED = lookup<string>({
  user: "a person said it", system: "the system itself", agent: "an agent concluded it", file: "read in a file",
  tool: "a tool's output, which anybody may have shaped", web: "from the web, which anybody may have written",
});

export function tagsOf(text: string): string[] {
  return [...new Set(text.split(",").map((one) => one.trim()).filter(Boolean))];
}

const DOORS = lookup<string>({
  http: "the server", cli: "the command line", mcp: "a tool call", library: "the library", files: "an edited file", import: "an import",
  pipeline: "extraction", hook: "a harness",
});

/** By which way something came in. */
export const doorOf = (surface: string) => DOORS[surface] ?? surface;

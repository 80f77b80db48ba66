import type { ComponentType } from "preact";
import { KnowledgeView } from "./knowledge";
import { lazy } from "./lazy";
import { OverviewView } from "./overview";
import { SearchView } from "./search";

interface View {
  name: string;
  title: string;
  View: ComponentType<{ rest: string[] }>;
  also?: string[];
}

/** Every view, in the order of the menu. Those that few open first come when they are asked for. */
export const VIEWS: View[] = [
  { name: "overview", title: "Overview", View: OverviewView },
  { name: "search", title: "Search", View: SearchView },
  { name: "knowledge", title: "Knowledge", View: KnowledgeView, also: ["record"] },
  { name: "agents", title: "Agents", View: lazy(async () => (await import("./agents")).AgentsView) },
  { name: "tasks", title: "Tasks", View: lazy(async () => (await import("./tasks")).TasksView) },
  { name: "board", title: "Blackboard", View: lazy(async () => (await import("./board")).BoardView) },
  { name: "review", title: "Review", View: lazy(async () => (await import("./review")).ReviewView) },
  { name: "feed", title: "Feed", View: lazy(async () => (await import("./feed")).FeedView) },
  { name: "erase", title: "Erase", View: lazy(async () => (await import("./erase")).EraseView) },
  { name: "transfer", title: "Import and export", View: lazy(async () => (await import("./transfer")).TransferView) },
];

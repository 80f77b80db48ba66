// Which view is shown, and what of: `#/search?q=redis`. Everything a view shows can be linked to.
import { computed, signal } from "@preact/signals";

/** An address that signs somebody in. */
export const ENTRY = /^#\/enter\/(lmc_\w+)/;

const hash = signal(location.hash);
addEventListener("hashchange", () => {
  // A code is looked at when a page begins, by which time nobody is in the middle of something.
  if (ENTRY.test(location.hash)) location.reload();
  else hash.value = location.hash;
});

interface Route {
  view: string;
  rest: string[];
  asked: URLSearchParams;
}

export const route = computed<Route>(() => {
  const [path = "", query = ""] = hash.value.replace(/^#\/?/, "").split("?", 2);
  const [view = "", ...rest] = path.split("/").map(decoded);
  return { view: view || "overview", rest, asked: new URLSearchParams(query) };
});

/** An address within the page. */
export function to(path: string[], asked: Record<string, string | undefined> = {}): string {
  const said = Object.entries(asked).filter((pair): pair is [string, string] => !!pair[1]);
  const query = said.length ? `?${new URLSearchParams(said)}` : "";
  return `#/${path.map(encodeURIComponent).join("/")}${query}`;
}

export function go(path: string[], asked: Record<string, string | undefined> = {}): void {
  location.hash = to(path, asked);
  // The browser tells of it later, and another key may be pressed before.
  hash.value = location.hash;
}

/** Be at the beginning, as if the address had never said anything else. */
export function restart(): void {
  history.replaceState(null, "", "#/");
  hash.value = location.hash;
}

/** Change what is asked for without leaving a trail of every key that was typed. */
export function amend(asked: Record<string, string | undefined>): void {
  const { view, rest, asked: before } = route.peek();
  const all = { ...Object.fromEntries(before), ...asked };
  history.replaceState(null, "", to([view, ...rest], all));
  hash.value = location.hash;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

import { useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { asking } from "./parts/dialog";
import { Help } from "./parts/help";
import { Clashes } from "./parts/record/clash";
import { Sidebar } from "./parts/sidebar";
import { Toasts } from "./parts/toasts";
import { join } from "./state/feed";
import { closePanel, intoList, intoPanel, obey, useKeys } from "./state/keys";
import { go, route } from "./state/router";
import { invited, isReady, me } from "./state/session";
import { VIEWS } from "./views";
import { Missing } from "./views/missing";
import { Invited, SignIn } from "./views/signin";

const DIGITS = "1234567890".split("");
/** Views whose address names what they are about in words. */
const NAMED = ["agents", "tasks"];

export function App() {
  if (!isReady.value) return <div role="status" aria-label="Starting" />;
  return (
    <>
      {invited.value ? <Invited /> : me.value ? <Inside /> : <SignIn />}
      {!asking.value && <Toasts />}
    </>
  );
}

function Inside() {
  const helping = useSignal(false);
  useEffect(join, []);
  useKeys("Anywhere", [
    { keys: ["/"], does: "Search", run: toSearch },
    { keys: ["?"], does: "This list of keys", run: () => { helping.value = true; } },
    { keys: ["ArrowDown", "ArrowUp", "j", "k"], does: "Move through results, lists and tables", run: intoList },
    { keys: ["PageDown", "PageUp"], does: "Ten at once", run: intoList },
    { keys: ["Enter"], does: "Open what is chosen", run: intoPanel },
    { keys: ["Escape"], does: "Close what is open, or empty the search", run: closePanel },
  ]);
  useKeys("Views", VIEWS.slice(0, DIGITS.length).map((one, index) => (
    { keys: [DIGITS[index]!], does: one.title, run: () => toView(one.name) })));
  useLayoutEffect(() => {
    addEventListener("keydown", obey);
    return () => removeEventListener("keydown", obey);
  }, []);

  const { view, rest } = route.value;
  const found = VIEWS.find((one) => one.name === view || one.also?.includes(view));
  const about = found && NAMED.includes(found.name) ? rest[0]?.split("/").pop() : undefined;
  useEffect(() => {
    document.title = [about, found?.title ?? "Not found", "Lamina"].filter(Boolean).join(" · ");
  }, [found, about]);
  const isFirst = useRef(true);
  useEffect(() => {
    if (isFirst.current) {
      isFirst.current = false;
      return;
    }
    // What had the focus went with the view before: keys and screen readers go on at the new one.
    if (document.activeElement === document.body) toHeading();
  }, [found]);
  return (
    <div class="shell">
      <a class="skip" href="#main" onClick={(event) => {
        event.preventDefault();
        document.getElementById("main")?.focus();
      }}>Skip to content</a>
      <Sidebar current={found?.name} onHelp={() => { helping.value = true; }} />
      <main id="main" tabIndex={-1} class={`view view-${view}`} key={found?.name}>
        {found ? <found.View rest={rest} /> : <Missing what={`There is no view called “${view}”.`} />}
      </main>
      <Clashes />
      {helping.value && <Help onClose={() => { helping.value = false; }} />}
    </div>
  );
}

function toHeading(): void {
  const heading = document.querySelector<HTMLElement>("main h1") ?? document.getElementById("main");
  heading?.focus({ preventScroll: true });
}

function toView(name: string): void {
  if (route.peek().view === name) toHeading();
  else go([name]);
}

function toSearch(): void {
  const box = document.querySelector<HTMLInputElement>("input[type=search]");
  if (route.peek().view !== "search" || !box) return go(["search"]);
  box.focus();
  box.select();
}

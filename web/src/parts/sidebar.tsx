import { useEffect } from "preact/hooks";
import { standing } from "../state/feed";
import { toMiddle } from "../state/keys";
import { useOverview } from "../state/overview";
import { project, theme, type Theme } from "../state/prefs";
import { to } from "../state/router";
import { me, signOut } from "../state/session";
import { VIEWS } from "../views";
import { IconButton } from "./basics";
import { Icon, Logo } from "./icons";

const SAID = { joining: "Joining…", live: "Live", broken: "Reconnecting…" };
const THEMES: Record<Theme, Theme> = { auto: "light", light: "dark", dark: "auto" };

export function Sidebar({ current, onHelp }: { current: string | undefined; onHelp: () => void }) {
  const seen = useOverview("", 3_000);
  useEffect(() => toMiddle(document.querySelector<HTMLElement>(".side [aria-current]")), [current]);
  const confined = me.value?.root?.replace(/^project\//, "");
  return (
    <aside class="side">
      <a class="brand" href={to(["overview"])} aria-label="Lamina"><Logo /><span>Lamina</span></a>
      {confined ? <p class="where" title={me.value?.root ?? ""}>{confined}</p> : (
        <label class="where">
          <span class="unseen">Project</span>
          <select value={project.value} onChange={(event) => { project.value = event.currentTarget.value; }}>
            <option value="">All projects</option>
            {seen.value.value?.projects.map((one) => <option key={one} value={one}>{one}</option>)}
          </select>
        </label>
      )}
      <nav aria-label="Views">
        {VIEWS.map((view) => (
          <a key={view.name} href={to([view.name])} aria-current={view.name === current ? "page" : undefined}>
            <Icon name={view.name} /><span>{view.title}</span>
            {view.name === "review" && !!seen.value.value?.proposals && (
              <b class="badge" aria-label={`${seen.value.value.proposals} waiting`}>{seen.value.value.proposals}</b>
            )}
          </a>
        ))}
      </nav>
      <div class="foot">
        <span class={`standing ${standing.value}`} role="status"><i />{SAID[standing.value]}</span>
        <span class="who" title={`Signed in as ${me.value?.role}`}>{me.value?.name}</span>
        <span class="tools">
          <IconButton icon="sun" label={`Colours: ${theme.value}`} onClick={() => { theme.value = THEMES[theme.value]; }} />
          <IconButton icon="help" label="Keyboard" onClick={onHelp} />
          <IconButton icon="out" label="Sign out" onClick={() => signOut()} />
        </span>
      </div>
    </aside>
  );
}

// Every agent, with what it does: found by name or by that, however many there are.
import { get } from "../../api/client";
import type { Page } from "../../api/types";
import { inLayers } from "../../state/feed";
import { useLoaded } from "../../state/loading";
import { project } from "../../state/prefs";
import { amend, route, to } from "../../state/router";
import { count, plural } from "../../parts/basics";

const MOST = 300, FEW = 7;

export const byName = (a: { name: string }, b: { name: string }) => a.name.localeCompare(b.name, "en", { numeric: true });

export function Crew({ agents, chosen }: { agents: { name: string; scope: string }[]; chosen: string }) {
  const where = JSON.stringify({ layer: "now", key: "objective" });
  const told = useLoaded((signal) => get<Page>("/api/records", { where, project: project.value, limit: 1_000 }, signal), [project.value], { live: inLayers("now"), calm: 800 });
  const doing = new Map(told.value.value?.records.map((one) => [one.scope, one.text]));
  const find = route.value.asked.get("find") ?? "";
  const words = find.toLowerCase().split(/\s+/).filter(Boolean);
  const found = agents.filter((one) => words.every((word) => `${one.scope} ${doing.get(one.scope) ?? ""}`.toLowerCase().includes(word)));
  found.sort(byName);
  const names = new Set(agents.map((one) => one.name));
  const kept = Object.fromEntries([...route.value.asked].filter(([name]) => name === "tab" || name === "find" || name === "q" || name === "budget"));
  return (
    <aside aria-label="Agents">
      {agents.length > FEW && (
        <input type="search" aria-label="Find an agent" placeholder={`Find among ${count(agents.length)}`} value={find}
          onInput={(event) => amend({ find: event.currentTarget.value })} />
      )}
      <ul class="crew-list" aria-label="Agents">
        {found.slice(0, MOST).map((one) => (
          <li key={one.scope}>
            <a href={to(["agents", one.scope], kept)} aria-current={one.scope === chosen ? "page" : undefined} title={one.scope}>
              <span class="face" aria-hidden="true">{one.name.slice(0, 1).toUpperCase()}</span>
              <span class="grow"><b>{names.size < agents.length ? one.scope.replace(/^project\//, "").replace("/agent/", " · ") : one.name}</b>
                <span class="line" dir="auto">{doing.get(one.scope) ?? "nothing said"}</span></span>
            </a>
          </li>
        ))}
      </ul>
      {!found.length && <p class="faint small">No agent is like that.</p>}
      {found.length > MOST && <p class="faint small">{plural(found.length - MOST, "more agent")}: say more of the name.</p>}
    </aside>
  );
}

// What there is: by layer, by project, and who works on it.
import type { Overview } from "../../api/types";
import { Ago, Card, Empty, count, plural, short } from "../../parts/basics";
import { partOf } from "../../state/places";
import { project } from "../../state/prefs";
import { to } from "../../state/router";
import { me } from "../../state/session";

const SHOWN = 8;

export function Layers({ found }: { found: Overview }) {
  const layers = Object.entries(found.layers).filter(([name, size]) => size && name !== "access").sort((a, b) => b[1] - a[1]);
  const most = Math.max(1, ...layers.map(([, size]) => size));
  return (
    <Card title="Layers" aside={<span class="faint small">{plural(layers.length, "layer")} in use</span>}>
      <ul class="bars sized">
        {layers.map(([name, size]) => {
          const tokens = found.layer_tokens[name] ?? 0;
          return (
            <li key={name}>
              <a href={to(["knowledge"], { layer: name })} title={`${plural(size, "memory", "memories")} of layer ${name}, with ${count(tokens)} tokens of text`}>
                <span class="layer" data-layer={name}>{name}</span>
                <span class="bar"><i data-layer={name} style={{ width: `${Math.max(1, (100 * size) / most)}%` }} /></span>
                <b>{count(size)}</b><small class="faint">{short(tokens)} tokens</small>
              </a>
            </li>
          );
        })}
      </ul>
    </Card>
  );
}

export function Projects({ found }: { found: Overview }) {
  const sizes = [...found.project_sizes].sort((a, b) => b.records - a.records);
  if (me.value?.root || !sizes.length) return null;
  const most = Math.max(1, ...sizes.map((one) => one.records));
  return (
    <Card title="Projects" aside={<span class="faint small">{plural(sizes.length, "project")}</span>}>
      <ul class="bars sized scrolls" tabIndex={sizes.length > SHOWN ? 0 : -1}>
        {sizes.map((one) => (
          <li key={one.name}>
            <button type="button" class="plain" onClick={() => { project.value = one.name; scrollTo(0, 0); }}
              title={`${one.name}: ${plural(one.records, "memory", "memories")}, ${count(one.tokens)} tokens, ${plural(one.agents, "agent")}. Shows this project alone.`}>
              <bdi class="cut">{one.name}</bdi>
              <span class="bar"><i style={{ width: `${Math.max(1, (100 * one.records) / most)}%` }} /></span>
              <b>{count(one.records)}</b><small class="faint">{plural(one.agents, "agent")}</small>
            </button>
          </li>
        ))}
      </ul>
    </Card>
  );
}

export function Agents({ found }: { found: Overview }) {
  if (!found.agents.length) {
    return (
      <Card title="Agents">
        <Empty title="No agent has said what it does" code={'lamina --as finn now "Migrate the billing tables"'}>
          Agents appear here once they keep a status or a log.
        </Empty>
      </Card>
    );
  }
  // Who said something last comes first; those who never did come by name, as they are told.
  const latest = [...found.agents].sort((a, b) => (b.updated_at ?? "").localeCompare(a.updated_at ?? ""));
  return (
    <Card title="Agents" aside={<span class="faint small">{plural(found.agents.length, "agent")}</span>}>
      <ul class="agents">{latest.slice(0, SHOWN).map((one) => <AgentLine key={one.scope} agent={one} />)}</ul>
      {latest.length > SHOWN && <a class="small" href={to(["agents"])}>All {count(latest.length)} agents</a>}
    </Card>
  );
}

function AgentLine({ agent }: { agent: Overview["agents"][number] }) {
  return (
    <li>
      <a href={to(["agents", agent.scope])}>
        <span class="face" aria-hidden="true">{[...agent.name][0]?.toUpperCase()}</span>
        <span class="grow">
          <span class="line"><b><bdi>{agent.name}</bdi></b> <bdi class="faint small">{partOf(agent.scope, "project")}</bdi></span>
          <span class="line" dir="auto">{agent.objective || <i class="faint">says nothing right now</i>}</span>
        </span>
        {agent.updated_at && <span class="faint small still"><Ago at={agent.updated_at} /></span>}
      </a>
    </li>
  );
}

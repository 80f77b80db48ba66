import type { Overview } from "../../api/types";
import { ChangeLine } from "../../parts/change";
import { Card, Empty, Head, Trouble, Waiting } from "../../parts/basics";
import { mayWrite } from "../../state/may";
import { changes } from "../../state/feed";
import { useOverview } from "../../state/overview";
import { project } from "../../state/prefs";
import { to } from "../../state/router";
import { Agents, Layers, Projects } from "./cards";
import { Figures, Spending, useFigures } from "./figures";
import { HealthCard } from "./health";

const CALM_MS = 800;

export function OverviewView() {
  const named = project.value;
  const { value, problem, again } = useOverview(named, CALM_MS);
  const found = value.value;
  if (problem.value && !found) return <Trouble problem={problem.value} again={again} />;
  if (!found) return <Waiting />;
  return (
    <>
      <Head title="Overview" about={named ? <>What the project <bdi>{named}</bdi> remembers</> : "What this store remembers"}>
        {named && <button type="button" onClick={() => { project.value = ""; }}>All projects</button>}
      </Head>
      {memories(found) === 0 ? <First named={named} /> : <Told found={found} named={named} />}
    </>
  );
}

function Told({ found, named }: { found: Overview; named: string }) {
  const figures = useFigures(named);
  return (
    <>
      <Figures found={found} memories={memories(found)} figures={figures} />
      <div class="columns">
        <div class="column">
          <Layers found={found} />
          {!named && <Projects found={found} />}
          <Agents found={found} />
        </div>
        <div class="column">
          <HealthCard />
          <Spending found={found} spent={figures?.spent ?? null} />
          <Activity />
        </div>
      </div>
    </>
  );
}

/** Keys are kept as records too, but they are nobody's memories. */
function memories(found: Overview): number {
  return found.records - (found.layers["access"] ?? 0);
}

function First({ named }: { named: string }) {
  const where = named ? ` --project ${named}` : "";
  return (
    <Empty title={named ? "Nothing is remembered here yet" : "Nothing is remembered yet"}
      code={`lamina${where} remember "Deploys go out on Tuesdays" --key deploy-day`}
      actions={mayWrite() && (
        <>
          <a class="button primary" href={to(["knowledge"], { add: "1" })}>Add a memory</a>
          <a class="button" href={to(["transfer"])}>Import a file</a>
        </>
      )}>
      {mayWrite() && "Write a first one here, import a file, or let agents begin: "}
      {mayWrite() ? "what" : "What"} they keep from the command line, Python, HTTP or MCP appears here at once.
    </Empty>
  );
}

function Activity() {
  const latest = changes.value.filter((one) => (one.record ?? one.before)?.layer !== "access").slice(0, 14);
  return (
    <Card title="Live activity" aside={<a class="small" href={to(["feed"])}>Whole feed</a>}>
      {latest.length ? <ul class="changes">{latest.map((one) => <ChangeLine key={one.cursor} change={one} />)}</ul> : (
        <Empty title="Quiet">What agents and people change shows up here as it happens.</Empty>
      )}
    </Card>
  );
}

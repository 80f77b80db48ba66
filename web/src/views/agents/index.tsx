import { Empty, Head, Trouble, Waiting } from "../../parts/basics";
import { ContextPreview } from "./context";
import { Crew, byName } from "./crew";
import { Handoffs } from "./handoffs";
import { LogCard } from "./log";
import { Notes } from "./notes";
import { FactsCard, NowCard } from "./now";
import { Sessions } from "./sessions";
import { Tabs } from "../../parts/tabs";
import { useOverview } from "../../state/overview";
import { partOf } from "../../state/places";
import { project } from "../../state/prefs";
import { amend, route } from "../../state/router";
import { me } from "../../state/session";

const TABS = [
  { name: "now", title: "Now and log" }, { name: "context", title: "Context preview" }, { name: "sessions", title: "Sessions" },
  { name: "notebook", title: "Notebook" }, { name: "handoffs", title: "Handoffs" },
] as const;

export function AgentsView({ rest }: { rest: string[] }) {
  const seen = useOverview(project.value, 800);
  if (seen.problem.value && !seen.value.value) return <Trouble problem={seen.problem.value} again={seen.again} />;
  if (!seen.value.value) return <Waiting />;
  const { agents } = seen.value.value;
  const scope = rest[0] ?? [...agents].sort(byName)[0]?.scope;
  if (!scope) {
    return (
      <>
        <Head title="Agents" about="What each agent does now, what it keeps, and what a model would be told." />
        <Empty title="No agent has said what it does" code={'lamina --as finn --project web now "Migrate the billing tables"'}>
          An agent appears here once it keeps a status or a log. Its loop does that by itself: <code>lamina run --as finn</code>.
        </Empty>
      </>
    );
  }
  if (agents.length < 2) return <Agent key={scope} scope={scope} />;
  return <div class="crew"><Crew agents={agents} chosen={scope} /><Agent key={scope} scope={scope} /></div>;
}

function Agent({ scope }: { scope: string }) {
  const who = { project: partOf(scope, "project"), agent: partOf(scope, "agent") };
  const asked = route.value.asked.get("tab");
  const tab = TABS.find((one) => one.name === asked)?.name ?? "now";
  const isClosed = tab !== "notebook" && me.value?.role !== "admin" && me.value?.name !== who.agent;
  return (
    <div>
      <Head title={who.agent ?? scope} about={scope} />
      <Tabs label="About the agent" tabs={TABS} chosen={tab} onChoose={(one) => amend({ tab: one, as: "" })}>
        {isClosed && (
          <Empty title="Only the agent itself and the store's owner see this">
            What {who.agent} does now, its log, its sessions and what it would be told are its own. Its notebook can be read.
          </Empty>
        )}
        {tab === "now" && !isClosed && (
          <div class="columns">
            <div class="column"><NowCard who={who} scope={scope} /><FactsCard who={who} scope={scope} /></div>
            <div class="column"><LogCard who={who} scope={scope} /></div>
          </div>
        )}
        {tab === "context" && !isClosed && <ContextPreview who={who} scope={scope} />}
        {tab === "sessions" && !isClosed && <Sessions who={who} scope={scope} />}
        {tab === "notebook" && <Notes scope={scope} />}
        {tab === "handoffs" && !isClosed && <Handoffs who={who} scope={scope} />}
      </Tabs>
    </div>
  );
}

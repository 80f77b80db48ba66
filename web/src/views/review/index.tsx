// What waits for a person: five queues, each asked for when somebody looks at it.
import type { Alike, Doubts, Plan, Queue } from "../../api/types";
import { Head } from "../../parts/basics";
import { Tabs } from "../../parts/tabs";
import { keptAs } from "./kept";
import { DoubtsTab, doubtsName } from "./doubts";
import { REVIEW_KEYS } from "./keys";
import { PlanTab, planName } from "./plans";
import { Proposals, proposalsName } from "./proposals";
import { TwinsTab, alikeName, twinsOf } from "./twins";
import { keyName } from "../../state/keys";
import { useOverview } from "../../state/overview";
import { project } from "../../state/prefs";
import { go } from "../../state/router";

const TABS = [
  { name: "proposals", title: "Proposals", about: "What was said against something more trusted, or taken from files and models. It counts once you accept it." },
  { name: "promotion", title: "Promotions", about: "Notes that have proved themselves and could become knowledge of the project." },
  { name: "consolidation", title: "Near-duplicates", about: "Memories that say the same, or nearly, and could become one." },
  { name: "stale", title: "Stale", about: "Old, unused and unsure: what has faded and could be forgotten." },
  { name: "doubtful", title: "Suspicious", about: "What looks as if somebody wanted to steer agents with it. Look before an agent believes it." },
] as const;
type Tab = (typeof TABS)[number]["name"];

export function ReviewView({ rest }: { rest: string[] }) {
  const tab = TABS.find((one) => one.name === rest[0]) ?? TABS[0];
  const seen = useOverview(project.value, 3_000);
  const tabs = TABS.map(({ name, title }) => {
    const count = countOf(name, project.value) ?? (name === "proposals" ? seen.value.value?.proposals : undefined);
    return { name, title: <>{title}{!!count && <span class="count">{count}</span>}</> };
  });
  return (
    <>
      <Head title="Review" about={tab.about} />
      <Tabs label="Queues" tabs={tabs} chosen={tab.name} onChoose={(one) => go(["review", one])}>
        {tab.name === "proposals" ? <Proposals key={project.value} />
          : tab.name === "doubtful" ? <DoubtsTab key={project.value} />
          : tab.name === "consolidation" ? <TwinsTab key={project.value} />
          : <PlanTab key={tab.name + project.value} policy={tab.name} />}
      </Tabs>
      <p class="key-line small faint" aria-hidden="true">
        {REVIEW_KEYS.map((one) => <span key={one.does}>{one.keys.map((key) => <kbd key={key}>{keyName(key)}</kbd>)} {one.does.toLowerCase()}</span>)}
      </p>
    </>
  );
}

/** How much is in a queue, as far as it was looked at; nobody waits for a number on a tab. */
function countOf(tab: Tab, named: string): number | undefined {
  if (tab === "proposals") return keptAs<Queue>(proposalsName(named))?.total;
  if (tab === "doubtful") return keptAs<Doubts>(doubtsName(named))?.found.length;
  const plan = keptAs<Plan>(planName(tab, named));
  if (tab === "consolidation") {
    const near = keptAs<Alike>(alikeName(named));
    return plan || near ? twinsOf(plan?.steps, near?.groups).length : undefined;
  }
  return plan ? plan.steps.length + plan.left : undefined;
}

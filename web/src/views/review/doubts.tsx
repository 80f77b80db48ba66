// Memories that look as if somebody wanted to steer agents with them. The signs are told, and a
// person decides: nothing here acts by itself, and a memory without a sign is not thereby harmless.
import { address, get } from "../../api/client";
import type { Doubts, Page, Receipt, Sign } from "../../api/types";
import { Empty, plural } from "../../parts/basics";
import { Marked, type Spans } from "../../parts/highlight";
import { lookup } from "../../parts/lookup";
import { project } from "../../state/prefs";
import { go, route, to } from "../../state/router";
import { useKept } from "./kept";
import { Said, Why } from "./list";
import { Listing, type Deed } from "./listing";
import { mayKeep, mayWrite } from "../../state/may";
import { letStand } from "./plans";
import { act } from "./queue";

const LAYERS = ["knowledge", "fact", "notebook", "item", "blackboard", "now", "archive"] as const;
export const doubtsName = (named: string) => `doubts ${named}`;
const SIGNS = lookup<string>({
  orders: "gives orders", hidden: "hides characters", encoded: "encoded text", link: "odd address",
  contradicts: "contradicts a person", burst: "sudden burst",
});

/** Everything of the web and of tools, for who would rather look at all of it. */
async function untrusted(named: string): Promise<Doubts> {
  const where = JSON.stringify({ layer: { $in: ["knowledge", "fact"] }, trust: { $in: ["web", "tool"] } });
  const page = await get<Page>("/api/records", { where, project: named, limit: 200 });
  return { looked: page.total, more: page.total > page.records.length, found: page.records.map((record) => ({ record, signs: [] })) };
}

export function DoubtsTab() {
  const named = project.value, isAll = route.value.asked.get("of") === "untrusted";
  const found = useKept(isAll ? `untrusted ${named}` : doubtsName(named), LAYERS,
    () => (isAll ? untrusted(named) : get<Doubts>("/api/review/doubtful", { project: named })));
  const told = found.value.value;
  const deeds: Deed[] = [];
  if (mayWrite()) {
    deeds.push({ label: "Forget", key: "reject", run: async (ids) => {
      if (await act<Receipt>(`Forgot ${plural(ids.length, "memory", "memories")}.`, address("/api/records/forget", { project: project.peek() }), { ids })) found.again();
    } });
  }
  if (mayKeep() && !isAll) {
    deeds.push({ label: "Harmless", key: "accept", run: async (ids) =>
      await letStand(ids, "sound", `${plural(ids.length, "memory is", "memories are")} harmless; you will not be asked again.`) && found.again() });
  }
  if (mayWrite()) deeds.push({ label: "Erase…", single: true, class: "danger", run: ([id]) => go(["erase", id!]) });
  return (
    <Listing<Doubts["found"][number]> key={String(isAll)} found={found} items={told?.found ?? []} idOf={(one) => one.record.id} deeds={deeds}
      intro={(
        <>
          {isAll ? "Everything known that came from the web or from a tool, suspicious or not. "
            : `Looked at ${plural(told?.looked ?? 0, "memory", "memories")}${told?.more ? ", the least trusted and newest first" : ""}. Whoever knows what is looked for can word it otherwise: trust, not this list, bounds what a memory may do. `}
          <a href={to(["review", "doubtful"], { of: isAll ? undefined : "untrusted" })}>{isAll ? "Only what looks suspicious" : "All from the web and tools"}</a>
        </>
      )}
      empty={<Empty title={isAll ? "Nothing untrusted is known" : "Nothing looks suspicious"}>Text that gives a model orders, hides characters, holds encoded text or odd addresses, contradicts a person, or came in a sudden burst would be listed here.</Empty>}
      face={({ record, signs }) => ({
        record, name: record.key ?? record.text,
        chips: [...new Set(signs.map((sign) => sign.sign))].map((sign) => <span key={sign} class="chip warn">{SIGNS[sign] ?? sign}</span>),
        body: <><p class="said" dir="auto"><Marked text={record.text} spans={spansOf(signs)} /></p><Why all={[...new Set(signs.map((sign) => sign.why))]} /><Said record={record} /></>,
      })} />
  );
}

/** Some signs are about no place in the text. */
function spansOf(signs: Sign[]): Spans {
  return signs.filter((one) => one.end > one.start).map((one): [number, number] => [one.start, one.end]).sort((a, b) => a[0] - b[0]);
}

import { useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import type { Change } from "../../api/types";
import { nameOf, verb } from "../../parts/change";
import { Ago, Choice, Empty, Head, LayerMark, count, exactly, plural } from "../../parts/basics";
import { Typed } from "../../parts/typed";
import { VirtualTable, type Column } from "../../parts/virtual";
import { LAYERS } from "../../parts/words";
import { KEPT, behind, changes, lookFurther, resumed, standing } from "../../state/feed";
import { useKeys } from "../../state/keys";
import { partOf } from "../../state/places";
import { project } from "../../state/prefs";
import { amend, go, route } from "../../state/router";
import { complain } from "../../state/saying";
import { ChangePanel } from "./panel";

const ACTIONS = ["created", "revised", "proposed", "moved", "adopted", "erased"];
const FILTERS = ["project", "layer", "action", "actor", "text"];
/** How many pages without anything that is looked for are read before somebody is asked. */
const FRUITLESS = 10;
const ROW = 45;

const COLUMNS: Column<Change>[] = [
  { name: "When", width: "84px", class: "c-when", cell: ({ event }) => <Ago at={event.at} /> },
  { name: "Who", width: "170px", class: "c-did", cell: (one) => <><b>{one.event.actor}</b> <span class="muted">{verb(one)}</span></> },
  { name: "Layer", width: "112px", class: "c-layer", cell: (one) => aboutOf(one) && <LayerMark layer={aboutOf(one)!.layer} /> },
  { name: "What", width: "minmax(0, 1fr)", class: "c-text", cell: (one) => <What change={one} /> },
];
const NARROW = COLUMNS.filter((one) => one.name !== "Layer").map((one) => (one.name === "Who" ? { ...one, width: "132px" } : one));
/** Sign-ins and keys: nobody's memories, and seen where somebody asks for them. */
const ACCESS = "access";

export function FeedView({ rest }: { rest: string[] }) {
  const { asked } = route.value;
  const [record = "", chosen = ""] = rest;
  const held = useSignal<string | null>(null), tired = useSignal(false), looking = useSignal(false);
  const waiting = held.value ? changes.value.findIndex((one) => nameOf(one) === held.value) : 0;
  const shown = changes.value.slice(Math.max(0, waiting)).filter((one) => isWanted(one, asked));
  const hold = () => { held.value = held.value || !changes.peek()[0] ? null : nameOf(changes.peek()[0]!); };
  const more = async () => {
    if (looking.peek() || tired.peek()) return;
    looking.value = true;
    try {
      tired.value = !(await lookFor((one) => isWanted(one, route.peek().asked)));
    } catch (error) {
      tired.value = true;
      complain(error);
    }
    looking.value = false;
  };
  useEffect(() => { tired.value = false; }, [asked.toString()]);
  useKeys("In the feed", [{ keys: ["p"], does: "Hold, and go on", run: hold }]);
  const box = useStill(shown[0] && nameOf(shown[0]), shown);
  const isFiltered = FILTERS.some((name) => asked.get(name));
  const open = (one: Change) => go(["feed", one.event.record, nameOf(one)], Object.fromEntries(asked));
  return (
    <>
      <Head title="Feed" about={standing.value === "live" ? "Every change, as it happens." : "Not connected. What happens meanwhile is told afterwards."}>
        <button type="button" onClick={hold} aria-pressed={!!held.value}>
          {held.value ? `Go on${waiting > 0 ? ` (${count(waiting)} new)` : ""}` : "Hold"}
        </button>
      </Head>
      <div class="filters" role="group" aria-label="Filters">
        {!project.value && <Choice label="Project" value={asked.get("project") ?? ""} options={projectsIn(changes.value)} any="all" onChange={(one) => amend({ project: one })} />}
        <Choice label="Layer" value={asked.get("layer") ?? ""} options={[...LAYERS, ACCESS]} any="any" onChange={(layer) => amend({ layer })} />
        <Choice label="What" value={asked.get("action") ?? ""} options={ACTIONS} any="anything" onChange={(action) => amend({ action })} />
        <Typed live label="Who" name="actor" size={10} value={asked.get("actor") ?? ""} any="anybody" offered={[...new Set(changes.value.map((one) => one.event.actor))]} />
        <Typed live label="Words" name="text" size={10} value={asked.get("text") ?? ""} />
        {isFiltered && <button type="button" class="link" onClick={() => amend(Object.fromEntries(FILTERS.map((name) => [name, ""])))}>Clear filters</button>}
      </div>
      <Resumed />
      <div class={chosen ? "browser open" : "browser"}>
        <div class="listing" ref={box}>
          {shown.length ? (
            <VirtualTable label="Changes" columns={chosen ? NARROW : COLUMNS} rows={shown} height={ROW}
              total={shown.length + (behind.value && !tired.value ? 1 : 0)} id={nameOf} chosen={chosen} onChoose={open} onMore={more} />
          ) : (
            <Empty title={changes.value.length ? "Nothing like that among the last changes" : "Quiet"}>
              {isFiltered ? "Look further back below, or clear the filters." : "Leave this open, and what agents and people change appears at the top."}
            </Empty>
          )}
        </div>
        {chosen && <ChangePanel key={chosen} record={record} name={chosen} onClose={() => go(["feed"], Object.fromEntries(asked))} />}
      </div>
      <Foot shown={shown.length} looking={looking.value} onMore={() => { tired.value = false; void more(); }} />
    </>
  );
}

function aboutOf({ record, before }: Change) {
  return record ?? before;
}

function What({ change }: { change: Change }) {
  const about = aboutOf(change);
  if (!about) return <i class="faint">what it was is erased</i>;
  return <>{about.key && <b class="key">{about.key}</b>}<span>{about.text || about.kind}</span></>;
}

function projectsIn(all: Change[]): string[] {
  const found = all.map(({ event }) => partOf(event.stream, "project"));
  return [...new Set(found)].filter((one) => one !== undefined).sort();
}

function isWanted(change: Change, asked: URLSearchParams): boolean {
  const { event } = change, about = aboutOf(change);
  const within = project.value || asked.get("project");
  const layer = asked.get("layer"), action = asked.get("action"), actor = asked.get("actor"), text = asked.get("text")?.toLowerCase();
  return (!within || event.stream === `project/${within}`)
    && (layer ? about?.layer === layer : about?.layer !== ACCESS) && (!action || event.action === action)
    && (!actor || event.actor.includes(actor))
    && (!text || !!about && `${about.key ?? ""} ${about.text} ${about.kind} ${about.tags.join(" ")}`.toLowerCase().includes(text));
}

/** Read back until something is found that is looked for; says whether it was. */
async function lookFor(isMeant: (one: Change) => boolean): Promise<boolean> {
  for (let page = 0; page < FRUITLESS; page++) {
    const known = changes.peek().length;
    if (!(await lookFurther())) return true;
    if (changes.peek().slice(known).some(isMeant)) return true;
  }
  return false;
}

/** What is being read stays where it is while more comes in above it. */
function useStill(first: string | undefined, shown: Change[]) {
  const box = useRef<HTMLDivElement>(null), before = useRef(first);
  useLayoutEffect(() => {
    const body = box.current?.querySelector(".vbody");
    const came = before.current ? shown.findIndex((one) => nameOf(one) === before.current) : 0;
    before.current = first;
    if (body && body.scrollTop > 0 && came > 0) body.scrollTop += came * ROW;
  }, [first]);
  return box;
}

/** That nothing is missing is said, not left to be hoped. */
function Resumed() {
  const again = resumed.value;
  if (!again || standing.value !== "live") return null;
  const at = new Date(again.until).toLocaleTimeString([], { timeStyle: "short" });
  return (
    <p class="note resumed" role="status">
      {again.anew ? `Connected again at ${at}. The log was put back meanwhile, so this is read anew.`
        : `Connected again at ${at}: ${again.missed ? `${plural(again.missed, "change")} happened meanwhile, all of them below` : "nothing happened meanwhile"}. No gap.`}
      <button type="button" class="link" onClick={() => { resumed.value = null; }}>Dismiss</button>
    </p>
  );
}

function Foot({ shown, looking, onMore }: { shown: number; looking: boolean; onMore: () => void }) {
  const oldest = changes.value.at(-1)?.event.at;
  return (
    <p class="faint small feed-foot">
      {plural(shown, "change")} shown of {count(changes.value.length)} read{oldest && <>, back to <time dateTime={oldest}>{exactly(oldest)}</time></>}.{" "}
      {behind.value ? <button type="button" class="link" disabled={looking} onClick={onMore}>{looking ? "Looking…" : "Look further back"}</button>
        : changes.value.length < KEPT ? "That is the beginning of the log." : `No more than ${count(KEPT)} are kept here; the log has all of them.`}
    </p>
  );
}

import { useEffect } from "preact/hooks";
import type { Rec } from "../../api/types";
import { Ago, Choice, Empty, Head, LayerMark, Meter, Trouble, Trust, Waiting, plural } from "../../parts/basics";
import { RecordPanel } from "../../parts/record/panel";
import { Add } from "./add";
import { Bulk } from "./bulk";
import { TextCell, Tick, pick, picked } from "./cells";
import { Typed } from "../../parts/typed";
import { VirtualTable, type Column } from "../../parts/virtual";
import { FIXED, HIDDEN_STATES, LAYERS } from "../../parts/words";
import { ANY, USUAL, filterOf, useListed } from "./listed";
import { inRow } from "../../state/drafts";
import { useKeys } from "../../state/keys";
import { mayWrite } from "../../state/may";
import { project } from "../../state/prefs";
import { amend, go, route } from "../../state/router";
import { isTight } from "../../state/screen";

const COLUMNS: Column<Rec>[] = [
  { name: "Choose", width: "20px", class: "c-pick", head: () => <span class="unseen">Choose</span>, cell: (row) => <Tick row={row} /> },
  { name: "Memory", width: "minmax(0, 1fr)", class: "c-text", field: "key", cell: (row) => <TextCell row={row} /> },
  { name: "Layer", width: "110px", class: "c-layer", cell: (row) => <LayerMark layer={row.layer} /> },
  { name: "Kind", width: "100px", class: "c-kind", field: "kind", cell: (row) => row.kind },
  { name: "Scope", width: "118px", class: "c-scope", field: "scope", cell: (row) => <span title={row.scope}>{row.scope}</span> },
  { name: "Trust", width: "104px", class: "c-trust", cell: (row) => <Trust trust={row.trust} /> },
  { name: "Confidence", width: "82px", class: "c-sure", field: "confidence", cell: (row) => <Meter value={row.confidence} label="Confidence" /> },
  { name: "Changed", width: "96px", class: "c-when", field: "updated_at", cell: (row) => <Ago at={row.updated_at} /> },
];
const some = (...names: string[]) => COLUMNS.filter((one) => names.includes(one.name));
const FEWER = some("Choose", "Memory", "Layer", "Kind", "Trust", "Changed"), NARROW = some("Choose", "Memory", "Kind", "Changed"), FEWEST = some("Choose", "Memory", "Changed");

export function KnowledgeView({ rest }: { rest: string[] }) {
  const { asked } = route.value;
  const chosen = rest[0];
  const filter = filterOf(asked, project.value);
  const listed = useListed(filter);
  const all = () => Object.fromEntries(route.peek().asked);
  const open = (row: Rec) => go([route.peek().view === "record" ? "record" : "knowledge", row.id], all());
  useEffect(() => () => { inRow.value = null; picked.value = new Map(); }, []);
  useKeys("In the table", mayWrite() ? [
    { keys: ["Enter", "e"], does: "Edit the chosen one", run: () => false },
    { keys: ["x", " "], does: "Pick it, for several at once", run: () => false },
  ] : []);
  const key = (pressed: string, row: Rec): boolean => {
    if (!mayWrite()) return false;
    if (pressed === "x" || pressed === " ") pick(row);
    else if ((pressed === "Enter" || pressed === "e") && !FIXED.includes(row.layer)) inRow.value = row.id;
    else return false;
    return true;
  };
  return (
    <>
      <Head title="Knowledge" about={listed.ready.value ? about(listed.total.value, filter.words) : " "}>
        {mayWrite() && <button type="button" class="primary" onClick={() => amend({ add: "1" })}>Add a memory</button>}
      </Head>
      <Filters asked={asked} />
      {listed.problem.value && <Trouble problem={listed.problem.value} again={listed.again} />}
      <Bulk rows={listed.rows.value} />
      <div class={chosen ? "browser open" : "browser"}>
        <div class="listing">
          {!listed.ready.value ? <Waiting rows={8} /> : listed.total.value === 0 ? <None asked={asked} /> : (
            <VirtualTable label="Memories" columns={columnsOf(filter.layer, !!chosen)} rows={listed.rows.value}
              total={listed.total.value} id={(row) => row.id} chosen={chosen} onChoose={open} onKey={key} onMore={listed.more}
              order={filter.order} onOrder={(sort) => amend({ sort })} />
          )}
        </div>
        {chosen && <RecordPanel key={chosen} id={chosen} onClose={() => go(["knowledge"], all())} />}
      </div>
      {asked.get("add") && <Add onClose={() => amend({ add: "" })} />}
    </>
  );
}

function columnsOf(layer: string | null, isBeside: boolean): Column<Rec>[] {
  if (isBeside) return isTight.value ? FEWEST : NARROW;
  const fitting = isTight.value ? FEWER : COLUMNS;
  return layer ? fitting.filter((one) => one.name !== "Layer") : fitting;
}

function about(total: number, words: string | null): string {
  return words ? `${plural(total, "memory", "memories")} with these words, best first` : plural(total, "memory", "memories");
}

function Filters({ asked }: { asked: URLSearchParams }) {
  const said = (label: string, name: string, size: number) => <Typed label={label} name={name} size={size} value={asked.get(name) ?? ""} />;
  const isNarrowed = ["q", "kind", "tag", "scope", "state", "layer", "sort"].some((name) => asked.get(name));
  return (
    <div class="filters" role="search" aria-label="Filters">
      {said("Words", "q", 12)}
      <Choice label="Layer" value={asked.get("layer") ?? USUAL} options={[...LAYERS, ANY]} onChange={(layer) => amend({ layer })} />
      <Choice label="State" value={asked.get("state") ?? ""} options={HIDDEN_STATES} any="current" onChange={(state) => amend({ state })} />
      {said("Kind", "kind", 8)}
      {said("Tag", "tag", 8)}
      {said("Scope", "scope", 10)}
      {isNarrowed && <button type="button" class="link" onClick={() => amend({ q: "", kind: "", tag: "", scope: "", state: "", layer: "", sort: "" })}>Clear filters</button>}
    </div>
  );
}

function None({ asked }: { asked: URLSearchParams }) {
  if ([...asked].length) return <Empty title="Nothing matches these filters">Widen them, or look in another layer or state.</Empty>;
  return (
    <Empty title="Nothing is remembered yet" code={'lamina remember "No ORM: raw SQL" --kind decision --key orm'}>
      What agents and people keep is listed here, newest first. Add the first one by hand, or let an agent begin.
    </Empty>
  );
}

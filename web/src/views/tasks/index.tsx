import { useEffect, useRef } from "preact/hooks";
import { get } from "../../api/client";
import type { Episode, Page, Rec } from "../../api/types";
import { Artifacts } from "./artifacts";
import { Attempts } from "./attempts";
import { Card, Empty, Head, Trouble, Waiting, count, plural } from "../../parts/basics";
import { TaskGraph } from "./graph";
import { isEnded, statusOf } from "./layering";
import { StatusChip } from "./marks";
import { RecordPanel } from "../../parts/record/panel";
import { TaskCard } from "./task";
import { Timeline } from "./timeline";
import { useEpisodes } from "./episodes";
import { inLayers } from "../../state/feed";
import { useLoaded } from "../../state/loading";
import { partOf } from "../../state/places";
import { project } from "../../state/prefs";
import { amend, go, route, to } from "../../state/router";

const CALM = { live: inLayers("task"), calm: 400 };
const MOST = 1_000;

export function TasksView({ rest }: { rest: string[] }) {
  const named = project.value;
  const tasks = useLoaded((signal) => get<Page>("/api/records", { layer: "task", project: named, limit: MOST }, signal), [named], CALM);
  const tried = useEpisodes(named);
  const found = tasks.value.value?.records, { episodes, total } = tried.value.value ?? { episodes: [], total: 0 };
  const trouble = (tasks.problem.value && !found && tasks) || (tried.problem.value && !tried.value.value && tried);
  if (trouble) return <Trouble problem={trouble.problem.value!} again={trouble.again} />;
  if (!found || !tried.value.value) return <Waiting />;
  const chosen = rest[0];
  if (!found.length && !episodes.length) {
    return (
      <>
        <Head title="Tasks" about="What is to be done, what was tried for it, and what it cost." />
        <Empty title="No tasks and no attempts yet" code={'lamina --project web tasks add t-1 "Move sessions to Redis"'}>
          Tasks say what is to be done; episodes say what was tried, by whom, and how it went.
        </Empty>
      </>
    );
  }
  const kept = Object.fromEntries([...route.value.asked].filter(([name]) => !["compare", "episode", "attempts", "in"].includes(name)));
  const open = (key: string) => go(["tasks", key], kept);
  const see = (one: Episode) => go(["tasks", one.task_id ?? chosen ?? ""], { ...kept, episode: one.id });
  const isByAgent = route.value.asked.get("rows") === "agent";
  const isWide = route.value.asked.get("graph") === "wide";
  const graph = <TaskGraph tasks={found} chosen={chosen} onChoose={open} />;
  return (
    <>
      <Head title="Tasks" about={`${plural(tasks.value.value!.total, "task")}, ${plural(total, "entry", "entries")} of what was tried`} />
      <Card title="What was tried, and when" aside={episodes.length < total && <span class="faint small">The newest {count(episodes.length)} of {count(total)}</span>}>
        {episodes.length ? <Timeline episodes={episodes} chosen={isByAgent ? undefined : chosen} onOpen={see} onRow={isByAgent ? () => undefined : open} />
          : <Empty title="Nothing was tried yet" />}
      </Card>
      <div class="columns gap-top">
        <div class="column"><TaskList tasks={found} chosen={chosen} kept={kept} />{!isWide && graph}</div>
        <div class="column"><Chosen tasks={found} chosen={chosen} episodes={episodes} /></div>
      </div>
      {isWide && <div class="gap-top">{graph}</div>}
    </>
  );
}

function Chosen({ tasks, chosen, episodes }: { tasks: Rec[]; chosen: string | undefined; episodes: Episode[] }) {
  const seen = route.value.asked.get("episode");
  const within = route.value.asked.get("in");
  // Opened from far below or above, it would appear where nobody looks.
  useEffect(() => { if (seen) document.querySelector("main .panel")?.scrollIntoView({ block: "nearest" }); }, [seen]);
  const task = tasks.find((one) => one.key === chosen && (!within || partOf(one.scope, "project") === within));
  const where = task && partOf(task.scope, "project");
  const own = chosen ? episodes.filter((one) => one.task_id === chosen && (!where || one.project === where)) : episodes;
  return (
    <>
      {seen && <RecordPanel key={seen} id={seen} onClose={() => amend({ episode: "" })} />}
      {task && <TaskCard task={task} known={new Map(tasks.map((one) => [one.key ?? one.id, one]))} />}
      <Attempts episodes={own} few={chosen ? 30 : 8} title={chosen ? (task ? "Attempts" : chosen) : "Everything that was tried"} />
      {chosen && <Artifacts key={chosen} project={where ?? own[0]?.project ?? project.value} task={chosen} />}
    </>
  );
}

const ORDER = ["active", "blocked", "open", "done", "dropped"];

function byStatus(a: Rec, b: Rec): number {
  return ORDER.indexOf(statusOf(a)) - ORDER.indexOf(statusOf(b)) || (a.key ?? "").localeCompare(b.key ?? "", "en", { numeric: true });
}

function TaskList({ tasks, chosen, kept }: { tasks: Rec[]; chosen: string | undefined; kept: Record<string, string> }) {
  const { asked } = route.value;
  const find = asked.get("find") ?? "", status = asked.get("status") ?? "";
  const words = find.toLowerCase().split(/\s+/).filter(Boolean);
  const listed = [...tasks].sort(byStatus).filter((one) => (status ? statusOf(one) === status : true)
    && words.every((word) => `${one.key} ${one.text}`.toLowerCase().includes(word)));
  const isMany = tasks.length > 12, list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    const one = list.current?.querySelector<HTMLElement>("[aria-current]")?.parentElement;
    if (one) list.current!.scrollTop = one.offsetTop - list.current!.offsetTop - list.current!.clientHeight / 2;
  }, []);
  const names = new Map<string | null, number>();
  for (const one of tasks) names.set(one.key, (names.get(one.key) ?? 0) + 1);
  // Projects may have tasks of the same name.
  const place = (one: Rec) => (names.get(one.key)! > 1 ? partOf(one.scope, "project") : undefined);
  return (
    <Card title="Tasks" aside={<span class="faint small">{plural(tasks.filter((one) => !isEnded(one)).length, "task")} to do</span>}>
      {isMany && (
        <div class="filters tight">
          <input type="search" class="grow" aria-label="Find a task" placeholder="Find a task" value={find} onInput={(event) => amend({ find: event.currentTarget.value })} />
          <select aria-label="Status" value={status} onChange={(event) => amend({ status: event.currentTarget.value })}>
            <option value="">any status</option>{ORDER.map((one) => <option key={one} value={one}>{one}</option>)}
          </select>
        </div>
      )}
      <ul class="task-list" ref={list}>
        {listed.map((one) => (
          <li key={one.id}>
            <a href={to(["tasks", one.key ?? ""], { ...kept, in: place(one) })}
              aria-current={one.key === chosen && (asked.get("in") ?? undefined) === place(one) ? "true" : undefined}>
              <StatusChip of={statusOf(one)} /><b class="key">{one.key}</b>{place(one) && <span class="chip">{place(one)}</span>}<span class="line grow" dir="auto">{one.text}</span>
            </a>
          </li>
        ))}
      </ul>
      {!listed.length && <Empty title="No task is like that">{find && <button type="button" class="link" onClick={() => amend({ find: "", status: "" })}>Show every task</button>}</Empty>}
    </Card>
  );
}

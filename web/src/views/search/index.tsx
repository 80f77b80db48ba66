import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { searched } from "../../api/records";
import type { Recall } from "../../api/types";
import { Empty, Head, Trouble, Waiting } from "../../parts/basics";
import { useLoaded } from "../../state/loading";
import { withArrows } from "../../state/keys";
import { project } from "../../state/prefs";
import { wantedOf, type Wanted } from "./question";
import { amend, go, route } from "../../state/router";
import { Filters } from "./filters";
import { Hits, None } from "./hits";
import { Wonder } from "./whynot";

const TYPING_MS = 40;

interface Answer extends Recall {
  /** The question it answers; what has been asked since is another one. */
  to: string;
  query: string;
}

export function SearchView() {
  const { asked } = route.value;
  const wanted = wantedOf(asked);
  const box = useRef<HTMLInputElement>(null);
  const chosen = useSignal(0), wondering = useSignal(false);
  const named = project.value, question = questionOf(asked, named);
  const found = useLoaded(
    (signal) => wanted.query.trim() ? answered(named, wanted, question, signal) : Promise.resolve(null),
    [question], { live: true, calm: 1_000, typing: TYPING_MS },
  );
  useEffect(() => box.current?.focus(), []);
  useEffect(() => { chosen.value = 0; }, [question]);

  const answer = found.value.value, why = asked.get("why") ?? "";
  const isAnswered = answer?.to === question;
  const hits = isAnswered ? answer.hits : [];
  const move = (event: KeyboardEvent) => {
    if (event.key === "ArrowDown") chosen.value = Math.max(0, Math.min(hits.length - 1, chosen.value + 1));
    else if (event.key === "ArrowUp") chosen.value = Math.max(0, chosen.value - 1);
    // Never what an earlier question has found.
    else if (event.key === "Enter" && hits[chosen.value]) return go(["record", hits[chosen.value]!.record.id]);
    else if (event.key === "Escape" && wanted.query) amend({ q: "" });
    else return;
    event.preventDefault();
    event.stopPropagation();
    document.querySelectorAll(".hit")[chosen.value]?.scrollIntoView({ block: "nearest" });
  };
  const asks = !!wanted.query.trim();
  const waits = asks && !isAnswered && !found.problem.value;
  const stop = () => { wondering.value = false; amend({ why: "" }); box.current?.focus(); };
  return (
    <div onKeyDown={withArrows}>
      <Head title="Search" about="Asks as an agent would, and shows why each memory came up." />
      <div class={waits ? "searchbar waits" : "searchbar"}>
        <input ref={box} type="search" aria-label="Search memories" placeholder="What do we know about…" dir="auto" data-row
          value={wanted.query} onKeyDown={move} maxLength={4_000}
          onInput={(event) => amend({ q: event.currentTarget.value })} />
        <kbd>/</kbd>
        <i class="progress" />
      </div>
      <Filters asked={asked} />
      {(wondering.value || why) && <Wonder wanted={wanted} id={why} onClose={stop} />}
      {found.problem.value ? <Trouble problem={found.problem.value} again={found.again} />
        : !asks ? <Try /> : !answer ? <Waiting /> : (
          <div class="answer" aria-busy={waits} {...(isAnswered ? { "data-of": answer.query } : { inert: true })}>
            {answer.hits.length ? <Hits found={answer} chosen={isAnswered ? chosen.value : -1} asOf={isAnswered ? wanted.as_of ?? "" : ""} />
              : <None found={answer} asOf={wanted.as_of ?? ""} />}
          </div>
        )}
      <p class="unseen" role="status">{waits ? "Searching…" : ""}</p>
      {asks && !wondering.value && !why && (
        <p class="after">
          Missing something?{" "}
          <button type="button" class="link" onClick={() => { wondering.value = true; }}>Why not this one?</button>
        </p>
      )}
    </div>
  );
}

/** All that an answer depends on; which memory is missed in it does not change it. */
function questionOf(asked: URLSearchParams, named: string): string {
  const all = new URLSearchParams(asked);
  all.delete("why");
  return `${named} ${all}`;
}

async function answered(named: string, wanted: Wanted, to: string, signal: AbortSignal): Promise<Answer> {
  const found = await searched(named, { ...wanted, marks: true }, signal);
  return { ...found, to, query: wanted.query.trim() };
}

function Try() {
  return (
    <Empty title="Ask in your own words">
      Words, identifiers and meaning all count. Where nothing is relevant, nothing comes back: that is on purpose.
    </Empty>
  );
}

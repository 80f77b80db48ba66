import type { ComponentChildren } from "preact";
import { get } from "../../api/client";
import type { Health, Part } from "../../api/types";
import { Ago, Card, Trouble, Waiting, count, plural } from "../../parts/basics";
import { lookup } from "../../parts/lookup";
import { useLoaded } from "../../state/loading";
import { to } from "../../state/router";

interface Known {
  name: string;
  href: string;
  about: string;
}

const KNOWN = lookup<Known>({
  read: { name: "Reading", href: to(["knowledge"]), about: "A record was just read from the store. Opens the table." },
  write: { name: "Writing", href: to(["feed"]), about: "Whether the last write through this server worked, and when anybody last wrote. Opens the feed." },
  embed: { name: "Meaning", href: to(["search"]), about: "Whether searches can compare meaning, and not words alone. Opens the search." },
});

const KEPT = lookup<{ status: string; said: string }>({
  synced: { status: "green", said: "survives power loss" },
  committed: { status: "amber", said: "survives the end of the server, and power loss once flushed" },
  ephemeral: { status: "amber", said: "gone when the server ends: it serves a store in memory" },
});

export function HealthCard() {
  const { value, problem, again } = useLoaded((signal) => get<Health>("/api/health", {}, signal), [],
    { live: true, calm: 3_000 });
  const health = value.value;
  return (
    <Card title="Health" aside={health && <span class={`dot ${health.status}`}>{health.status}</span>}>
      {problem.value && <Trouble problem={problem.value} again={again} />}
      {!health && !problem.value && <Waiting rows={6} />}
      <ul class="health">
        {health?.parts.map((part) => {
          const known = KNOWN[part.part];
          return <Line key={part.part} status={part.status} name={known?.name ?? part.part} href={known?.href} about={known?.about}>{said(part)}</Line>;
        })}
        {health?.parts.map((part) => part.backlog && <Backlog key="backlog" waiting={part.backlog} />)}
        {health && <Durability kept={health.durability} />}
      </ul>
    </Card>
  );
}

function said(part: Part): ComponentChildren {
  if (part.message) return part.message;
  if (part.status !== "green") return "does not work at the moment; the store's owner is told why";
  return part.store_changed_at ? <>last change <Ago at={part.store_changed_at} /></> : "works";
}

function Backlog({ waiting }: { waiting: NonNullable<Part["backlog"]> }) {
  const off = waiting.embedder === "off";
  return (
    <Line status={waiting.pending || waiting.refused ? "amber" : "green"} name="Backlog"
      about="Texts that are found by their words already, and by their meaning once their vector is made.">
      {off ? "no vectors are made: the embedder is off" : (
        <>
          {waiting.pending ? `${plural(waiting.pending, "text")} of ${count(waiting.pending + waiting.made)} without a vector yet` : `nothing waits; ${plural(waiting.made, "vector")}`}
          {waiting.refused > 0 && `, ${count(waiting.refused)} refused`}
        </>
      )}
    </Line>
  );
}

function Durability({ kept }: { kept: Health["durability"] }) {
  const known = KEPT[kept.level] ?? { status: "amber", said: kept.level };
  const weaker = Object.keys(kept.weaker);
  return (
    <Line status={known.status} name="Durability"
      about={"What a memory survives once its writer was told that it is kept. It is no backup against a lost disk:"
        + " `lamina backup FILE` makes one while everybody works on."}>
      {known.said}
      {weaker.length > 0 && kept.level === "synced" && `; ${weaker.join(" and ")} only the end of a process`}
    </Line>
  );
}

function Line({ status, name, about, href, children }: {
  status: string; name: string; about?: string | undefined; href?: string | undefined; children: ComponentChildren;
}) {
  return (
    <li title={about}>
      <span class={`dot ${status}`}><span class="unseen">{status}</span></span>
      <b>{href ? <a href={href}>{name}</a> : name}</b>
      <span class="grow muted small">{children}</span>
    </li>
  );
}

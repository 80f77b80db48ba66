import { historyOf } from "../../api/records";
import { save } from "../../api/transfer";
import type { Erasure, ErasurePlan } from "../../api/types";
import { Ago, Card, count, plural } from "../../parts/basics";
import { useLoaded } from "../../state/loading";
import { go, to } from "../../state/router";

/** What went, where it was looked for, and what to do about the rest. */
export function Report({ report, plan }: { report: Erasure; plan: ErasurePlan }) {
  const rest = [...report.residue, ...report.unlooked];
  const keep = () => {
    // Counts and ids: what was said is not carried on in a file.
    const told = { ...report, erased_at: new Date().toISOString(), files_written_anew: plan.files, notes: plan.notes };
    save(`erased-${report.records[0]?.slice(-6) ?? "nothing"}.json`, new Blob([JSON.stringify(told, null, 2)], { type: "application/json" }));
  };
  return (
    <div class="narrow column" role="status">
      <Card title={report.complete ? "Erased" : "Erased, but look at this"}>
        <dl class="facts plain">
          <div><dt>Memories</dt><dd>{count(report.records.length)}</dd></div>
          <div><dt>Versions</dt><dd>{count(report.versions)}</dd></div>
          <div><dt>Sealed secrets</dt><dd>{count(report.sealed)}</dd></div>
          <div><dt>Searched for bytes</dt><dd>{plural(report.files, "file")}, {count(report.bytes)} bytes</dd></div>
          <div><dt>Left behind</dt><dd>{report.residue.length ? report.residue.join("; ") : "nothing"}</dd></div>
          {report.unlooked.length > 0 && <div><dt>Not looked at</dt><dd>{report.unlooked.join("; ")}</dd></div>}
          <div><dt>Log</dt><dd>{report.chain_verified ? "adds up" : "does not add up: run lamina doctor"}</dd></div>
          <Gone ids={report.records} />
          {report.sources.length > 0 && <div><dt>Still in</dt><dd>{report.sources.join(", ")}</dd></div>}
          {report.mentions.length > 0 && <div><dt>Others that say it</dt><dd><a href={to(["erase", ...report.mentions])}>{plural(report.mentions.length, "memory", "memories")}</a></dd></div>}
        </dl>
        {rest.length > 0 && <p class="small">Bytes were found where they should not be. <code>lamina doctor</code> says more, and erasing again looks again.</p>}
      </Card>
      <div class="actions">
        <button type="button" onClick={keep}>Save this report</button>
        {report.mentions.length > 0 && <button type="button" onClick={() => go(["erase", ...report.mentions])}>Erase what says the same</button>}
        <a class="button" href={to(["search"])}>Look for it</a>
        <a class="button" href={to(["feed"])}>See it in the feed</a>
        <a class="button" href={to(["erase"])}>Erase something else</a>
      </div>
    </div>
  );
}

/** Ask the store again, as anybody would: is a version left of what went? */
function Gone({ ids }: { ids: string[] }) {
  const id = ids[0] ?? "";
  const found = useLoaded((signal) => historyOf(id, signal), [id]);
  const versions = found.value.value?.versions, last = versions?.at(-1)?.event;
  if (!versions || !last) return null;
  const left = versions.filter((one) => one.record).length;
  return <div><dt>Asked again</dt><dd>{left ? `${plural(left, "version")} left` : <>no version is left; {last.action} by {last.actor}, <Ago at={last.at} /></>}</dd></div>;
}

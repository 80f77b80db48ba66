// What a score is made of: each signal as a bar, and in words.
import { lookup } from "../../parts/lookup";

const MEANS = lookup<string>({
  words: "It holds words of the question; rare ones count more",
  keywords: "It holds words of the question; meaning was not compared",
  coverage: "How much of the question its words cover",
  meaning: "How near it comes in meaning, whatever the words",
  pending: "Its meaning is not worked out yet, so it is assumed from its words",
  answers: "It follows a question like this one in a conversation",
  thread: "The conversation around it is about this",
  followed: "What follows it in the conversation fits",
  replied: "It replies to what fits",
  company: "What stands near it fits as well",
  asks: "It is a question itself",
  voice: "An assistant said it, and people are believed more about facts",
  time: "It is from the time that the question names",
  key: "The question names its key",
  tags: "The question names one of its tags",
  trust: "How far its source is trusted",
  confidence: "How sure it was when it was kept",
  importance: "How much it matters",
  recency: "How new it is",
  use: "How often it was of use",
});
const SMALL = 0.005;

type Score = Record<string, number>;

function signals(parts: Score): [string, number][] {
  return Object.entries(parts).filter(([name, one]) => name !== "base" && Math.abs(one) >= SMALL)
    .sort((a, b) => Math.abs(b[1]) - Math.abs(a[1]));
}

/** The longest bar of all, so that those of different memories can be compared. */
export function scaleOf(all: Score[]): number {
  return Math.max(SMALL, ...all.flatMap((parts) => signals(parts).map(([, one]) => Math.abs(one))));
}

/** What each signal adds to a score, or takes from it; the base that every score starts from is no signal. */
export function ScoreParts({ parts, scale, most = 5 }: { parts: Score; scale: number; most?: number }) {
  const all = signals(parts);
  return (
    <dl class="parts">
      {all.slice(0, most).map(([name, one]) => (
        <div key={name} title={`${MEANS[name] ?? name} (${one > 0 ? "+" : "−"}${Math.abs(one).toFixed(2)})`}>
          <dt>{name}</dt>
          <dd>
            <span class="unseen">{one > 0 ? "adds" : "takes"} {Math.abs(one).toFixed(2)}</span>
            <i class={one < 0 ? "minus" : ""} style={{ width: `${Math.max(2, (100 * Math.abs(one)) / scale)}%` }} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

export function Legend({ all }: { all: Score[] }) {
  const names = [...new Set(all.flatMap((parts) => signals(parts).map(([name]) => name)))];
  return (
    <details class="score-legend small">
      <summary>What the bars mean</summary>
      <p class="muted">
        The percentage is how likely a memory is what was meant. Each bar is what one signal adds to that, or takes
        from it (<i class="swatch minus" />); all are drawn to one scale, so they can be compared from hit to hit.
      </p>
      <dl>{names.map((name) => <div key={name}><dt>{name}</dt><dd>{MEANS[name] ?? "A signal of the ranking"}</dd></div>)}</dl>
    </details>
  );
}

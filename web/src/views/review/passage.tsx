// Where a proposal was read: the passage, with the words it follows from marked.
import type { Evidence } from "../../api/types";
import { RecordLink } from "../../parts/basics";
import { Passage, type Spans } from "../../parts/highlight";
import { Plain } from "../../parts/plain";

const AROUND = 480;

export function Read({ from }: { from: Evidence }) {
  const { quote, record, place } = from;
  if (!record) {
    return (
      <p class="evidence small">
        {place ? <>Read in <code>{place}</code></> : <>Read in “<Plain text={quote} />”; where that stood is gone or out of your sight.</>}
      </p>
    );
  }
  return (
    <figure class="evidence small">
      <blockquote dir="auto"><Passage text={record.text} spans={spansOf(record.text, quote)} most={quote.length + AROUND} /></blockquote>
      <figcaption class="muted">{record.source}, <RecordLink record={record}>{record.layer === "session" ? "in a session" : `in the ${record.layer}`}</RecordLink></figcaption>
    </figure>
  );
}

/** Where a quote stands in a text, whatever the blanks and the case of it. */
function spansOf(text: string, quote: string): Spans {
  const words = quote.trim().split(/\s+/).filter(Boolean).map((one) => one.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const found = words.length ? new RegExp(words.join("\\s+"), "iu").exec(text) : null;
  return found ? [[found.index, found.index + found[0].length]] : [];
}

// How something ended or stands, by shape as well as by colour: not everybody sees colours alike.
import { lookup } from "../../parts/lookup";
const DISC = "M8 1a7 7 0 1 0 0 14 7 7 0 0 0 0-14Z", SQUARE = "M2 2h12v12H2Z";
const SHAPES = lookup<[body: string, sign: string]>({
  completed: [DISC, "m4.8 8.2 2.2 2.2 4.2-4.6"],
  failed: [SQUARE, "m5.2 5.2 5.6 5.6m0-5.6-5.6 5.6"],
  attempted: [DISC, ""],
  retried: ["M8 1.5 15 14H1Z", ""],
  open: [DISC, ""],
  active: [DISC, "M6.4 5v6l4.6-3Z"],
  blocked: [SQUARE, "M6 5v6m4-6v6"],
  done: [DISC, "m4.8 8.2 2.2 2.2 4.2-4.6"],
  dropped: [SQUARE, "M4.5 8h7"],
});

/** The same within a drawing, 16 wide and high, around a point. */
export function MarkAt({ of, x, y }: { of: string; x: number; y: number }) {
  const [body, sign] = SHAPES[of] ?? SHAPES["open"]!;
  return (
    <g class={`mark m-${of}`} transform={`translate(${x - 8} ${y - 8})`}>
      <path d={body} class="mark-body" />{sign && <path d={sign} class="mark-sign" />}
    </g>
  );
}

export function Mark({ of }: { of: string }) {
  return <svg class="mark-icon" width={16} height={16} viewBox="-0.5 -0.5 17 17" aria-hidden="true"><MarkAt of={of} x={8} y={8} /></svg>;
}

export function StatusChip({ of }: { of: string }) {
  return <span class={`status s-${of}`}><Mark of={of} />{of}</span>;
}

export function Legend({ of }: { of: readonly string[] }) {
  return <ul class="legend small">{of.map((one) => <li key={one}><Mark of={one} />{one}</li>)}</ul>;
}

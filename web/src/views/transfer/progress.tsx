/** How far something is; without a share, only that it goes on. */
export function Progress({ share, label }: { share: number | null; label: string }) {
  const percent = share === null ? null : Math.round(Math.max(0, Math.min(1, share)) * 100);
  return (
    <div class="how-far">
      <progress aria-label={label} max={100} {...(percent === null ? {} : { value: percent })} />
      <span class="small muted">{percent === null ? "" : `${percent}%`}</span>
    </div>
  );
}

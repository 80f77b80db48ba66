import { Head, OnlyReads } from "../../parts/basics";
import { mayWrite } from "../../state/may";
import { Choosing } from "./choosing";
import { Preview } from "./preview";

/** `#/erase` chooses, `#/erase/ID/ID…` shows what would go. */
export function EraseView({ rest }: { rest: string[] }) {
  const names = rest.filter(Boolean);
  return (
    <>
      <Head title="Erase" about="Gone for good: every version, every index and every copy that is known. There is no undo." />
      {!mayWrite() ? <OnlyReads what="Erasing" /> : names.length ? <Preview key={names.join()} names={names} /> : <Choosing />}
    </>
  );
}

import { Card, Head, OnlyReads } from "../../parts/basics";
import { mayWrite } from "../../state/may";
import { Exporting } from "./exporting";
import { Importing } from "./importing";

export function TransferView() {
  return (
    <>
      <Head title="Import and export" about="Bring memories of other tools along, or take everything with you. Secrets stay here: files hold references to them." />
      <div class="columns">
        {mayWrite() ? <Importing /> : <Card title="Import"><OnlyReads what="Importing" /></Card>}
        <Exporting />
      </div>
    </>
  );
}

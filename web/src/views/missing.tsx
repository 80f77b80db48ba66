import { Empty } from "../parts/basics";
import { to } from "../state/router";

export function Missing({ what }: { what: string }) {
  return <Empty title={what}>Go to the <a href={to(["overview"])}>overview</a>.</Empty>;
}

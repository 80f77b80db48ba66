// What a policy would do: notes that become knowledge, and what has faded.
import { address, get } from "../../api/client";
import type { Plan, Receipt, Step } from "../../api/types";
import { Empty, Sentence, plural } from "../../parts/basics";
import { Plain } from "../../parts/plain";
import { project } from "../../state/prefs";
import { useKept } from "./kept";
import { Said, Why } from "./list";
import { Listing, type Deed } from "./listing";
import { mayKeep, mayWrite } from "../../state/may";
import { act } from "./queue";
import { useTexts } from "./texts";

/** What each plan is about: when something else changes, it says the same as before. */
const ABOUT = {
  promotion: ["knowledge", "notebook"], stale: ["knowledge", "archive"], consolidation: ["knowledge", "archive"],
} as const;
export const planName = (policy: string, named: string) => `${policy} ${named}`;
const memories = (ids: string[]) => plural(ids.length, "memory", "memories");

export function usePlan(policy: keyof typeof ABOUT) {
  const named = project.value;
  return useKept(planName(policy, named), ABOUT[policy],
    () => get<{ plans: Plan[] }>("/api/lifecycle/plans", { project: named, name: policy }).then((told) => told.plans[0]!));
}

/** Carry out a part of a plan, in one transaction. */
const applyPlan = (policy: string, only: string[], said: string) =>
  act<{ receipt: Receipt | null }>(said, address(`/api/lifecycle/plans/${policy}/apply`, { project: project.peek() }), { only, confirm: true });

/** Let memories stand, so that nobody is asked about them again. */
export const letStand = (ids: string[], about: string, said: string) =>
  act<Receipt>(said, address("/api/review/keep", { project: project.peek() }), { ids, about });

export function PlanTab({ policy }: { policy: "promotion" | "stale" }) {
  const found = usePlan(policy), plan = found.value.value, isStale = policy === "stale";
  const deeds: Deed[] = [];
  if (isStale && mayKeep()) {
    deeds.push({ label: "Keep", key: "accept", class: "primary",
      run: async (ids) => await letStand(ids, "stale", `Kept ${memories(ids)}, as if fresh.`) && found.again() });
  }
  if (!isStale && mayKeep()) {
    deeds.push({ label: "Leave it there", key: "reject",
      run: async (ids) => await letStand(ids, "narrow", `${memories(ids)} stay where they are.`) && found.again() });
  }
  if (mayWrite()) {
    deeds[isStale ? "push" : "unshift"]({ label: isStale ? "Forget" : "Promote", key: isStale ? "reject" : "accept", class: isStale ? "" : "primary",
      run: async (ids) => await applyPlan(policy, ids, `${isStale ? "Forgot" : "Promoted"} ${memories(ids)}.`) && found.again() });
  }
  const texts = useTexts();
  return (
    <Listing<Step> found={found} items={plan?.steps ?? []} idOf={(step) => step.id} deeds={deeds}
      intro={plan && plan.steps.length > 0 && <><Sentence text={plan.why} />{plan.left > 0 && ` ${plural(plan.left, "more is", "more are")} due after these.`}</>}
      empty={<Empty title="Nothing to do here">{plan && <Sentence text={plan.why} />}{!mayWrite() && " This lists what you could change, and your key only reads."}</Empty>}
      face={(step) => {
        const record = texts(step.id);
        return {
          record, name: record?.key ?? record?.text ?? step.id,
          body: (
            <>
              <p class="said" dir="auto">{record ? <Plain text={record.text} /> : "…"}</p>
              <Why all={[...step.reason.split("; "), ...(step.target ? [`becomes ${step.kind} of ${step.target}`] : [])]} />
              {record && <Said record={record} />}
            </>
          ),
        };
      }} />
  );
}

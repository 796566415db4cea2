import { StoreError } from "../../core/errors.ts";
import type { Appended } from "../server-store.ts";
import {
  type AppendCall,
  type AppendPlan,
  checkCall,
  planAppend,
  surelyBegins,
} from "../shared/plan-append.ts";
import { carryOut } from "./carry-out.ts";
import { type Locks, lookUpTarget } from "./look-up-target.ts";
import { TEXT_PLACES } from "./place-text.ts";
import type { Script } from "./script.ts";

/** Adds messages to the conversation that they belong to, to a fork of it, or to a new one. */
export function* append(engine: Locks, call: AppendCall): Script<Appended> {
  checkCall(call);
  const plan = planAppend(call, yield* lookUpTarget(engine, call), TEXT_PLACES);
  yield* carryOut(engine, [plan]);
  return plan.appended;
}

/** The same for many with few statements. Undefined for one that can't be appended: it writes nothing, and `append` says why. */
export function* appendAll(engine: Locks, calls: readonly AppendCall[]): Script<(Appended | undefined)[]> {
  const outcomes: (Appended | undefined)[] = [];
  let plans: AppendPlan[] = [];
  for (const call of calls) {
    if (needsToSee(call, plans)) {
      yield* carryOut(engine, plans);
      plans = [];
    }
    let plan: AppendPlan | undefined;
    try {
      checkCall(call);
      plan = planAppend(call, yield* lookUpTarget(engine, call), TEXT_PLACES);
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
    }
    if (plan) plans.push(plan);
    outcomes.push(plan?.appended);
  }
  yield* carryOut(engine, plans);
  return outcomes;
}

/** Whether an append may be for a conversation that one of the plans writes to. */
function needsToSee({ input }: AppendCall, plans: readonly AppendPlan[]): boolean {
  if (surelyBegins(input)) return false;
  const { conversation } = input;
  // By the name of a session it may be any of them.
  if (conversation === undefined) return plans.length > 0;
  return plans.some(
    ({ appended, copied }) => appended.conversation === conversation || copied?.from === conversation,
  );
}

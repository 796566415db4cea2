import type { Model, Profile, TokenCounter } from "../../core/types.ts";
import type { Arm } from "../judged/arms.ts";
import { type ExamSize, sizeLabel, sizeTokens } from "../judged/size.ts";
import type { Rule, RulesConversation } from "./conversation.ts";

/** What became of the rules in one view. */
export interface RuleFate {
  readonly rule: Rule;
  readonly conversation: string;
  readonly noise: RulesConversation["noise"];
  readonly arm: string;
  readonly size: string;
  readonly compactions: number;
  /**
   * `kept`: what holds at the end stands in the view, word for word. `lost`: it doesn't. `stale`: a rule stands there without the words
   * that changed it or took it back, so that it seems to hold. `failed`: there was no view.
   */
  readonly fate: "kept" | "lost" | "stale" | "failed";
}

export interface RulesOptions {
  readonly conversations: readonly RulesConversation[];
  readonly arms: readonly Arm[];
  readonly sizes: readonly ExamSize[];
  /** Compactions in a row, evenly spread over the conversation; arms that make a view at once take part in the first only. */
  readonly compactions: readonly number[];
  readonly counter: TokenCounter;
  readonly summarizer?: Model;
  readonly profile?: Profile;
  readonly onProgress?: (done: number, total: number) => void;
}

const NO_MODEL: Model = {
  id: "none",
  complete: () => Promise.reject(new Error("precis: no model was named for an arm that needs one.")),
};

/** Has each view made, and looks for each rule in it. */
export async function runRules(options: RulesOptions): Promise<RuleFate[]> {
  const { arms, compactions, sizes, conversations, counter, summarizer = NO_MODEL, profile } = options;
  const views = viewsOf(arms, compactions);
  const fates: RuleFate[] = [];
  let done = 0;
  for (const { id, messages, rules, noise } of conversations) {
    const exam = { id, messages, items: [] };
    for (const spec of sizes)
      for (const { id: armId, made, times } of views) {
        const size = sizeTokens(spec, exam, counter.count) ?? 0;
        const text = await made
          .make({ exam, size, counter, summarizer, ...(profile && { profile }) })
          .then((contextFor) => contextFor(""))
          .then((shown) => shown.map((one) => one.text).join("\n"))
          .catch((error: unknown) => {
            if (made.needsModel) throw error;
          });
        const view = text === undefined ? undefined : plain(text);
        const common = { conversation: id, noise, arm: armId, size: sizeLabel(spec), compactions: times };
        fates.push(...rules.map((rule) => ({ rule, ...common, fate: fateOf(rule, view) })));
        options.onProgress?.(++done, conversations.length * sizes.length * views.length);
      }
  }
  return fates;
}

/** Each arm after each number of compactions; one that makes its view at once has no second one. */
export function viewsOf(
  arms: readonly Arm[],
  compactions: readonly number[],
): { readonly id: string; readonly made: Arm; readonly times: number }[] {
  return arms.flatMap((arm) =>
    arm.inARow === undefined
      ? [{ id: arm.id, made: arm, times: 1 }]
      : compactions.map((times) => ({ id: arm.id, made: times === 1 ? arm : arm.inARow!(times), times })),
  );
}

/** Line breaks and escapes of quoted text don't count; letters do. */
function plain(text: string): string {
  return text.replaceAll("&lt;", "<").replaceAll("\\", "").replace(/\s+/g, " ");
}

function fateOf({ text, way, change }: Rule, view: string | undefined): RuleFate["fate"] {
  if (view === undefined) return "failed";
  const at = view.indexOf(plain(text));
  if (change === undefined) return at >= 0 ? "kept" : "lost";
  const changedAt = view.lastIndexOf(plain(change));
  if (at >= 0 && changedAt < at) return "stale";
  // Of a rule that was taken back nothing is left to keep.
  return changedAt >= 0 || way === "revoked" ? "kept" : "lost";
}

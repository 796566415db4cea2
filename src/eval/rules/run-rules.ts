import type { Model, Profile, TokenCounter } from "../../core/types.ts";
import { type Arm, type ExamSize, sizeLabel, sizeTokens } from "../judged/arms.ts";
import type { EvalCase, EvalSet } from "../types.ts";
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

interface RulesOptions {
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

/**
 * Words by which a sentence of a user's is taken for a rule in recordings, where nobody says which ones are. They are wider and fewer
 * than those by which precis finds rules, so that what precis overlooks counts too; what isn't a rule counts for everybody alike.
 */
const SPACED =
  "always|never|don't|do not|must|mustn't|only|from now on|make sure|without asking|immer|nie|niemals|nicht|kein|keine|nur|ab jetzt|toujours|jamais|ne|désormais|siempre|nunca|solo|a partir de|não|nao|sempre|apenas|non|mai|soltanto|всегда|никогда|не|нельзя|только|دائما|أبدا|لا|يجب|فقط|항상|절대|마세요";
const DENSE =
  "总是|絕對|绝|不要|不得|必须|只能|从现在|每次|必ず|絶対|しないで|ないでください|だけ|今後|これから";
const MARK = new RegExp(`(?<![\\p{L}\\p{N}])(?:${SPACED})(?![\\p{L}\\p{N}])|${DENSE}`, "iu");

/** Shorter sentences say too little, longer ones were pasted or explain something (characters). */
const LEAST = 12;
const LONGEST = 240;
/** A longer message is a document, whoever sent it (characters). */
const LONGEST_MESSAGE = 6_000;
/** What programs put into a user's message, what is quoted there, and rows of tables. */
const NOT_TYPED = /<([a-z][\w-]*)[^>]*>[\s\S]*?<\/\1>|```[\s\S]*?(?:```|$)|^[>|].*$/gm;

/** The recorded conversations of some sets in which a user gave rules, each as far as it goes. */
export function* ownConversations(sets: readonly EvalSet[], everyNth: number): Iterable<RulesConversation> {
  for (const set of sets) {
    if (set.type === "citations") continue;
    const longest = new Map<string, EvalCase>();
    for (const one of set.cases(everyNth))
      if (one.to > (longest.get(one.session)?.to ?? 0)) longest.set(one.session, one);
    for (const [session, { messages, from, to, ...rest }] of longest) {
      const people = "people" in rest ? new Set(rest.people) : undefined;
      const said = messages.flatMap(({ role, content }, index) =>
        index >= from && index < to && (people?.has(index) ?? role === "user") ? [content] : [],
      );
      const rules = rulesIn(said);
      if (rules.length > 0)
        yield { id: `${set.id}: ${session}`, messages: messages.slice(from, to), rules, noise: "recorded" };
    }
  }
}

function rulesIn(texts: readonly string[]): Rule[] {
  const segmenter = new Intl.Segmenter(undefined, { granularity: "sentence" });
  const found = texts
    .filter((text) => text.length <= LONGEST_MESSAGE)
    .flatMap((text) => text.replace(NOT_TYPED, "\n").split("\n"))
    .flatMap((line) => [...segmenter.segment(line)].map(({ segment }) => segment.trim()))
    .filter((text) => text.length >= LEAST && text.length <= LONGEST && MARK.test(text.replaceAll("’", "'")));
  return [...new Set(found)].map((text) => ({ text, way: "plain", language: "recorded", isMarked: true }));
}

import { keepNewest } from "../core/collections.ts";
import { firstCharacters } from "../core/first-characters.ts";
import { isUserMessage } from "../core/rounds.ts";
import type {
  CompactInput,
  Compactor,
  Dialect,
  FitInput,
  FitResult,
  Message,
  Report,
  Run,
  State,
} from "../core/types.ts";
import { pointerTo } from "../summaries/records/pointers.ts";
import type { RecallToolContext } from "./recall-tool.ts";
import { inputFields, type OwnTool, ownTool } from "./recall-tool.ts";

/** What the tool is called with. */
export interface CompactToolInput {
  readonly focus?: string;
  /** The last message that may be hidden, such as `#120`. */
  readonly upTo?: string;
}

/** The transcript that a call is about, and what its `fit` is given beside it. */
export interface CompactToolContext<M> extends RecallToolContext<M> {
  /** Called with the state that the next `fit` stands on. Not needed with a store. */
  onState?(state: State): void;
  /** How long to wait for a model-written summary. Default 20 seconds. */
  readonly waitMs?: number;
}

/** A tool by which a model asks for a compaction of what it doesn't need any more. */
export type CompactTool<M> = OwnTool<CompactToolInput, CompactToolContext<M>>;

/** What a call asks of `compact`. */
export type CompactWish = Pick<CompactInput<unknown>, "focus" | "upTo">;

const DEFAULT_NAME = "compact";
/** Whoever called waits, and so does everybody behind it (milliseconds). */
const DEFAULT_WAIT_MS = 20_000;
/** A longer focus says nothing more (characters). */
const MAX_FOCUS = 2_000;
/** What a model is told of the tool, whatever it is called. */
export const COMPACT_TOOL = {
  description:
    "Hides earlier messages of this conversation behind a summary, to make room. Call it when a sub-task is finished (its tests pass, its question is answered, its change is written) and the next steps don't need its details, or when a search led nowhere and only its outcome matters. Don't call it in the middle of a derivation or of an edit, and not because you are stuck: what you need may be hidden. Nothing is lost: messages can be read back. The newest messages, the user's request and open calls always stay.",
  parameters: {
    type: "object",
    properties: {
      focus: { type: "string", description: "What the summary should care about most." },
      upTo: {
        type: "string",
        description: 'The last message to hide: "#120". Default: what an automatic compaction would hide.',
      },
    },
    additionalProperties: false,
  },
} as const;
const WRONG_INPUT =
  'Give `focus` (a text), `upTo` (the number of a message, such as "#120"), both or neither.';
const NOT_IN_THIS_TURN =
  "Not now: the reasoning of this turn is bound to everything before it. Nothing was compacted. Ask again at the beginning of the next turn.";
export const JUST_COMPACTED =
  "Nothing was compacted: hardly anything was said since the last time. Go on with your work.";
const POINTER = /^#?(\d{1,9})$/;

/**
 * A tool for the model's own wish. Offer it from the first request on, as `recallTool`. The ladder stays the brake: whole rounds only,
 * never the task, and what can't be hidden is refused with the reason.
 *
 * @example
 * ```ts
 * import { createCompactor } from "precis";
 * import { openaiChat } from "precis/dialects";
 * import { compactTool } from "precis/recall";
 *
 * const compactor = createCompactor({ dialect: openaiChat, window: 128_000 });
 * const compact = compactTool(compactor);
 * const transcript = [{ role: "user", content: "Hello!" }];
 * let state: unknown;
 * console.log(await compact.execute({ focus: "names" }, { transcript, onState: (next) => (state = next) }));
 * const { messages } = await compactor.fit(transcript, { state, tools: [compact.openaiChat] });
 * console.log(messages.length);
 * ```
 */
export function compactTool<M>(
  compactor: Pick<Compactor<M>, "dialect" | "compact" | "pressure">,
  options: { readonly name?: string } = {},
): CompactTool<M> {
  const execute = async (
    input: unknown,
    { transcript, onState, waitMs = DEFAULT_WAIT_MS, ...given }: CompactToolContext<M>,
  ): Promise<string> => {
    const wish = compactWish(input, transcript.length);
    if (typeof wish === "string") return wish;
    if (isBound(compactor.dialect, transcript)) return NOT_IN_THIS_TURN;
    const compacted = await compactByWish(compactor, { transcript, given, wish, waitMs });
    if (!compacted) return JUST_COMPACTED;
    onState?.(compacted.state);
    return compactedText(compacted.report);
  };
  return ownTool(options.name ?? DEFAULT_NAME, COMPACT_TOOL, execute);
}

/** What a call asks for, or what is wrong with it. */
export function compactWish(input: unknown, length: number): CompactWish | string {
  const fields = inputFields(input);
  const focus = fields?.["focus"] ?? undefined;
  const upTo = fields?.["upTo"] ?? undefined;
  const number = upTo === undefined ? undefined : POINTER.exec(String(upTo).trim())?.[1];
  const isText = focus === undefined || typeof focus === "string";
  if (!fields || !isText || (upTo !== undefined && number === undefined)) return WRONG_INPUT;
  if (number !== undefined && (Number(number) < 1 || Number(number) > length))
    return `There is no message #${number}: the conversation has ${length}.`;
  return {
    ...(focus !== undefined && focus.trim() !== "" && { focus: firstCharacters(focus, MAX_FOCUS) }),
    ...(number !== undefined && { upTo: Number(number) }),
  };
}

/** A view that has grown by less than this share since a model had it compacted isn't compacted again. */
const LEAST_GROWTH = 0.25;

/** What views took right after models had them compacted (tokens), by their checkpoints. */
const landings = new WeakMap<object, Map<string, number>>();

/**
 * Compacts as a model wishes; undefined if it had just that done. A compaction without an end lands at half of the view at the most, so
 * that a model which calls the tool again and again would be left with next to nothing.
 */
export async function compactByWish<M>(
  compactor: Pick<Compactor<M>, "compact" | "pressure">,
  {
    transcript,
    given,
    wish,
    waitMs,
  }: {
    readonly transcript: readonly M[];
    readonly given: FitInput<M>;
    readonly wish: CompactWish;
    readonly waitMs: number;
  },
): Promise<FitResult<M> | undefined> {
  const landed = landings.get(compactor) ?? new Map<string, number>();
  landings.set(compactor, landed);
  if (wish.upTo === undefined && landed.size > 0) {
    const { checkpoint, tokens } = await compactor.pressure(transcript, given);
    const before = checkpoint === undefined ? undefined : landed.get(checkpoint);
    if (before !== undefined && tokens < before * (1 + LEAST_GROWTH)) return undefined;
  }
  const result = await compactor.compact(transcript, { ...given, ...wish, waitMs });
  const { checkpoint, tokens, outcome } = result.report;
  if (outcome === "compacted" && checkpoint !== undefined) keepNewest(landed, checkpoint, tokens.after);
  return result;
}

/** Does signed reasoning of the turn under way stand on what would change? */
export function isBound<M>(dialect: Pick<Dialect<M>, "rules" | "read">, transcript: readonly M[]): boolean {
  if (!dialect.rules.boundReasoning) return false;
  for (let at = transcript.length - 1; at >= 0; at--) {
    const message: Message = dialect.read(transcript[at]!);
    if (isUserMessage(message)) return false;
    if (message.parts.some((part) => part.type === "reasoning" && part.signed)) return true;
  }
  return false;
}

/** Runs of messages that are named to the model; a longer list helps nobody. */
const MAX_NAMED = 6;

/** What became of it, and what is still word for word in front of the model that asked. */
export function compactedText({ outcome, tokens, entries, warnings }: Report): string {
  const notes = warnings.filter(({ code }) => code.startsWith("range-")).map(({ message }) => message);
  if (outcome !== "compacted") return ["Nothing was compacted.", ...notes].join(" ");
  const kept = namedRuns(entries.flatMap((entry) => (entry.type === "keep" ? [entry.index] : [])));
  return [
    `Done: the conversation takes ${tokens.after} tokens now; before, it was ${tokens.before}.`,
    `Still here word for word: ${kept}. The rest is in the summary or shortened.`,
    ...notes,
  ].join(" ");
}

/** Messages as ranges, `#1, #41–61`; of many ranges the newest. */
function namedRuns(indexes: readonly number[]): string {
  const runs: Run[] = [];
  for (const index of indexes) {
    const last = runs.at(-1);
    if (last?.to === index) runs[runs.length - 1] = { from: last.from, to: index + 1 };
    else runs.push({ from: index, to: index + 1 });
  }
  const named = runs.slice(-MAX_NAMED).map(pointerTo);
  return [...(runs.length > MAX_NAMED ? ["…"] : []), ...named].join(", ");
}

import { restoreDraft } from "../../core/checkpoint.ts";
import { defined } from "../../core/collections.ts";
import { type Draft, entriesOf, isShown } from "../../core/draft.ts";
import { applyEdits, editableParts } from "../../core/edits.ts";
import { firstCharacters } from "../../core/first-characters.ts";
import { readableText } from "../../core/message-text.ts";
import type {
  Budget,
  Checkpoint,
  Entry,
  Message,
  ModelCall,
  PressureReport,
  Report,
  ToolCallPart,
  Warning,
  WarningCode,
} from "../../core/types.ts";
import { isImageOrFile } from "../../reductions/old-images.ts";
import { ROUNDS, watchRepeats } from "../../summaries/calls/repeated-calls.ts";
import { PLANT_MARK } from "../../summaries/text/plants.ts";
import { isSummaryMessage } from "../../summaries/write/sections.ts";
import { isRoleNote } from "../ladder/step.ts";
import { earliestStart } from "../plan/tail.ts";
import { type Conversation, shownInsertTokens, showsNote } from "../read/conversation.ts";
import { thinkingWarning } from "../read/reasoning.ts";
import type { Operation, Survey } from "../read/survey.ts";
import type { Settings } from "../settings/settings.ts";

/** The meter's colours: green below the first, yellow below the second, red above. */
const YELLOW_FROM = 0.7;
const RED_FROM = 0.9;

/** The receipt of one `fit`. */
export function reportOf<M>(
  { engine, survey }: Operation<M>,
  facts: Pick<Report, "outcome" | "reason" | "rungs" | "checkpoint"> &
    Partial<
      Pick<Report, "recalled" | "quoted" | "warnings" | "prefixReason" | "summaryCheck" | "repeated">
    > & {
      /** What is shown, and its tokens. Default: the current view. */
      readonly draft?: Draft;
      readonly tokens?: number;
      readonly calls?: readonly ModelCall[];
    },
): Report {
  const { settings, dialect } = engine;
  const { draft = survey.current, tokens = survey.tokens, calls = [], prefixReason } = facts;
  const entries = entriesOf(draft);
  return {
    conversation: survey.name,
    outcome: facts.outcome,
    reason: facts.reason,
    strategy: settings.strategy,
    profile: settings.profile,
    dialect: dialect.id,
    budget: survey.budget,
    pressure: { before: survey.pressure, after: tokens / survey.budget.budget },
    tokens: {
      transcript: survey.conversation.total,
      before: survey.tokens,
      after: tokens,
      ...(survey.bounded && { atMost: true }),
    },
    answer: answerRoom(survey, tokens),
    counts: countsOf(entries),
    entries,
    recalled: facts.recalled ?? [],
    quoted: facts.quoted ?? [],
    rungs: facts.rungs,
    modelCalls: calls,
    ...(engine.summarizer && {
      summarizer: { id: engine.summarizer.id, ...defined({ key: engine.summarizer.key }) },
    }),
    cost: calls.reduce((sum, call) => sum + call.cost, 0),
    cacheHits: { checkpoint: survey.checkpoint !== undefined, summaries: survey.state.summaries.length },
    warnings: [...survey.warnings, ...(facts.warnings ?? [])],
    prefixChanged: prefixReason !== undefined,
    prefixReason,
    checkpoint: facts.checkpoint,
    ...(facts.summaryCheck && { summaryCheck: facts.summaryCheck }),
    ...(facts.repeated && { repeated: facts.repeated }),
  };
}

/** What the newest answer asked for again, because a compaction of the last rounds hides it. */
export function repeatedIn<M>({ checkpoint, current, conversation, state }: Survey<M>): Report["repeated"] {
  const { messages, structure, chain } = conversation;
  const isAnswer = (index: number) => messages[index]?.role === "assistant";
  const callsOf = (index: number) =>
    messages[index]!.parts.filter((part) => part.type === "tool-call" && isAnswer(index));
  if (!checkpoint) return undefined;
  const roundsSince = ({ seen }: Checkpoint): number[] =>
    messages.flatMap((_, index) => (index >= seen.messages && callsOf(index).length > 0 ? [index] : []));
  const { messages: seen } = checkpoint.seen;
  const rounds = roundsSince(checkpoint);
  if (rounds.length === 0) return undefined;
  let newest = messages.length - 1;
  while (newest >= seen && !isAnswer(newest)) newest--;
  while (isAnswer(newest - 1)) newest--;
  const isSeen = (entry: Entry): boolean => entry.type === "insert" || entry.index < seen;
  const shown = entriesOf(current).filter(isSeen);
  const older = state.checkpoints
    .filter((one) => one.seen.messages < seen && chain[one.length] === one.hash)
    .toSorted((a, b) => b.at - a.at);
  let repeated: Report["repeated"];
  // The newest one hides what those before it hid, too.
  for (const [n, one] of [checkpoint, ...older].entries()) {
    if (roundsSince(one).length > ROUNDS) break;
    const before = older[n] && restoreDraft(older[n], messages.slice(0, seen), structure.start);
    const watch = watchRepeats(messages.slice(0, seen), shown, before && entriesOf(before));
    const calls = rounds.flatMap((index) => {
      const again = watch.look(callsOf(index) as ToolCallPart[]);
      return index >= newest ? again : [];
    });
    if (calls.length > (repeated?.calls.length ?? 0))
      repeated = { checkpoint: repeated?.checkpoint ?? one.id, calls };
  }
  return repeated;
}

/** Tokens that are left for the answer beside a view. */
function answerRoom<M>({ budget, maxAnswer }: Survey<M>, tokens: number): number | undefined {
  if (budget.window === undefined) return undefined;
  const left = budget.window - tokens - budget.tools - budget.safety;
  return Math.max(0, Math.min(left, maxAnswer ?? left));
}

function countsOf(entries: readonly Entry[]): Report["counts"] {
  const counts = { kept: 0, edited: 0, covered: 0, dropped: 0, inserted: 0 };
  for (const entry of entries) {
    if (entry.type === "keep") counts.kept++;
    else if (entry.type === "edit") counts.edited++;
    else if (entry.type === "drop") counts.dropped++;
    else {
      counts.inserted++;
      counts.covered += entry.covers.reduce((sum, run) => sum + run.to - run.from, 0);
    }
  }
  return counts;
}

/** The colour of a meter at a pressure. */
export function levelOf(pressure: number): PressureReport["level"] {
  return pressure < YELLOW_FROM ? "green" : pressure < RED_FROM ? "yellow" : "red";
}

/** How full the current view is, and with what. */
export function pressureOf<M>(survey: Survey<M>): PressureReport {
  const { conversation, current, quoted, pressure, tokens, budget, startsAt, checkpoint } = survey;
  const { measure, messages, outside, note } = conversation;
  const fill = { system: outside.system, summary: 0, user: outside.extras, assistant: 0, tool: 0, image: 0 };
  for (const [index, fate] of current.fates.entries()) {
    if (fate.type === "cover" || fate.type === "drop") continue;
    const message = fate.type === "edit" ? applyEdits(messages[index]!, fate.edits) : messages[index]!;
    const appended = fate.type === "edit" && fate.edits.some((edit) => edit.type === "append");
    const all = appended ? conversation.editedTokens(index, fate.edits) : measure.message(message);
    const words = message.parts.filter((part) => part.type !== "image" && part.type !== "frame");
    const images =
      words.length < message.parts.length ? all - measure.message({ ...message, parts: words }) : 0;
    fill.image += images;
    const results = message.role === "user" && message.parts.some((part) => part.type === "tool-result");
    fill[results ? "tool" : message.role] += all - images;
  }
  if (note && showsNote(current, messages)) fill.user += note.tokens;
  for (const insert of current.inserts) fill.summary += shownInsertTokens(conversation, insert);
  for (const one of quoted) fill.summary += one.tokens;
  const level = levelOf(pressure);
  return {
    pressure,
    tokens,
    budget,
    startsAt,
    level,
    fill,
    ...(checkpoint && { checkpoint: checkpoint.id }),
  };
}

/** Messages or lines that a warning names, and characters of a line. */
const NAMED = 5;
/** Characters of the type of a part that a warning names. */
const MAX_KIND = 40;
const MAX_PLANT = 160;

/** What a person should know of a view that is about to be sent. */
export function viewWarnings<M>(
  { engine, input, survey }: Pick<Operation<M>, "engine" | "input" | "survey">,
  view: {
    /** All that is shown. */
    readonly draft: Draft;
    /** What a compaction made of it just now. */
    readonly made: Draft | undefined;
    /** What is quoted for the newest user message. */
    readonly recalled: string | undefined;
    readonly calls: readonly ModelCall[];
  },
): Warning[] {
  const { conversation, budget } = survey;
  const { draft, made, recalled, calls } = view;
  const thinking = input.extras?.length ? undefined : thinkingWarning(conversation, draft);
  return [
    ...plantedWarnings(calls, made, recalled),
    ...unspokenWarnings(made, survey),
    ...tailWarnings(conversation, made, engine.settings),
    ...(thinking ? [thinking] : []),
    ...orphanWarnings(conversation, draft),
    ...imageWarnings(conversation, draft, budget),
    ...unknownPartWarnings(conversation.messages),
  ];
}

/** Messages are hidden, and nothing speaks for them: a summary has no room in so small a budget, or nothing to say. */
function unspokenWarnings(
  draft: Draft | undefined,
  {
    budget: { budget },
    conversation: { messages },
  }: { readonly budget: Pick<Budget, "budget">; readonly conversation: Pick<Conversation, "messages"> },
): Warning[] {
  if (!draft || draft.inserts.some((one) => isSummaryMessage(one.message.text) && !isRoleNote(one)))
    return [];
  const hidden = messages.filter((_, index) => {
    const fate = draft.fates[index]!;
    return fate.type === "drop" && fate.reason === "budget";
  });
  if (hidden.length === 0) return [];
  const why = hidden.some((message) => readableText(message).trim() !== "")
    ? `a budget of ${budget} tokens leaves no room for a summary. They can be recalled`
    : "they have no text that precis can read. They are still in the transcript";
  return [
    {
      code: "no-summary-fits",
      message: `${hidden.length} older message${hidden.length === 1 ? " is" : "s are"} hidden without a summary: ${why}.`,
    },
  ];
}

/** The last user message is sent without images that have no room. */
function imageWarnings(
  { messages, structure: { lastUser } }: Conversation,
  { fates }: Draft,
  { budget }: Pick<Budget, "budget">,
): Warning[] {
  const fate = lastUser === undefined ? undefined : fates[lastUser];
  if (lastUser === undefined || fate?.type !== "edit") return [];
  const parts = editableParts(messages[lastUser]!);
  const gone = fate.edits.filter((edit) => edit.type === "replace" && isImageOrFile(parts[edit.part]!));
  if (gone.length === 0) return [];
  return [
    {
      code: "images-left-out",
      message: `${gone.length} of the ${parts.filter(isImageOrFile).length} images and files in the last user message don't fit the budget of ${budget} tokens, so the model doesn't see them. Send fewer or smaller ones, or raise the budget.`,
    },
  ];
}

/** Fewer of the newest messages are shown than somebody asked for. */
function tailWarnings(
  conversation: Conversation,
  draft: Draft | undefined,
  { tail, countedTail }: Settings,
): Warning[] {
  if (!draft || !countedTail) return [];
  const { length } = conversation.messages;
  const kept = length - 1 - draft.fates.findLastIndex((fate) => !isShown(fate));
  const asked = length - earliestStart(conversation, tail);
  if (kept >= asked) return [];
  return [
    {
      code: "tail-shortened",
      message: `Only the newest ${kept} messages are kept, although \`tail\` asks for ${asked}: with a summary of the rest, no more fit the budget.`,
    },
  ];
}

/** What a tool result or a file told the model to do stands in the view, by a summary or quoted: a person should look at it. */
function plantedWarnings(
  calls: readonly ModelCall[],
  draft: Draft | undefined,
  recalled: string | undefined,
): Warning[] {
  const notes = calls.flatMap(({ result, note }) => (result === "accepted" && note ? [note] : []));
  const quoted = plantsIn(draft, recalled);
  const warn = (message: string): Warning => ({ code: "planted-instruction", message });
  return [
    ...(notes.length === 0
      ? []
      : [
          warn(
            `A summary may repeat an instruction from a tool result or a file. It is marked there: ${notes.join("; ")}`,
          ),
        ]),
    ...(quoted.length === 0
      ? []
      : [
          warn(
            `The summary message quotes ${quoted.length === 1 ? "a line that tells" : `${quoted.length} lines that tell`} the model what to do. Each is marked as not to be followed: ${quoted.slice(0, NAMED).join("; ")}`,
          ),
        ]),
  ];
}

/** The marked lines of what a draft writes. */
function plantsIn(draft: Draft | undefined, recalled = ""): string[] {
  const texts = (draft?.inserts ?? []).map(({ message }) => message.text);
  const appended = (draft?.fates ?? []).flatMap((fate) =>
    fate.type === "edit" ? fate.edits.flatMap((edit) => (edit.type === "append" ? [edit.text] : [])) : [],
  );
  const lines = [...new Set([...texts, ...appended, recalled])].join("\n").split("\n");
  return lines.flatMap((line) => {
    const at = line.indexOf(PLANT_MARK);
    return at < 0 ? [] : [firstCharacters(line.slice(at + PLANT_MARK.length).trim(), MAX_PLANT)];
  });
}

/**
 * Calls and results without their counterpart that the transcript itself has and the view shows: what isn't changed
 * isn't repaired, and most providers refuse such a request.
 */
function orphanWarnings({ structure, messages }: Conversation, { fates }: Draft): Warning[] {
  const shown = structure.faults.filter(({ index }) => isShown(fates[index]!));
  const results = shown.filter(({ kind }) => kind === "orphan-result");
  // A call that the provider runs itself may have its result in places that nobody else sees.
  const calls = shown.filter(
    ({ kind, index }) =>
      kind === "orphan-call" &&
      messages[index]!.parts.some((part) => part.type === "tool-call" && part.locked !== true),
  );
  return [
    ...warning("orphan-result", "tool result", "call", results),
    ...warning("orphan-call", "tool call", "result", calls),
  ];
}

/** Parts that a typing error may have hidden: the provider may refuse them, and precis can't read them. */
function unknownPartWarnings(messages: readonly Message[]): Warning[] {
  const found = messages.flatMap(({ role, parts }, index) =>
    role === "assistant"
      ? []
      : parts.flatMap((part) => (part.type === "other" && part.unknown ? [{ index, kind: part.kind }] : [])),
  );
  if (found.length === 0) return [];
  return [
    {
      code: "unknown-part",
      message: `precis can't read a content part of type "${firstCharacters(found[0]!.kind, MAX_KIND)}" (${placesOf(found)}): the format has no such type, or the part has no content. It is sent unchanged, but summaries and search ignore it.`,
    },
  ];
}

/** Which messages, for a warning. People count from 1. */
function placesOf(found: readonly { readonly index: number }[]): string {
  const numbers = [...new Set(found.map(({ index }) => index + 1))];
  const more = numbers.length > NAMED ? ` and ${numbers.length - NAMED} more` : "";
  return `message ${numbers.slice(0, NAMED).join(", ")}${more}`;
}

function warning(
  code: WarningCode,
  what: string,
  counterpart: string,
  found: readonly { readonly index: number }[],
): Warning[] {
  if (found.length === 0) return [];
  return [
    {
      code,
      message: `The transcript has a ${what} without its ${counterpart} (${placesOf(found)}). It is sent unchanged, and the provider may reject it.`,
    },
  ];
}

import { ConfigError } from "../../core/errors.ts";
import { firstCharacters } from "../../core/first-characters.ts";
import type { SummaryOptions } from "../../core/types.ts";
import { agentPrompt } from "./agent.ts";
import { citationsPrompt } from "./citations.ts";
import { concisePrompt } from "./concise.ts";
import { continuationPrompt } from "./continuation.ts";
import { customPrompt } from "./custom.ts";
import { mergePrompt } from "./merge.ts";
import { progressPrompt } from "./progress.ts";
import { repairPrompt } from "./repair.ts";
import type { Prompt } from "./shared/prompt.ts";
import type { RecordKind } from "./shared/sections.ts";
import { shortenPrompt } from "./shorten.ts";
import { talkPrompt } from "./talk.ts";
import { toolRoundsPrompt } from "./tool-rounds.ts";

export { customPrompt } from "./custom.ts";
export {
  answerCap,
  type Prompt,
  type PromptInput,
} from "./shared/prompt.ts";
export { type RecordKind, rankOf, workIn } from "./shared/sections.ts";

/** The built-in prompts by id. `custom` is made from a host's text: `customPrompt`. */
export const PROMPTS = {
  agent: agentPrompt,
  talk: talkPrompt,
  progress: progressPrompt,
  citations: citationsPrompt,
  concise: concisePrompt,
  merge: mergePrompt,
  repair: repairPrompt,
  shorten: shortenPrompt,
  "tool-rounds": toolRoundsPrompt,
  continuation: continuationPrompt,
} as const satisfies Readonly<Record<string, Prompt>>;

type PromptId = keyof typeof PROMPTS;

/** Characters of a wrong name that an error repeats. */
const MAX_SHOWN = 40;

/** The prompts that a host can name. The others are for steps of our own. */
const CHOOSABLE: readonly PromptId[] = ["agent", "talk", "citations", "progress", "concise"];

/** The prompt that a host named or wrote. A text is told from a name by the blanks between its words. */
export function promptOf(given: NonNullable<SummaryOptions["prompt"]>): Prompt {
  if (typeof given !== "string") return customPrompt(given.text, given);
  const name = CHOOSABLE.find((id) => id === given);
  if (name) return PROMPTS[name];
  if (/\S\s+\S/.test(given)) return customPrompt(given);
  throw new ConfigError({
    option: "summary.prompt",
    message: `there is no prompt ${JSON.stringify(firstCharacters(given, MAX_SHOWN))}.`,
    fix: `Use one of ${CHOOSABLE.join(", ")}, or write in a sentence what a summary should hold.`,
  });
}

/**
 * A prompt of a step of ours for records by a prompt that says in words of its own what they hold: those words are handed to it as
 * `task`, and name what it writes. For all others its name stays.
 */
export function stepPrompt(step: Prompt, chosen: Prompt): Prompt {
  if (chosen.task === undefined) return step;
  return { ...step, version: `${step.version}-${chosen.id}-${chosen.version}` };
}

/** The prompt for a kind of conversation, where the host doesn't say which. */
export const KIND_PROMPTS: Readonly<Record<RecordKind, Prompt>> = {
  work: agentPrompt,
  talk: talkPrompt,
  retrieval: citationsPrompt,
};

/** What names a prompt in a summary's record and key: `agent@1`. */
export function promptKey(prompt: Prompt): string {
  return `${prompt.id}@${prompt.version}`;
}

import { ConfigError } from "../../core/errors.ts";
import { agentPrompt } from "./agent.ts";
import { citationsPrompt } from "./citations.ts";
import { concisePrompt } from "./concise.ts";
import { continuationPrompt } from "./continuation.ts";
import { customPrompt } from "./custom.ts";
import { mergePrompt } from "./merge.ts";
import { progressPrompt } from "./progress.ts";
import { repairPrompt } from "./repair.ts";
import type { Prompt } from "./shared/prompt.ts";
import { toolRoundsPrompt } from "./tool-rounds.ts";

export { customPrompt } from "./custom.ts";
export {
  analysisTokens,
  answerCap,
  type Prompt,
  type PromptInput,
  type RenderedPrompt,
} from "./shared/prompt.ts";

/** The built-in prompts by id. `custom` is made from a host's text: `customPrompt`. */
export const PROMPTS = {
  agent: agentPrompt,
  progress: progressPrompt,
  citations: citationsPrompt,
  concise: concisePrompt,
  merge: mergePrompt,
  repair: repairPrompt,
  "tool-rounds": toolRoundsPrompt,
  continuation: continuationPrompt,
} as const satisfies Readonly<Record<string, Prompt>>;

export type PromptId = keyof typeof PROMPTS;

/** The prompt of that id; `custom` takes the host's text. */
export function promptById(id: string, customText?: string): Prompt {
  if (id === "custom") return customPrompt(customText ?? "");
  if (Object.hasOwn(PROMPTS, id)) return PROMPTS[id as PromptId];
  throw new ConfigError({
    option: "prompt",
    message: `there is no prompt ${JSON.stringify(id)}.`,
    fix: `Use one of ${Object.keys(PROMPTS).join(", ")}, custom.`,
  });
}

/** What names a prompt in a summary's record and key: `agent@1`. */
export function promptKey(prompt: Prompt): string {
  return `${prompt.id}@${prompt.version}`;
}

import { ConfigError } from "../../core/errors.ts";
import { contentHash } from "../../core/hash.ts";
import { frame, intro } from "./shared/frame.ts";
import type { Prompt } from "./shared/prompt.ts";

/** Digits of the text's hash in the version: enough to tell the prompts of one host apart. */
const VERSION_DIGITS = 12;

/**
 * The host's own task in the common frame, under the id and version that the host gives it. Its text is part of the
 * version, so another text makes other summaries even if nobody counts the version up.
 */
export function customPrompt(
  text: string,
  { id = "custom", version = 1 }: { readonly id?: string; readonly version?: number } = {},
): Prompt {
  const task = text.trim();
  if (task === "") {
    throw new ConfigError({
      option: "prompt",
      message: "the text of a custom prompt is empty.",
      fix: "Say what the summary should contain, or choose one of the built-in prompts.",
    });
  }
  return {
    id,
    version: `${version}-${contentHash(task).slice(0, VERSION_DIGITS)}`,
    analysis: false,
    task,
    isHosts: true,
    render(input) {
      return frame({ text: `${intro(input)}\n${task}` }, input);
    },
  };
}

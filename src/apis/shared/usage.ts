import type { Usage } from "../../core/types.ts";
import { count, obj } from "./fields.ts";

/** What a provider reports of a request. A part of a stream may leave the input out. */
export type Reported = Omit<Usage, "input"> & { readonly input?: number };

/** `Usage` out of whatever was reported; a provider that reports nothing gives zero. */
export function usageOf(fields: { readonly [K in keyof Usage]?: unknown }): Usage {
  return { input: 0, ...counted(fields) };
}

/** `Usage` only where the input is known. */
export function knownUsage(reported: Reported): Usage | undefined {
  return reported.input === undefined ? undefined : (reported as Usage);
}

/** Chat Completions, also of those who imitate it: DeepSeek has a name of its own for what its cache had. */
export function chatUsage(usage: unknown): Reported {
  const { prompt_tokens, completion_tokens, prompt_tokens_details, prompt_cache_hit_tokens } = obj(usage);
  const { cached_tokens, cache_write_tokens } = obj(prompt_tokens_details);
  return counted({
    input: prompt_tokens,
    output: completion_tokens,
    cacheRead: cached_tokens ?? prompt_cache_hit_tokens,
    cacheWrite: cache_write_tokens,
  });
}

export function responsesUsage(usage: unknown): Reported {
  const { input_tokens, output_tokens, input_tokens_details } = obj(usage);
  const { cached_tokens, cache_write_tokens } = obj(input_tokens_details);
  return counted({
    input: input_tokens,
    output: output_tokens,
    cacheRead: cached_tokens,
    cacheWrite: cache_write_tokens,
  });
}

/** Anthropic's own `input_tokens` leaves out what was cached. */
export function messagesUsage(usage: unknown): Reported {
  const { input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens } = obj(usage);
  const reported = counted({
    input: input_tokens,
    output: output_tokens,
    cacheRead: cache_read_input_tokens,
    cacheWrite: cache_creation_input_tokens,
  });
  if (reported.input === undefined) return reported;
  return { ...reported, input: reported.input + (reported.cacheRead ?? 0) + (reported.cacheWrite ?? 0) };
}

/** Gemini counts its thoughts beside its answer. */
export function geminiUsage(usage: unknown): Reported {
  const { promptTokenCount, candidatesTokenCount, thoughtsTokenCount, cachedContentTokenCount } = obj(usage);
  const said = count(candidatesTokenCount);
  const thought = count(thoughtsTokenCount);
  const output = said === undefined && thought === undefined ? undefined : (said ?? 0) + (thought ?? 0);
  return counted({ input: promptTokenCount, output, cacheRead: cachedContentTokenCount });
}

function counted(fields: { readonly [K in keyof Usage]?: unknown }): Reported {
  const reported: { -readonly [K in keyof Usage]?: Usage[K] } = {};
  for (const name of COUNTS) {
    const known = count(fields[name]);
    if (known !== undefined) reported[name] = known;
  }
  return reported;
}

const COUNTS = ["input", "output", "cacheRead", "cacheWrite"] as const;

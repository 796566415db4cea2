import { keepNewest } from "../core/collections.ts";
import type { ModelInfo, Prices, Usage } from "../core/types.ts";
import { REGISTRY, type RegistryEntry } from "./registry.ts";

/** What a model gets that we have never heard of: a small window, so that nothing is ever sent that doesn't fit. */
const UNKNOWN: RegistryEntry = { window: 8_192, encoding: "o200k_base", factor: 1.1, images: "openai" };
/** What `[1m]` behind a Claude id asks for. */
const LONG_WINDOW = 1_000_000;

/** An end of an id that doesn't name another model: a date, a version, `-latest`, `-preview`, `-instruct`. */
const QUALIFIER = /-(?:\d{8}|\d{4}-\d{2}-\d{2}|\d{3,4}|\d{2}-\d{2,4}|latest|preview|exp|instruct|it|v\d+)$/;
/** Characters of the longest qualifier (`-2025-01-31`), and qualifiers of one id that are taken off. */
const MAX_QUALIFIER = 11;
const MAX_QUALIFIERS = 8;
/** No model's id is longer (characters). One that is matches nothing, and isn't looked at any closer. */
const MAX_ID = 512;
/** `ft:BASE:ORGANISATION:NAME:ID`. What follows the base may have slashes. */
const FINE_TUNED = /^\s*(?:[^:]*\/)?ft:([^:]+)/i;
/** What may follow a family's name in a longer id. */
const SEPARATORS = new Set(["-", ".", "_"]);

/**
 * Window, largest answer, tokenizer, picture formula and prices of a model, by its id. Overrides win, by the id as given
 * or by its bare form.
 *
 * Ids may carry a provider (`anthropic/…`, `models/…`, `us.anthropic.…`), a variant (`:free`, `@20250929`, `[1m]`), a
 * date or `-latest`. What isn't listed by itself is matched by the longest listed beginning (`gpt-5.2-codex-max` →
 * `gpt-5.2-codex`), without prices, because those differ within a family. A fine-tuned model of OpenAI's
 * (`ft:gpt-4o-mini-2024-07-18:org::id`) is its base, without prices too. What matches nothing gets a window of 8,192
 * tokens and `known: false`.
 *
 * @example
 * modelInfo("openai/gpt-4o-2024-11-20").window; // 128000
 * modelInfo("my-model", { "my-model": { window: 32_768 } }).window; // 32768
 */
export function modelInfo(
  id: string,
  overrides: Readonly<Record<string, Partial<ModelInfo>>> = {},
): ModelInfo {
  if (id.length > MAX_ID)
    return { ...UNKNOWN, known: own(overrides, id)?.window !== undefined, ...own(overrides, id), id };
  const { bare, name, found } = lookUp(id);
  const override = own(overrides, id) ?? own(overrides, bare) ?? own(overrides, name);
  return {
    ...(found ?? UNKNOWN),
    known: found !== undefined || override?.window !== undefined,
    ...override,
    id,
  };
}

/** An id in the registry's spelling, and what the registry has for it. */
interface LookedUp {
  readonly bare: string;
  /** The bare id without dates and versions. */
  readonly name: string;
  readonly found: RegistryEntry | undefined;
}

/** Ids that were looked up last: a gateway asks for the same few with every request. */
const lookedUp = new Map<string, LookedUp>();

function lookUp(id: string): LookedUp {
  const known = lookedUp.get(id);
  if (known) return known;
  const base = FINE_TUNED.exec(id)?.[1];
  const bare = bareId(base ?? id);
  const name = withoutQualifiers(bare);
  const listed = own(REGISTRY, name);
  const entry = (base === undefined ? listed : withoutPrices(listed)) ?? longestPrefix(bare);
  const found = entry && /\[1m\]$/i.test(id) ? { ...entry, window: LONG_WINDOW } : entry;
  const result = { bare, name, found };
  keepNewest(lookedUp, id, result);
  return result;
}

/** The id in lower case without provider and variant, with the spelling that the registry uses. */
function bareId(id: string): string {
  const path = id
    .trim()
    .toLowerCase()
    .replace(/\[1m\]$/, "");
  const last = path.slice(path.lastIndexOf("/") + 1);
  const bare = last
    .replace(
      /^(?:[a-z-]+\.)*(?:anthropic|meta|mistral|deepseek|qwen|openai|amazon|google|moonshotai|moonshot|zai|xai)\./,
      "",
    )
    .replace(/[:@].*$/, "")
    .replace(/^meta-/, "")
    .replace(/^(llama|gemma)(?=\d)/, "$1-")
    .replace(/^cohere-/, "")
    .replace(/^llama-(\d)-(\d)-/, "llama-$1.$2-")
    .replace(/^qwen-(?=\d)/, "qwen");
  return bare.startsWith("claude") ? bare.replaceAll(".", "-") : bare;
}

/** The listed name that is left when dates and versions are taken off one by one, or what is left in the end. */
function withoutQualifiers(bare: string): string {
  let name = bare;
  for (let taken = 0; taken < MAX_QUALIFIERS && !Object.hasOwn(REGISTRY, name); taken++) {
    // Only the end is looked at: a name of many dashes would be searched through from each of them.
    const end = QUALIFIER.exec(name.slice(-MAX_QUALIFIER))?.[0];
    if (end === undefined) break;
    name = name.slice(0, -end.length);
  }
  return name;
}

/** The entry with the longest name that the id begins with, without its prices. */
function longestPrefix(bare: string): RegistryEntry | undefined {
  let best = "";
  for (const name of Object.keys(REGISTRY))
    if (name.length > best.length && bare.startsWith(name) && SEPARATORS.has(bare.charAt(name.length)))
      best = name;
  return withoutPrices(own(REGISTRY, best));
}

function withoutPrices(entry: RegistryEntry | undefined): RegistryEntry | undefined {
  if (!entry) return undefined;
  const { prices: _, ...rest } = entry;
  return rest;
}

/** A model called `constructor` must not find the object's own methods. */
function own<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

/** Prices are for so many tokens. */
const PER_TOKENS = 1_000_000;

/** US dollars for one request, by what the provider counted. */
export function spendOf({ input, output = 0, cacheRead = 0, cacheWrite = 0 }: Usage, prices: Prices): number {
  const plain = Math.max(0, input - cacheRead - cacheWrite);
  return (
    (plain * prices.input +
      cacheRead * prices.cacheRead +
      cacheWrite * prices.cacheWrite +
      output * prices.output) /
    PER_TOKENS
  );
}

import { type Json, listOf, obj } from "../../apis/shared/fields.ts";
import { isRecord, parseJson } from "../../core/json.ts";
import type { Endpoint } from "./http.ts";
import { readText } from "./http.ts";

/**
 * How servers tell the context size of a model in their lists: OpenRouter, Together and Fireworks; vLLM and SGLang; Groq;
 * Mistral; LM Studio (loaded before possible); LiteLLM; Anthropic; llama.cpp; Gemini. The first field that is there counts.
 */
const FIELDS = [
  "loaded_context_length",
  "max_model_len",
  "context_length",
  "context_window",
  "max_context_length",
  "max_input_tokens",
  "n_ctx",
  "inputTokenLimit",
] as const;
/** A list of models is far smaller (bytes). */
const MAX_ANSWER = 8_000_000;

/** What a server tells of a model's context. */
interface ServedWindow {
  readonly window: number;
  /** The model isn't loaded: what the server will give it then may be less. */
  readonly isUnloaded?: true;
}

/** The context size that a server tells for the endpoint's model; undefined where it doesn't. Never throws. */
export async function servedWindow(endpoint: Endpoint, signal: AbortSignal): Promise<number | undefined> {
  const ask = (url: string, body?: Json) => get(endpoint, url, signal, body);
  return (await windowBehind(endpoint.base, endpoint.model, ask))?.window;
}

/** The same, by the address that the API's paths are added to. `ask` gives the JSON at an address, or undefined; with a body it posts that. */
export async function windowBehind(
  base: string,
  model: string,
  ask: (address: string, body?: Json) => Promise<unknown>,
): Promise<ServedWindow | undefined> {
  const root = base.replace(/\/v\d+$/, "");
  const listed = windowOf(entryOf(await ask(`${base}/models`), model));
  if (listed !== undefined) return { window: listed };
  if (root === base) return undefined;
  // LM Studio and llama.cpp tell it outside of the API that they imitate.
  const own = windowOf(entryOf(await ask(`${root}/api/v0/models`), model));
  if (own !== undefined) return { window: own };
  const props = obj(await ask(`${root}/props`));
  const served = windowOf(obj(props["default_generation_settings"]));
  if (served !== undefined) return { window: served };
  const shown = obj(await ask(`${root}/api/show`, { model }));
  return Object.keys(shown).length === 0
    ? undefined
    : ollamaWindow(shown, await ask(`${root}/api/ps`), model);
}

/**
 * Ollama cuts off what is longer, without a word: what the loaded model has counts before what its file sets, and that before
 * what it was made for. Without a size in its file it is loaded with a default of the server's, which nothing tells before.
 */
function ollamaWindow(shown: Json, running: unknown, model: string): ServedWindow | undefined {
  const loaded = listOf(obj(running)["models"])
    .filter(isRecord)
    .find(({ name, model: id }) => [name, id].some((one) => one === model || one === `${model}:latest`));
  const set = /^num_ctx\s+(\d+)/m.exec(String(shown["parameters"] ?? ""))?.[1];
  const made = Object.entries(obj(shown["model_info"])).find(([name]) => name.endsWith(".context_length"));
  const given =
    windowOf(loaded ?? {}) ?? windowOf({ context_length: set === undefined ? undefined : Number(set) });
  if (given !== undefined) return { window: given };
  const window = windowOf({ context_length: made?.[1] });
  return window === undefined ? undefined : { window, isUnloaded: true };
}

async function get(
  endpoint: Endpoint,
  url: string,
  signal: AbortSignal,
  body: Json | undefined,
): Promise<unknown> {
  try {
    const response = await endpoint.fetch(url, {
      method: body ? "POST" : "GET",
      headers: { ...endpoint.headers },
      ...(body && { body: JSON.stringify(body) }),
      signal,
      redirect: "manual",
    });
    return response.ok ? parseJson(await readText(response, MAX_ANSWER)) : undefined;
  } catch {
    return undefined;
  }
}

/** The model's entry in a list; the only entry of a server that has one model under several names. */
function entryOf(answer: unknown, model: string): Json {
  const { data, models } = obj(answer);
  const entries = listOf(Array.isArray(answer) ? answer : (data ?? models)).filter(isRecord);
  return (
    entries.find(({ id, name }) => id === model || name === model || name === `models/${model}`) ??
    (entries.length === 1 && entries[0] !== undefined ? entries[0] : {})
  );
}

/** The context size that an entry of a server's list of models tells. */
export function windowOf(entry: Json): number | undefined {
  for (const place of [entry, obj(entry["meta"]), obj(entry["top_provider"])])
    for (const field of FIELDS) {
      const value = place[field];
      if (typeof value === "number" && Number.isFinite(value) && value > 0) return Math.floor(value);
    }
  return undefined;
}

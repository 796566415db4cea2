import { availableParallelism } from "node:os";
import { ConfigError, ModelError } from "../../core/errors.ts";
import type { Run } from "../../core/types.ts";
import { frameTokens } from "../ledger.ts";
import type { CacheItem, FramesItem, GenerateRequest, KvCache, TurnItem } from "../types.ts";
import { chatMl, type TurnTemplate } from "../words.ts";

/**
 * What precis needs of a `LlamaContextSequence` of node-llama-cpp, by shape: the package is an optional peer, and its
 * types must not be needed to compile.
 */
export interface LlamaSequence {
  readonly model: LlamaModelLike;
  readonly contextSize: number;
  /** Where the next token will stand: the length of what is in the cache. */
  readonly nextTokenIndex: number;
  readonly contextTokens: readonly number[];
  evaluateWithoutGeneratingNewTokens(tokens: number[]): Promise<void>;
  evaluateWithMetadata(
    tokens: number[],
    metadata: { readonly confidence: true; readonly probabilities: boolean },
    options: { readonly temperature: number; readonly yieldEogToken: true },
  ): AsyncGenerator<LlamaOutput, void, undefined>;
  eraseContextTokenRanges(ranges: { start: number; end: number }[]): Promise<void>;
  adaptStateToTokens(tokens: number[], allowShift: boolean): Promise<void>;
  clearHistory(): Promise<void>;
}

/** One generated token. */
export interface LlamaOutput {
  readonly token: number;
  readonly confidence: number;
  /** Chance of every token, when it was asked for. */
  readonly probabilities?: ReadonlyMap<number, number>;
}

/** The part of a `LlamaModel` that turns text into tokens and back. */
export interface LlamaModelLike {
  tokenize(text: string, specialTokens: boolean): readonly number[];
  detokenize(tokens: readonly number[], specialTokens: boolean): string;
  isEogToken(token: number | undefined): boolean;
  readonly tokens: { readonly bos: number | null; readonly shouldPrependBosToken: boolean };
}

/** What `llamaCpp` takes. */
export interface LlamaCppOptions {
  /** A sequence of a node-llama-cpp context. Nobody else may use it. `openLlamaCpp` opens one. */
  readonly sequence: LlamaSequence;
  /** How turns look. Default ChatML. */
  readonly template?: TurnTemplate;
  /** The token that stands for a frame, as text. Default `.`; a text model sees frames only as time that passes. */
  readonly frame?: string;
  /** The token between two frames, as text. Default a line break. */
  readonly separator?: string;
  /** The token that means silence, as text. Default: every token that ends a turn. */
  readonly silent?: string;
  /**
   * How gaps are closed after `keep`: `shift` moves the kept tokens' positions (fast), `feed` evaluates them again
   * (exact: they no longer know what was dropped). Default `shift`.
   */
  readonly positions?: "shift" | "feed";
}

/** A KV cache of llama.cpp, with a look at its tokens. */
export interface LlamaCppCache extends KvCache {
  /** The tokens of an item, as `feed` evaluates them. */
  encode(item: CacheItem): readonly number[];
  /** What is really in the cache. */
  tokens(): readonly number[];
}

/** From this chance on, a token that is silence is also the likeliest one, so the whole table isn't needed. */
const LIKELIEST_FROM = 0.5;

/**
 * The KV cache of a local model, on node-llama-cpp.
 *
 * The token that begins a sequence, where a model has one, is kept in place and isn't counted.
 */
export function llamaCpp(options: LlamaCppOptions): LlamaCppCache {
  const { sequence, positions = "shift" } = options;
  const { model } = sequence;
  const { beginning, opening, closing, isSilent, encode } = createEncoder(options);
  const length = (): number => Math.max(0, sequence.nextTokenIndex - beginning.length);

  const evaluate = async (tokens: readonly number[]): Promise<void> => {
    if (tokens.length === 0) return;
    const all = sequence.nextTokenIndex === 0 ? [...beginning, ...tokens] : [...tokens];
    // llama.cpp would shift its oldest tokens out without a word.
    if (sequence.nextTokenIndex + all.length > sequence.contextSize)
      throw tooLong(sequence.nextTokenIndex + all.length, sequence.contextSize);
    await sequence.evaluateWithoutGeneratingNewTokens(all);
  };
  const truncate = async (to: number): Promise<void> => {
    const end = sequence.nextTokenIndex;
    if (to + beginning.length < end)
      await sequence.eraseContextTokenRanges([{ start: to + beginning.length, end }]);
  };
  const setTokens = async (tokens: readonly number[]): Promise<void> => {
    if (tokens.length === 0) return sequence.clearHistory();
    const all = [...beginning, ...tokens];
    await sequence.adaptStateToTokens(all, false);
    const rest = all.slice(sequence.nextTokenIndex);
    if (rest.length > 0) await sequence.evaluateWithoutGeneratingNewTokens(rest);
  };

  /** The new tokens up to the end of the turn; they needn't all be in the cache yet. Undefined for silence. */
  const speak = async (
    request: GenerateRequest,
    most: number,
  ): Promise<{ ids: number[]; stop: "end" | "length" } | undefined> => {
    const { silence, stop = [], temperature, signal } = request;
    const ids: number[] = [];
    const outputs = sequence.evaluateWithMetadata(
      length() === 0 ? [...beginning, ...opening] : [...opening],
      { confidence: true, probabilities: silence !== undefined && silence < LIKELIEST_FROM },
      { temperature, yieldEogToken: true },
    );
    for await (const output of outputs) {
      signal?.throwIfAborted();
      if (ids.length === 0 && silence !== undefined && silentChance(output, isSilent) >= silence)
        return undefined;
      if (model.isEogToken(output.token)) return { ids, stop: "end" };
      ids.push(output.token);
      const ending = stop.find((text) => model.detokenize(ids, false).includes(text));
      if (ending !== undefined) {
        while (model.detokenize(ids, false).includes(ending)) ids.pop();
        return { ids, stop: "end" };
      }
      if (ids.length >= most) break;
    }
    return { ids, stop: "length" };
  };

  return {
    id: "llama-cpp",
    get length() {
      return length();
    },
    count: (item) => (item.type === "frames" ? frameTokens(item) : encode(item).length),
    encode,
    tokens: () => sequence.contextTokens.slice(beginning.length),
    feed: (items) => evaluate(items.flatMap(encode)),
    async generate(request) {
      const start = length();
      const room = Math.min(request.cap, sequence.contextSize - beginning.length - start);
      const most = room - opening.length - closing.length;
      if (most < 1) throw tooLong(start + opening.length + closing.length + 1, sequence.contextSize);
      try {
        const spoken = await speak(request, most);
        if (spoken === undefined) {
          await truncate(start);
          return { silent: true };
        }
        // The newest token isn't in the cache yet, and those of a stop text still are.
        const wanted = [...opening, ...spoken.ids, ...closing];
        const there = Math.min(length() - start, opening.length + spoken.ids.length);
        await truncate(start + there);
        await evaluate(wanted.slice(there));
        const text = model.detokenize(spoken.ids, false).trim();
        const item: TurnItem = { type: "turn", role: "assistant", text, at: request.at, ids: spoken.ids };
        return { silent: false, item, stop: spoken.stop };
      } catch (error) {
        await truncate(start);
        throw error;
      }
    },
    snapshot: async () => ({ length: length(), data: sequence.contextTokens.slice(beginning.length) }),
    restore: ({ data }) => setTokens(data as readonly number[]),
    async keep(ranges) {
      const all = sequence.contextTokens.slice(beginning.length);
      const kept = ranges.flatMap(({ from, to }) => all.slice(from, to));
      if (positions === "feed") await setTokens(kept);
      else if (kept.length === 0) await sequence.clearHistory();
      else await sequence.eraseContextTokenRanges(gaps(ranges, all.length, beginning.length));
      return ranges;
    },
    reset: () => sequence.clearHistory(),
  };
}

/** Items as tokens of the model, and the tokens around an answer. */
function createEncoder({ sequence, template = chatMl, ...texts }: LlamaCppOptions) {
  const { model } = sequence;
  const special = (text: string): readonly number[] => model.tokenize(text, true);
  const single = (option: string, text: string): number => {
    const token = special(text).at(-1);
    if (token !== undefined) return token;
    throw new ConfigError({ option, message: `${JSON.stringify(text)} isn't a token.`, fix: "Give a text." });
  };
  const frame = single("frame", texts.frame ?? ".");
  const separator = single("separator", texts.separator ?? "\n");
  const silent = texts.silent === undefined ? undefined : single("silent", texts.silent);
  const closing = special(template.close);
  const { bos, shouldPrependBosToken } = model.tokens;
  return {
    beginning: shouldPrependBosToken && bos !== null ? [bos] : [],
    opening: special(template.open("assistant")),
    closing,
    isSilent: (token: number): boolean => (silent === undefined ? model.isEogToken(token) : token === silent),
    encode: (item: CacheItem): readonly number[] =>
      item.type === "frames"
        ? encodeFrames(item, frame, separator)
        : [
            ...special(template.open(item.role)),
            // The text's own `<|im_end|>` is text.
            ...(item.ids ?? model.tokenize(item.text, false)),
            ...closing,
          ],
  };
}

function encodeFrames(item: FramesItem, frame: number, separator: number): number[] {
  const one = Array.from({ length: item.tokensPerFrame }, () => frame);
  const between = Array.from({ length: item.separator }, () => separator);
  return Array.from({ length: item.count }, (_, index) =>
    index > 0 || item.joined ? [...between, ...one] : one,
  ).flat();
}

function silentChance(
  { token, confidence, probabilities }: LlamaOutput,
  isSilent: (token: number) => boolean,
): number {
  if (probabilities === undefined) return isSilent(token) ? confidence : 0;
  let chance = 0;
  for (const [each, probability] of probabilities) if (isSilent(each)) chance += probability;
  return chance;
}

/** What lies between the ranges, in positions of the sequence. */
function gaps(ranges: readonly Run[], length: number, offset: number): { start: number; end: number }[] {
  const borders = [0, ...ranges.flatMap(({ from, to }) => [from, to]), length];
  const out: { start: number; end: number }[] = [];
  for (let i = 0; i < borders.length; i += 2) {
    const [start, end] = [borders[i]!, borders[i + 1]!];
    if (start < end) out.push({ start: start + offset, end: end + offset });
  }
  return out;
}

const tooLong = (needed: number, size: number): ModelError =>
  new ModelError({
    model: "llama-cpp",
    failure: "too-long",
    message: `${needed} tokens don't fit a context of ${size}.`,
    fix: "Open the context at least as large as the session's `window`.",
  });

/** What `openLlamaCpp` takes, beside how frames and turns look. */
export interface OpenLlamaCppOptions extends Omit<LlamaCppOptions, "sequence"> {
  /** A GGUF file. */
  readonly model: string;
  /** Context size in tokens. */
  readonly window: number;
  /** Threads of one evaluation. Default: half of the machine's, at least 1; more than there are cores is far slower. */
  readonly threads?: number;
  /** How the package is loaded, for hosts that bundle. Default `import("node-llama-cpp")`. */
  readonly load?: () => Promise<unknown>;
  /** Use a graphics card where there is one. Default false. */
  readonly gpu?: boolean;
}

/** An open model. Close it to give its memory back. */
export interface OpenedLlamaCpp {
  readonly cache: LlamaCppCache;
  /** The sequence behind the cache; only to look at. */
  readonly sequence: LlamaSequence;
  close(): Promise<void>;
}

interface Disposable {
  dispose(): Promise<void>;
}

interface LlamaModule {
  getLlama(options: Readonly<Record<string, unknown>>): Promise<
    Disposable & {
      loadModel(options: { modelPath: string }): Promise<
        Disposable & {
          createContext(options: {
            contextSize: number;
            threads: number;
          }): Promise<Disposable & { getSequence(): LlamaSequence }>;
        }
      >;
    }
  >;
}

/** By name in a variable, so that neither the compiler nor a bundler looks for the optional peer. */
const PEER = "node-llama-cpp";
/** The beginning-of-sequence token that some models need, which the window doesn't count. */
const BEGINNING = 1;

/** Opens a GGUF model on node-llama-cpp. It is never compiled here: without a prebuilt binary this fails. */
export async function openLlamaCpp(options: OpenLlamaCppOptions): Promise<OpenedLlamaCpp> {
  const { model: modelPath, window, threads, gpu = false, load = () => import(PEER), ...looks } = options;
  const { getLlama } = await loadPeer(load);
  const llama = await getLlama({
    gpu: gpu ? "auto" : false,
    build: "never",
    skipDownload: true,
    progressLogs: false,
    logLevel: "error",
  });
  const model = await llama.loadModel({ modelPath });
  const context = await model.createContext({
    contextSize: window + BEGINNING,
    threads: threads ?? Math.max(1, Math.floor(availableParallelism() / 2)),
  });
  const sequence = context.getSequence();
  return {
    cache: llamaCpp({ ...looks, sequence }),
    sequence,
    async close() {
      await context.dispose();
      await model.dispose();
      await llama.dispose();
    },
  };
}

async function loadPeer(load: () => Promise<unknown>): Promise<LlamaModule> {
  try {
    return (await load()) as LlamaModule;
  } catch (error) {
    throw new ConfigError({
      option: "model",
      message: "a GGUF model needs the package node-llama-cpp.",
      fix: "Install it: NODE_LLAMA_CPP_SKIP_DOWNLOAD=true npm i node-llama-cpp",
      cause: error,
    });
  }
}

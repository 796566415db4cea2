import { answerSize, haveSameStep, MAX_MODEL_NAME, MOST_ANSWER_TOKENS, mergeSizes } from "../core/budget.ts";
import { check, ofChoice } from "../core/check.ts";
import { createRecentMap, keepNewest } from "../core/collections.ts";
import { contentHash } from "../core/hash.ts";
import { isRecord } from "../core/json.ts";
import { MOST_TOKENS } from "../core/options.ts";
import type { WatchedPrompt } from "../core/system-changes.ts";
import type {
  AnswerSize,
  AnswerSizes,
  Compactor,
  CompactorOptions,
  Dialect,
  Events,
  Measure,
  Model,
  ModelCall,
  Observation,
  Records,
  Store,
  Summary,
  TokenCounter,
  Warning,
} from "../core/types.ts";
import { memoryStore } from "../stores/memory.ts";
import { mostTokens } from "../tokens/create-measure.ts";
import { isLoaded } from "../tokens/exact-counter.ts";
import { type Calibration, createCalibration, createMeasure, exactCounter } from "../tokens/index.ts";
import { modelInfo } from "../tokens/model-info.ts";
import { createJobs, createPlaces, type Jobs, type Places, settledInTime } from "./background/jobs.ts";
import { type Circuit, createCircuit, type Requests, type SummaryAccounts } from "./plan/may-ask.ts";
import {
  createTextRoom,
  createTranscriptReader,
  type TextRoom,
  type TranscriptReader,
} from "./read/transcript-reader.ts";
import { createRecallIndexes, type RecallIndexes } from "./recall/recall-for.ts";
import { resolveSettings, type Settings } from "./settings/settings.ts";

/** Name under which a model that the host didn't name is calibrated. */
const UNNAMED_MODEL = "(unnamed)";
/** A store that takes longer than this to answer counts as failed (milliseconds). */
const STORE_WAIT_MS = 10_000;

/** Summaries that are written at once, and that wait for their turn, over all conversations. */
const MOST_AT_ONCE = 32;
const MOST_WAITING = 96;

/** What is remembered of texts, and how many summaries are under way. Compactors that share it are bounded together. */
export interface EngineMemory {
  readonly room: TextRoom;
  readonly accounts: SummaryAccounts;
  readonly places: Places;
  /** System prompts by conversation, to see which change all the time. Left out where compactors of several tenants share this. */
  readonly prompts?: Map<string, WatchedPrompt>;
  /** Left out: a compactor learns for itself alone how its provider counts. */
  readonly calibration?: Calibration;
}

export function createEngineMemory(): EngineMemory {
  return {
    room: createTextRoom(),
    accounts: new Map(),
    places: createPlaces(MOST_AT_ONCE, MOST_WAITING),
  };
}

/** What every part of a compactor shares: settings, effects and memory. */
export interface Engine<M> {
  readonly dialect: Dialect<M>;
  readonly settings: Settings;
  readonly summarizer: Model | undefined;
  /** What the host said of models. */
  readonly models: CompactorOptions<M>["models"];
  /** Views get marks for the provider's cache. */
  readonly marksViews: boolean;
  readonly records: RecordKeeper;
  /** What states are signed with: the first signs, all are believed. None: states aren't signed. */
  readonly stateKeys: readonly string[];
  readonly transcriptReader: TranscriptReader;
  readonly recallIndexes: RecallIndexes;
  /** Summary messages that were written here. */
  readonly writtenTexts: WrittenTexts;
  readonly emitter: Emitter;
  readonly jobs: Jobs<readonly Summary[]>;
  readonly places: Places;
  readonly circuit: Circuit;
  /** What summaries cost, by conversation. */
  readonly accounts: SummaryAccounts;
  readonly requests: Requests;
  readonly prompts: Map<string, WatchedPrompt> | undefined;
  /** Calls whose summaries were not applied yet, by conversation: they are reported with the compaction that uses them. */
  readonly unreported: Map<string, readonly ModelCall[]>;
  /** The last failure of the summariser that no report has named yet, by conversation. */
  readonly failures: Map<string, Error>;
  readonly calibration: Calibration;
  readonly answers: Answers;
  /** Name of the conversation's model for calibration. */
  readonly modelName: string;
  factor(): number;
  /** The measure for the present calibration. The tokenizer is loaded on first use. */
  measure(): Promise<Measure>;
  /** A measure that never counts too little and needs no tokenizer; undefined where counting exactly needs none either. */
  bounds(): Measure | undefined;
  /** Counts of requests that were told as bounds: nothing is learnt from them. */
  readonly reportedBounds: Set<number>;
}

/** Records by hash: the host's store, and a bounded memory that stands in when the store fails. */
interface RecordKeeper {
  find(hashes: readonly string[]): Promise<Records & { readonly warnings: readonly Warning[] }>;
  save(records: Partial<Records>): Promise<readonly Warning[]>;
}

export function createEngine<M>(
  options: CompactorOptions<M>,
  { room, accounts, places, prompts, calibration = createCalibration() }: EngineMemory = createEngineMemory(),
): Engine<M> {
  const settings = resolveSettings(options);
  const modelName = settings.model?.id ?? UNNAMED_MODEL;
  const factor = () => learnedFactor(calibration, modelName) ?? settings.model?.factor ?? 1;
  const encoding = settings.model?.encoding ?? "o200k_base";
  const measureWith = (counter: TokenCounter, by: number): Measure =>
    createMeasure({
      counter,
      factor: by,
      ...(settings.model && { images: settings.model.images }),
      ...(settings.frames && { frames: settings.frames }),
    });
  let measure: { readonly factor: number; readonly value: Measure } | undefined;
  return {
    dialect: forModel(options.dialect, settings.model?.id),
    settings,
    summarizer: settings.summary.mode === "extractive" ? undefined : modelOf(options.summarizer, settings),
    models: options.models,
    marksViews: options.cacheBreakpoints ?? options.profile?.cacheBreakpoints ?? false,
    records: recordKeeper(options.store),
    stateKeys: [options.stateKey ?? []].flat(),
    transcriptReader: createTranscriptReader(room),
    recallIndexes: createRecallIndexes(room),
    writtenTexts: createWrittenTexts(),
    emitter: createEmitter(),
    jobs: createJobs(),
    places,
    circuit: createCircuit(),
    accounts,
    prompts,
    requests: { tokens: 0 },
    unreported: new Map(),
    failures: new Map(),
    calibration,
    answers: createAnswers(),
    modelName,
    factor,
    async measure() {
      const present = factor();
      if (measure?.factor === present) return measure.value;
      const value = measureWith(options.counter ?? (await exactCounter(encoding)), present);
      measure = { factor: present, value };
      return value;
    },
    bounds: () => (options.counter || isLoaded(encoding) ? undefined : measureWith(mostTokens, factor())),
    reportedBounds: new Set(),
  };
}

/** What a model's provider taught of its counting; undefined if it has said nothing yet. */
export function learnedFactor(calibration: Calibration, model: string): number | undefined {
  return Object.hasOwn(calibration.toJSON(), model) ? calibration.factor(model) : undefined;
}

/** The dialect with the rules that the model's provider has for reasoning. */
function forModel<M>(dialect: Dialect<M>, model: string | undefined): Dialect<M> {
  const reasoning = model === undefined ? undefined : dialect.reasoningOf?.(model);
  return reasoning ? { ...dialect, rules: { ...dialect.rules, ...reasoning } } : dialect;
}

/** A store that fails must not fail the conversation: what couldn't be saved is made again when it is needed. */
function recordKeeper(store: Store | undefined): RecordKeeper {
  const memory = memoryStore();
  /** What the store never got. What it got and doesn't find, it may have lost on purpose. */
  const unsaved = new WeakSet<object>();
  const ofUnsaved = <T extends object>(records: readonly T[] = []) =>
    records.filter((one) => unsaved.has(one));
  const failed = (operation: string, error: unknown): Warning => ({
    code: "store-failed",
    message: `The store could not ${operation}: ${error instanceof Error ? error.message : String(error)}`,
  });
  return {
    async find(hashes) {
      const near = await memory.find(hashes);
      if (!store) return { ...near, warnings: [] };
      try {
        const { found: far, unreadable } = readFound(await inTime(store.find(hashes)));
        return {
          checkpoints: [...far.checkpoints, ...ofUnsaved(near.checkpoints)],
          summaries: [...far.summaries, ...ofUnsaved(near.summaries)],
          undos: [...far.undos, ...ofUnsaved(near.undos)],
          answers: [...(far.answers ?? []), ...ofUnsaved(near.answers)],
          // Whether the store keeps them at all is for it to say.
          ...(far.recalled && { recalled: [...far.recalled, ...ofUnsaved(near.recalled)] }),
          warnings: unreadable > 0 ? [failed("read", new Error(unreadableText(unreadable)))] : [],
        };
      } catch (error) {
        return { ...near, warnings: [failed("read", error)] };
      }
    },
    async save(records) {
      await memory.save(records);
      if (!store) return [];
      try {
        await inTime(store.save(records));
        return [];
      } catch (error) {
        for (const one of Object.values(records).flat()) unsaved.add(one);
        return [failed("save", error)];
      }
    },
  };
}

/** The records that a host's own store found, without what isn't one: many databases say `null` for what they don't have. */
function readFound(found: Records): { readonly found: Records; readonly unreadable: number } {
  const { checkpoints, summaries, undos } = (found ?? {}) as Partial<Records>;
  if (![checkpoints, summaries, undos].every(Array.isArray))
    throw new Error("its `find` must resolve to `{ checkpoints, summaries, undos }`, each of them a list.");
  const read = {
    ...found,
    checkpoints: found.checkpoints.filter(
      (one) => isRecord(one) && isRecord(one.texts) && isRecord(one.seen),
    ),
    summaries: found.summaries.filter((one) => isRecord(one) && isRecord(one.covers)),
    undos: found.undos.filter(isRecord),
  };
  const count = (records: Records): number =>
    records.checkpoints.length + records.summaries.length + records.undos.length;
  return { found: read, unreadable: count(found) - count(read) };
}

const unreadableText = (count: number): string =>
  `${count} of the records it found can't be read and are ignored. Omit missing records, and store records unchanged.`;

/** A store that never answers must not hold a conversation. */
async function inTime<T>(answer: Promise<T>): Promise<T> {
  if (await settledInTime(answer, STORE_WAIT_MS)) return answer;
  throw new Error(`it didn't answer within ${STORE_WAIT_MS / 1_000} seconds.`);
}

type Listener = (payload: never) => void;

/** Typed events. */
interface Emitter {
  emit<K extends keyof Events>(event: K, payload: Events[K]): void;
  readonly on: Compactor<unknown>["on"];
}

const EVENTS: readonly (keyof Events)[] = [
  "started",
  "progress",
  "completed",
  "failed",
  "cancelled",
  "pressure",
];

/** A listener that throws doesn't fail the conversation. */
function createEmitter(): Emitter {
  const listeners = new Map<keyof Events, Set<Listener>>();
  return {
    emit(event, payload) {
      for (const listener of listeners.get(event) ?? []) {
        try {
          const heard: unknown = listener(payload as never);
          // One that is asynchronous throws later.
          if (heard instanceof Promise) heard.catch(() => undefined);
        } catch {
          // The listener's own matter: what it was told about has already happened.
        }
      }
    },
    on(event, listener) {
      ofChoice("event", EVENTS)(String(event), "on");
      check(
        "on",
        listener ?? "",
        typeof listener === "function",
        "a listener",
        'Call `on("completed", (event) => …)`.',
      );
      const set = listeners.get(event) ?? new Set();
      listeners.set(event, set.add(listener as Listener));
      return () => set.delete(listener as Listener);
    },
  };
}

/** Knows the summary messages that this compactor wrote, so that one that comes back in a transcript can be told from an imitation. */
interface WrittenTexts {
  add(text: string): void;
  has(text: string): boolean;
}

function createWrittenTexts(): WrittenTexts {
  const hashes = new Map<string, true>();
  return {
    add: (text) => keepNewest(hashes, contentHash(text), true),
    has: (text) => hashes.has(contentHash(text)),
  };
}

/** Corrects the counting by what the provider counted. */
export function calibrate<M>(
  engine: Engine<M>,
  { usage, tokens, model = engine.modelName }: Observation<M>,
): void {
  if (!usage || tokens === undefined || engine.reportedBounds.has(tokens)) return;
  const factor = model === engine.modelName ? engine.factor() : 1;
  engine.calibration.observe({ model, counted: tokens, reported: usage.input, factor });
}

/** Remembers what an answer took. False if the provider didn't say, or nobody knows which model it was. */
export async function learnAnswer<M>(
  engine: Engine<M>,
  { usage, stop, model = engine.modelName, input }: Observation<M>,
  conversation: string,
): Promise<boolean> {
  const tokens = usage?.output;
  if (tokens === undefined || !(tokens > 0 && tokens <= MOST_ANSWER_TOKENS)) return false;
  if (model.length > MAX_MODEL_NAME) return false;
  const size = answerSize(input?.now ?? Date.now(), tokens, stop === "length");
  const learned = engine.answers.add({ hash: conversation, model }, size);
  if (learned) await engine.records.save({ answers: [learned] });
  return true;
}

/** Characters of the names of conversations and models that are remembered: some thousand of them. */
const MAX_NAMES = 256 * 1_024;

/** What answers took, by conversation and model: what this compactor saw, and what the store has from others. */
interface Answers {
  /** What is known, with what the store says by now. */
  learn(stored: AnswerSizes): readonly AnswerSize[];
  /** One more answer. The record to be stored, if it leads to another figure than what was known; undefined otherwise. */
  add(of: Pick<AnswerSizes, "hash" | "model">, size: AnswerSize): AnswerSizes | undefined;
}

function createAnswers(): Answers {
  const known = createRecentMap<readonly AnswerSize[]>(MAX_NAMES);
  const nameOf = ({ hash, model }: Pick<AnswerSizes, "hash" | "model">) => `${hash} ${model}`;
  const merge = (name: string, more: readonly AnswerSize[]): readonly AnswerSize[] => {
    const sizes = mergeSizes(known.get(name) ?? [], more);
    known.set(name, sizes);
    return sizes;
  };
  return {
    learn: (stored) => merge(nameOf(stored), stored.sizes),
    add({ hash, model }, size) {
      const name = nameOf({ hash, model });
      const before = known.get(name) ?? [];
      const sizes = merge(name, [size]);
      return haveSameStep(sizes, before) ? undefined : { hash, model, sizes };
    },
  };
}

/** The model that writes summaries. A function of the host's is one under its own name, with the chat's window where it says none. */
function modelOf(
  summarizer: CompactorOptions<unknown>["summarizer"],
  { window = MOST_TOKENS, budget = 0 }: Settings,
): Model | undefined {
  if (typeof summarizer !== "function") return typeof summarizer === "object" ? summarizer : undefined;
  const id = summarizer.name || "summarizer";
  // Where a view may be of any size, its window says nothing of a model.
  const chats = window < MOST_TOKENS ? window : Math.max(budget, modelInfo(id).window);
  return {
    id,
    window: summarizer.window ?? chats,
    async complete(request) {
      const reply = await summarizer(request);
      const own = typeof reply === "string" ? { text: reply } : reply;
      return { stop: "end", ...own };
    },
  };
}

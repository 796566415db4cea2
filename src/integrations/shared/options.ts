import type {
  Compactor,
  CompactorOptions,
  Dialect,
  FitResult,
  Model,
  Sized,
  Summarize,
} from "../../core/types.ts";
import { createCompactor } from "../../engine/create-compactor.ts";
import { type AiSdkLanguageModel, aiSdkModel } from "../../models/index.ts";
import { memoryStore } from "../../stores/memory.ts";

/**
 * What every integration takes: the options of `createCompactor` without the dialect, or a compactor that is there already.
 * Without `window` and `budget`, the window is looked up by the model that is asked.
 */
export interface IntegrationOptions<M> extends Omit<CompactorOptions<M>, "dialect" | "summarizer"> {
  /** A compactor of the host's own, which several integrations may share. The options for one are then left out. */
  readonly compactor?: Compactor<M>;
  /** Who writes summaries: a model of `precis/models` or of the AI SDK, or a function that asks one. Left out: code alone. */
  readonly summarizer?: Model | Summarize | AiSdkLanguageModel | "extractive";
  /** The state that was stored with the chat. */
  readonly state?: unknown;
  /** Is told of every view before it is sent: its report, and the state to store with the chat. */
  readonly onView?: (view: FitResult<M>) => void;
}

/** Stands for the model of requests that name none: no registry knows it, so it gets the window of an unknown model, and its warning. */
const UNNAMED = "(unnamed)";

/** The compactors behind one integration. */
export interface Compactors<M> {
  /** The one for a model, by the name that a request carries. */
  of(model: string | undefined): Compactor<M>;
  /** A provider named a window that is smaller than what was believed: from now on it holds for the model. */
  learnWindow(model: string | undefined, window: number): void;
}

/** One compactor for each model: the window may depend on it, or turn out to. All of them share a store. */
export function createCompactors<M>(
  dialect: Dialect<M>,
  { compactor, summarizer, state: _state, onView: _onView, ...options }: IntegrationOptions<M>,
): Compactors<M> {
  if (compactor) return { of: () => compactor, learnWindow: () => undefined };
  const base: CompactorOptions<M> = {
    dialect,
    store: memoryStore(),
    ...options,
    ...(summarizer !== undefined && { summarizer: modelOf(summarizer) }),
  };
  const hasSize =
    options.window !== undefined || options.budget !== undefined || options.profile?.budget !== undefined;
  const byModel = new Map<string, Compactor<M>>();
  const make = (model: string, window: CompactorOptions<M>["window"]) => {
    // Where the host names no size, the request's model does.
    const sized = { ...base, ...(window !== undefined && { window }) } as CompactorOptions<M> & Sized;
    const made = createCompactor(sized);
    byModel.set(model, made);
    return made;
  };
  const nameOf = (model = "") => (model.trim() === "" ? UNNAMED : model);
  const of = (given?: string) => {
    const model = nameOf(given);
    return byModel.get(model) ?? make(model, hasSize ? options.window : { model });
  };
  // What can't work is refused now: many a client takes an error of its first request for a broken connection.
  of();
  return { of, learnWindow: (model, window) => void make(nameOf(model), window) };
}

function modelOf(
  summarizer: NonNullable<IntegrationOptions<unknown>["summarizer"]>,
): Model | Summarize | "extractive" {
  return typeof summarizer === "object" && "doGenerate" in summarizer ? aiSdkModel(summarizer) : summarizer;
}

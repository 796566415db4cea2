import type { IncomingHttpHeaders } from "node:http";
import { keepNewest } from "../../core/collections.ts";
import { MOST_TOKENS } from "../../core/options.ts";
import type { ModelInfo } from "../../core/types.ts";
import { settledInTime } from "../../engine/background/jobs.ts";
import { learnedFactor } from "../../engine/engine.ts";
import { windowBehind } from "../../models/shared/served-window.ts";
import { type Calibration, createCalibration, modelInfo } from "../../tokens/index.ts";
import type { Log } from "../telemetry/log.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import { askUpstream, keysIn, targetPath, type Upstream } from "../upstream/upstream.ts";
import { createLearned, type Learned, type LearnedOf } from "./learned.ts";

/** A "limit" below this in a provider's error is a limit of something else. */
const LEAST_BELIEVABLE = 1_000;
/** A request without a number that was refused below this many tokens was refused for something else. */
const LEAST_WITHOUT_NUMBER = 8_192;
/** What was learned without a number holds for so long; then more is tried again (milliseconds). */
const WITHOUT_NUMBER_MS = 60 * 60_000;

/** Stands for a window where no model is there to answer yet: nothing is judged by a guess. */
export const NOBODYS_WINDOW = MOST_TOKENS;
/** What the engine is told of conversations that have no model yet, such as imported ones. */
export const NO_MODEL = "no model";

type Info = ModelInfo & {
  readonly from: "config" | "registry" | "upstream" | "guess";
  /** A small server may have been started with another window since it was learned. */
  readonly mayBeOld?: boolean;
};

/** What the engine is told of a model: not where its window comes from. */
export const engineInfo = ({ from: _, mayBeOld: __, ...info }: Info): ModelInfo => info;

/** What each model's window is: what its upstream said, what the config says, what the registry knows, or a guess. */
export type Windows = ReturnType<typeof createWindows>;

export function createWindows(
  config: { readonly window?: number | undefined },
  now: () => number = Date.now,
  learned: Learned = createLearned(),
) {
  const nameOf = (upstream: Upstream | undefined, model: string, tenant: string): LearnedOf => ({
    tenant,
    upstream: upstream?.id ?? "",
    model,
  });
  const configuredFor = (upstream: Upstream | undefined, model: string): number | undefined =>
    upstream?.windowOf(model) ?? config.window;
  const recall = (upstream: Upstream, model: string, tenant: string) => {
    const known = learned.get<LearnedWindow>("window", nameOf(upstream, model, tenant));
    // Somebody who states another window than then knows more than a refusal of that time.
    const holds =
      known &&
      now() < (known.value.until ?? Infinity) &&
      known.value.configured === configuredFor(upstream, model);
    return holds ? known : undefined;
  };
  const windows = {
    of(upstream: Upstream | undefined, model: string, tenant: string): Info {
      const known = upstream && recall(upstream, model, tenant);
      const learned = known?.value.window;
      const configured = configuredFor(upstream, model);
      const window = learned === undefined ? configured : Math.min(learned, configured ?? learned);
      const info = modelInfo(model, window === undefined ? {} : { [model]: { window } });
      const from =
        learned !== undefined
          ? "upstream"
          : configured !== undefined
            ? "config"
            : info.known
              ? "registry"
              : "guess";
      const isNobodys = from === "guess" && (upstream === undefined || model === "");
      return {
        ...info,
        // A chat that has no model yet is counted by the tokenizer alone, as a file that names none.
        ...(model === "" && { factor: 1 }),
        ...(isNobodys && { window: NOBODYS_WINDOW }),
        from,
        ...((known?.value.isUnloaded ||
          (known?.isOld && (known.value.isReported || !upstream?.isKnownProvider))) && { mayBeOld: true }),
      };
    },
    /** An upstream reported its window when it was asked. It counts where nothing else is known. */
    setWindow(upstream: Upstream, model: string, tenant: string, window: number, isUnloaded?: true): void {
      if (!Number.isSafeInteger(window) || window < LEAST_BELIEVABLE) return;
      const { from, mayBeOld } = windows.of(upstream, model, tenant);
      const configured = configuredFor(upstream, model);
      if (from === "guess" || mayBeOld)
        learned.set("window", nameOf(upstream, model, tenant), {
          ...{ window, configured, isReported: true },
          ...(isUnloaded && { isUnloaded }),
        });
    },
    /** Its model was not loaded when it was asked, and has answered since. */
    isLoadedSince: (upstream: Upstream, model: string, tenant: string): boolean =>
      recall(upstream, model, tenant)?.value.isUnloaded === true &&
      learned.get("count", nameOf(upstream, model, tenant)) !== undefined,
    /**
     * An upstream refused a request as too long: it named its window, or the window is below what was refused, by our own count.
     * That holds for this tenant: a client may have written such an error itself.
     */
    learn(
      upstream: Upstream,
      model: string,
      tenant: string,
      { limit, below = 0 }: { readonly limit?: number | undefined; readonly below?: number | undefined },
    ): boolean {
      const found = limit ?? below;
      if (found < (limit === undefined ? LEAST_WITHOUT_NUMBER : LEAST_BELIEVABLE)) return false;
      const { window, from, mayBeOld } = windows.of(upstream, model, tenant);
      if (found >= window && from !== "guess" && !mayBeOld) return false;
      const until = limit === undefined ? now() + WITHOUT_NUMBER_MS : undefined;
      const configured = configuredFor(upstream, model);
      learned.set("window", nameOf(upstream, model, tenant), { window: found, until, configured });
      return true;
    },
    /** What usage taught of a model's counting, here or at another server. */
    calibration(upstream: Upstream | undefined, model: string, tenant: string): Calibration {
      const of = nameOf(upstream, model, tenant);
      let value: unknown;
      let calibration = createCalibration();
      const known = (): Calibration => {
        const newest = learned.get("count", of)?.value;
        if (newest !== value) calibration = createCalibration(newest);
        value = newest;
        return calibration;
      };
      return {
        factor: (name) => known().factor(name),
        observe(observation) {
          known().observe(observation);
          learned.set("count", of, calibration.toJSON());
        },
        toJSON: () => known().toJSON(),
      };
    },
    /** The provider's tokens ÷ the tokenizer's: as its usage taught, otherwise as the registry says. */
    factor: (upstream: Upstream | undefined, model: string, tenant: string): number =>
      learnedFactor(windows.calibration(upstream, model, tenant), model) ??
      windows.of(upstream, model, tenant).factor,
  };
  return windows;
}

/** A window, and until when it holds: undefined, as long as nothing else is learned. */
interface LearnedWindow {
  readonly window: number;
  readonly until?: number;
  /** What the config said then. */
  readonly configured?: number;
  /** The upstream said it when it was asked, and may say something else next time. */
  readonly isReported?: true;
  /** Its model wasn't loaded then, and may be loaded with less. */
  readonly isUnloaded?: true;
}

/** Names that are warned of. Clients choose them: one that makes them up must fill neither memory nor log. */
const MAX_NAMES = 100;
/** Longer names are cut in the log (characters). */
const MAX_NAME = 200;

/** Told of a model whose window had to be guessed. */
export type WarnGuess = (info: Pick<ModelInfo, "id" | "window">, upstream: string) => void;

/**
 * Says once of each model that its window is a guess: a small one, so that nothing is sent that doesn't fit, but then most
 * of a conversation is hidden from a model that could have read it.
 */
export function createWarnGuess({
  log,
  metrics,
}: {
  readonly log: Log;
  readonly metrics: Metrics;
}): WarnGuess {
  const names = new Set<string>();
  return ({ id, window }, upstream) => {
    if (names.size >= MAX_NAMES || names.has(id)) return;
    names.add(id);
    metrics.guessedWindows.inc();
    const model = id.slice(0, MAX_NAME);
    log.warn(
      { model, upstream, window },
      `precis doesn't know the model ${model} and compacts its conversations for a window of ${window} tokens. What can't be made to fit is passed on as it is. Name its window: upstreams[].windows in the config, such as { ${JSON.stringify(model)}: "128k" }, the header x-precis-window: 128k, or --window 128k for all models`,
    );
  };
}

/** So long a request waits for its upstream to tell its window (milliseconds). */
const WAIT_MS = 1_000;
/** An answer that comes within this time still counts for the requests after it (milliseconds). */
const ASK_MS = 5_000;
/** An upstream that told nothing may have been starting. It is asked again after this time, and no request waits (milliseconds). */
const AGAIN_MS = 5 * 60_000;
/** Models of which it is remembered that nothing was told. */
const MAX_SILENT = 1_000;

/** Whom to ask, and what the client sent along for this upstream. */
interface AskingWindow {
  readonly upstream: Upstream;
  readonly model: string;
  readonly tenant: string;
  readonly headers: IncomingHttpHeaders;
  /** The key that the client showed was for us. */
  readonly keyIsOurs: boolean;
}

/** Undefined where there is nothing to wait for. What it resolves with never says whether something was told. */
export type AskWindow = (asking: AskingWindow) => Promise<void> | undefined;

/** What became of a question. */
interface Asked {
  readonly at: number;
  /** Settles when the answer is there, or isn't waited for any longer. */
  readonly settled: Promise<void>;
}

/**
 * Asks an upstream for the window of a model that neither config nor registry knows, as llama.cpp, vLLM, LM Studio and Ollama tell it.
 * Each model is asked for once; that nothing was told is remembered, too.
 */
export function createAskWindow(parts: {
  readonly windows: Pick<Windows, "of" | "setWindow" | "isLoadedSince">;
  now(): number;
}): AskWindow {
  const { windows, now } = parts;
  const asked = new Map<string, Asked>();

  return (asking) => {
    const { upstream, model, tenant } = asking;
    if (upstream.isKnownProvider || model === "") return undefined;
    const { from, mayBeOld } = windows.of(upstream, model, tenant);
    if (from !== "guess" && !mayBeOld) return undefined;
    const key = JSON.stringify([upstream.name, upstream.config.baseURL, model, tenant]);
    const before = windows.isLoadedSince(upstream, model, tenant) ? undefined : asked.get(key);
    if (before && now() - before.at < AGAIN_MS) return before.settled;
    const answer = windowAt(asking).then((served) => {
      if (served) windows.setWindow(upstream, model, tenant, served.window, served.isUnloaded);
    });
    const settled = settledInTime(answer, WAIT_MS).then(() => {});
    keepNewest(asked, key, { at: now(), settled }, MAX_SILENT);
    return before ? undefined : settled;
  };
}

/** What the upstream tells; undefined where it doesn't. Never throws. */
async function windowAt({
  upstream,
  model,
  headers,
  keyIsOurs,
}: AskingWindow): ReturnType<typeof windowBehind> {
  const signal = AbortSignal.timeout(ASK_MS);
  const path = "/v1/models";
  const [listed, query] = targetPath(upstream, path).split("?", 2);
  const ask = async (address: string, question?: object): Promise<unknown> => {
    const target = query === undefined ? address : `${address}?${query}`;
    const asking = { upstream, path, target, headers: keysIn(headers), keyIsOurs, question, signal };
    const { status, json } = await askUpstream(asking).catch(() => ({ status: 0, json: undefined }));
    return status === 200 ? json : undefined;
  };
  return windowBehind(listed!.slice(0, -"/models".length), model, ask);
}

import { stringifyDeep } from "../../core/deep-json.ts";
import { BudgetImpossibleError, ConfigError, InvariantError, TranscriptError } from "../../core/errors.ts";
import type { FitInput, FitResult, Report } from "../../core/types.ts";
import { fittingCap, type Rejected } from "../compaction/fitting-cap.ts";
import { withClientKeys } from "../compaction/summarizer.ts";
import type { Gateway } from "../gateway.ts";
import { loggable } from "../telemetry/log.ts";
import { isJson } from "../http/json.ts";
import { choiceOf } from "../v1/choice-of.ts";
import type { Exchange, Outgoing } from "../v1/exchange.ts";
import { lastRequest } from "./last-request.ts";
import { hiddenInstructions, laterInstructions, withInstructions } from "../v1/later-instructions.ts";
import { loadedTools } from "../wires/loaded-tools.ts";
import { noteCompaction } from "./note-compaction.ts";
import { standingMessages } from "../v1/client-messages.ts";
import { watchedFit } from "./watched-fit.ts";

/** Fields that stand for something that isn't in the request. */
const STANDING_FOR = ["previous_response_id", "conversation", "container"];
/** Parts whose cost has nothing to do with their bytes, or that stand for something that isn't in the request. */
const UNCOUNTABLE = [
  '"image',
  '"input_',
  '"document"',
  '"file',
  '"item_reference"',
  ...STANDING_FOR.map((name) => JSON.stringify(name)),
];

/** The client's own bytes, where that is known without a look at the transcript. */
export function decideAtOnce(gateway: Gateway, exchange: Exchange): Outgoing | undefined {
  const left = leftAlone(exchange);
  // What was set for one conversation is for the engine to judge.
  if (left || exchange.chat) return left;
  const sure = (gateway.observing ?? gateway.compactors).surelyFits(choiceOf(gateway, exchange));
  return surelyFits(exchange, sure) ? passing(exchange, "pass") : undefined;
}

/** What nobody may change, whatever the upstream says of it. */
function leftAlone(exchange: Exchange): Outgoing | undefined {
  if (exchange.isUntouched) return passing(exchange, "untouched");
  return exchange.options.off ? passing(exchange, "off") : undefined;
}

function passing({ bytes, isRewritten }: Exchange, action: Outgoing["action"]): Outgoing {
  return { action, body: bytes, isOurs: isRewritten === true, report: undefined };
}

/**
 * The bytes to send: the client's own wherever possible, a view where the transcript doesn't fit.
 * `rejected`: the upstream refused the last try as too long.
 */
export async function decideView(
  gateway: Gateway,
  exchange: Exchange,
  rejected?: Rejected,
): Promise<Outgoing> {
  const { asked, body, wire, client, upstream, request, recording } = exchange;
  const left = leftAlone(exchange);
  if (left) return left;
  const untouched = passing(exchange, "pass");
  const choice = choiceOf(gateway, exchange);
  const compactors = gateway.observing ?? gateway.compactors;
  const compactor = compactors.of(choice);
  const isApart = compactors.isApart(choice);
  const { window } = gateway.windows.of(upstream, asked.model, client.tenant);
  let instructions = wire.api === "messages" ? laterInstructions(asked, window) : [];
  let system = withInstructions(asked.system, instructions);
  const pins = standingMessages(asked, window);
  const ownPins = exchange.chat?.pins ?? [];
  const input: FitInput<unknown> = {
    system,
    tools: loadedTools(asked),
    // A client may ask for anything; what can't be a number of tokens says nothing.
    ...(asked.cap !== undefined && asked.cap >= 1 && { maxAnswer: asked.cap }),
    pins: [...pins, ...ownPins],
    request: lastRequest(gateway, exchange, isApart),
    now: exchange.startedAt,
    ...(recording && recording.known.lastRequestAt > 0 && { lastRequestAt: recording.known.lastRequestAt }),
    ...(rejected && { rejected: rejected.tokens === undefined ? true : { tokens: rejected.tokens } }),
    signal: exchange.signal,
  };
  const started = performance.now();
  let fitted: FitResult<unknown>;
  try {
    fitted = await watchedFit(gateway, exchange, () =>
      withClientKeys({ headers: request.headers, keyIsOurs: client.keyIsOurs, upstream }, () => fitHeld()),
    );
  } catch (error) {
    // What we don't understand passes through untouched: the upstream knows best what is wrong with it.
    if (error instanceof TranscriptError || error instanceof InvariantError || error instanceof ConfigError) {
      gateway.log.warn(
        { ...loggable(error), api: wire.api, model: asked.model },
        "a request passes untouched",
      );
      return { ...untouched, action: "untouched" };
    }
    if (gateway.config.observe && error instanceof BudgetImpossibleError) {
      gateway.log.warn({ model: asked.model, reason: error.message }, "would have refused");
      return { ...untouched, action: "observed" };
    }
    throw error;
  }
  const { report } = fitted;
  gateway.metrics.pressure.observe(report.pressure.before);
  noteCompaction(gateway, exchange, report, performance.now() - started);
  if (gateway.config.observe) return { ...untouched, action: "observed", report };
  if (recording && !isApart) gateway.sent.delete(recording.known);
  if (isTranscript(report)) return { ...capped(untouched, exchange, report, rejected), report };
  const mustNotThink = report.warnings.some(({ code }) => code === "thinking-off");
  const shown = wire.write(body, {
    messages: fitted.messages,
    // All of them were counted; those that still stand in their places needn't be said twice.
    system:
      fitted.system === system
        ? withInstructions(asked.system, hiddenInstructions(instructions, report.entries))
        : fitted.system,
  });
  const view = withRoom(mustNotThink ? wire.withoutThinking(shown) : shown, exchange, report, rejected);
  const sent = Buffer.from(stringifyDeep(view));
  if (recording && !isApart) gateway.sent.set(recording.known, view, sent.length);
  return {
    action: report.outcome === "compacted" ? "compacted" : "view",
    body: sent,
    isOurs: true,
    report,
  };

  /** What the client put beside the user's words is held as long as there is room for it. */
  async function fitHeld(): Promise<FitResult<unknown>> {
    try {
      return await compactor.fit(asked.transcript, input);
    } catch (error) {
      const isHeld = pins.length > 0 || instructions.length > 0;
      if (!(error instanceof BudgetImpossibleError) || !isHeld) throw error;
      instructions = [];
      system = asked.system;
      return compactor.fit(asked.transcript, { ...input, system, pins: ownPins });
    }
  }
}

/** Is the view the transcript itself? Where nothing more is to be gained, it may still be a view made before. */
function isTranscript({ outcome, counts }: Report): boolean {
  if (outcome !== "nothing-to-gain") return outcome === "pass";
  return counts.edited + counts.covered + counts.dropped + counts.inserted === 0;
}

/** A token is at least one byte, so a small body needs no counting. */
function surelyFits({ plain, asked, body }: Exchange, limit: number): boolean {
  if (plain.length > limit) return false;
  return isTextAlone(asked, body) || !UNCOUNTABLE.some((sign) => plain.includes(sign));
}

/** Most requests are: nothing but texts. To see that is faster than to search their bytes. */
function isTextAlone({ transcript, tools }: Exchange["asked"], body: Exchange["body"]): boolean {
  if (tools !== undefined || STANDING_FOR.some((name) => name in body)) return false;
  return transcript.every((message) => isJson(message) && typeof message["content"] === "string");
}

/** A long answer must not cost the request. */
function withRoom(
  body: Exchange["body"],
  { asked, wire }: Exchange,
  report: NonNullable<Outgoing["report"]>,
  rejected: Rejected | undefined,
): Exchange["body"] {
  if (asked.cap === undefined) return body;
  const cap = fittingCap(asked.cap, report, rejected);
  return cap === asked.cap ? body : wire.withCap(body, cap);
}

function capped(
  outgoing: Outgoing,
  exchange: Exchange,
  report: NonNullable<Outgoing["report"]>,
  rejected: Rejected | undefined,
): Outgoing {
  const body = withRoom(exchange.body, exchange, report, rejected);
  return body === exchange.body
    ? outgoing
    : { ...outgoing, body: Buffer.from(stringifyDeep(body)), isOurs: true };
}

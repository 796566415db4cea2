import { NO_WISH } from "../../apis/shared/native.ts";
import { BudgetImpossibleError } from "../../core/errors.ts";
import type { CompactorChoice } from "../compaction/compactors.ts";
import { lookAhead, measureOf } from "../compaction/measure.ts";
import { requestOptions } from "../compaction/request-options.ts";
import { withPrevious } from "../conversation/named-by-client.ts";
import { readJson } from "../http/read-body.ts";
import { sendJson } from "../http/send-json.ts";
import { clearedBy, inputTokens } from "../turn/native.ts";
import { countedWithTools } from "../turn/offer-tools.ts";
import { abortOnClose, checkAsked, choiceOf } from "../turn/read.ts";
import { chooseUpstream } from "../upstream/upstream.ts";
import { loadedTools, type Wire, type WireRequest } from "../wires/index.ts";
import { type Passing, passThrough, type V1Parts } from "./pass-through.ts";

/**
 * Counts a request as it would be sent, so that a client that looks at counts and one that looks at usage decide alike: by the provider
 * where it counts and is sent all of the request, by precis's own count where it doesn't or a view hides something.
 */
export async function count(
  parts: V1Parts,
  wire: Wire,
  counting: NonNullable<Wire["counting"]>,
  { request, response, client, path }: Passing,
): Promise<number> {
  const { body: given, received, length } = await readJson(request, parts.config.limits);
  const asked = wire.read(given, path);
  checkAsked(asked, parts.config.limits);
  const upstream = chooseUpstream(parts.upstreams, asked.model, wire.dialect.id);
  const options = requestOptions(request.headers);
  const forwarded = { request, response, client, path, bytes: received, upstream };
  if (options.off || parts.config.observe) return passThrough(parts, forwarded);
  const wish = wire.native?.wish(given) ?? NO_WISH;
  const { tenant } = client;
  const choice = choiceOf(parts, { tenant, wire, upstream, asked, options, chat: undefined });
  const asking = { client, wire, upstream, headers: request.headers };
  const { body: named, goesOnFrom } = await withPrevious(parts, asking, given, upstream.isNative);
  const whole = await countedWithTools(parts, {
    wire,
    body: named,
    asked: named === given ? asked : wire.read(named, path),
    path,
    options,
    upstream,
    choice,
    goesOnFrom,
  });
  // A provider counts best what it is sent, but doesn't know of tools that it will be sent as well.
  const countsItself =
    upstream.isNative || (!wire.native && wire.isAt(upstream.url.hostname) && whole === named);
  // What stands on something that only the upstream has can't be looked into.
  const isPartial = goesOnFrom?.isRebuilt === false || wire.isPartial?.(given);
  const isWhole =
    isPartial || (upstream.isNative && wish.isNative) || length <= parts.compactors.surelyFits(choice);
  if (countsItself && isWhole) return passThrough(parts, forwarded);

  const plain = wire.read(wire.native?.plain(whole) ?? whole, path);
  await lookAhead(parts, choice, { bytes: length, asked: plain, signal: abortOnClose(response) });
  // A provider that has edits of its own carries them out itself, on the view that it is sent.
  const edits = upstream.isNative ? [] : wish.edits;
  const { messages } = clearedBy(wire, await measureOf(parts, choice), plain, edits);
  const original = await countInput(parts, choice, plain);
  const counted =
    messages === plain.transcript
      ? original
      : await countInput(parts, choice, { ...plain, transcript: messages });
  if (countsItself && counted.sent >= counted.whole) return passThrough(parts, forwarded);
  const answer = counting.answer({
    input: counted.sent,
    original: original.whole,
    hasEdits: wish.edits.length > 0,
    isBeta: request.headers["anthropic-beta"] !== undefined,
  });
  return sendJson(response, 200, answer);
}

/** Tokens of a request with its tools: all of it, and the view that would be sent for it. */
interface CountedInput {
  readonly whole: number;
  readonly sent: number;
}

async function countInput(
  parts: Pick<V1Parts, "compactors" | "windows">,
  choice: CompactorChoice,
  asked: WireRequest,
): Promise<CountedInput> {
  try {
    const { tokens, budget } = await parts.compactors
      .of(choice)
      .plan(asked.transcript, { system: asked.system, tools: loadedTools(asked) });
    return { whole: tokens.transcript + budget.tools, sent: tokens.after + budget.tools };
  } catch (error) {
    if (!(error instanceof BudgetImpossibleError)) throw error;
    // What can never fit has a count all the same.
    const whole = inputTokens(choice.wire, await measureOf(parts, choice), asked);
    return { whole, sent: whole };
  }
}

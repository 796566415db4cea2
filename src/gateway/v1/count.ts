import { BudgetImpossibleError } from "../../core/errors.ts";
import type { CompactorChoice } from "../compaction/compactors.ts";
import { lookAhead, measureOf } from "../compaction/measure.ts";
import { requestOptions } from "../compaction/request-options.ts";
import { withPrevious } from "../conversation/previous-response.ts";
import { checkValues } from "../http/check-values.ts";
import { decodeBody, parseObject, readBody } from "../http/read-body.ts";
import { sendJson } from "../http/send-json.ts";
import { chooseUpstream } from "../upstream/choose-upstream.ts";
import type { DialectName } from "../upstream/upstream.ts";
import { NO_WISH } from "../wires/native.ts";
import { checkAsked } from "../wires/shared/check-asked.ts";
import { loadedTools } from "../wires/shared/loaded-tools.ts";
import type { Wire, WireRequest } from "../wires/wire.ts";
import { clearedBy, inputTokens } from "./input-tokens.ts";
import { countedWithTools } from "./offer-tools.ts";
import { type Passing, passThrough } from "./pass-through.ts";
import { abortOnClose } from "./read-exchange.ts";
import type { V1Parts } from "./v1-parts.ts";

/** Counts a request: by the provider where it has a route for it, by precis's own count where it hasn't. */
export async function count(
  parts: V1Parts,
  wire: Wire,
  counting: NonNullable<Wire["counting"]>,
  { request, response, client, path }: Passing,
): Promise<number> {
  const limit = parts.config.limits.bodyBytes;
  const bytes = await readBody(request, limit);
  const decoded = await decodeBody(bytes, request.headers["content-encoding"], limit);
  await checkValues(decoded, parts.config.limits.values);
  const given = parseObject(decoded);
  const asked = wire.read(given, path);
  checkAsked(asked, parts.config.limits);
  const upstream = chooseUpstream(parts.upstreams, asked.model, wire.dialect.id as DialectName);
  const options = requestOptions(request.headers);
  const forwarded = { request, response, client, path, bytes, upstream };
  if (upstream.isNative || options.off || parts.config.observe) return passThrough(parts, forwarded);
  const body = countedWithTools(parts, { wire, body: given, asked, path, options, upstream });
  // A provider without a compaction of its own counts best what it is sent, but doesn't know of tools that it will be sent as well.
  const countsItself = !wire.native && wire.isProvider(upstream.url.hostname) && body === given;
  if (countsItself) return passThrough(parts, forwarded);
  const { edits } = wire.native?.wish(body) ?? NO_WISH;
  const { body: whole } = await withPrevious(parts, { client, wire }, body, false);
  const plain = wire.read(wire.native?.plain(whole) ?? whole, path);
  const choice = { tenant: client.tenant, wire, upstream, model: asked.model };
  await lookAhead(parts, choice, {
    bytes: decoded.length,
    transcript: plain.transcript,
    signal: abortOnClose(response),
  });
  const { messages } = clearedBy(wire, await measureOf(parts, choice), plain, edits);
  const original = await countInput(parts, choice, plain);
  const input =
    messages === plain.transcript
      ? original
      : await countInput(parts, choice, { ...plain, transcript: messages });
  const answer = counting.answer({
    input,
    original,
    hasEdits: edits.length > 0,
    isBeta: request.headers["anthropic-beta"] !== undefined,
  });
  sendJson(response, 200, answer);
  return 200;
}

async function countInput(parts: V1Parts, choice: CompactorChoice, asked: WireRequest): Promise<number> {
  try {
    const { tokens, budget } = await parts.compactors
      .of(choice)
      .plan(asked.transcript, { system: asked.system, tools: loadedTools(asked) });
    return tokens.transcript + budget.tools;
  } catch (error) {
    if (!(error instanceof BudgetImpossibleError)) throw error;
    // What can never fit has a count all the same.
    return inputTokens(choice.wire, await measureOf(parts, choice), asked);
  }
}

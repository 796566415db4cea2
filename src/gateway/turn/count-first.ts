import { isJson, parseJson } from "../../apis/shared/fields.ts";
import { isTooLarge, isWorthCounting } from "../../core/provider-count.ts";
import { answerText } from "../upstream/decode-answer.ts";
import { sendOn } from "./send-on.ts";
import { MOST_RETRIES, type Shrink, smallerOf } from "./shrink.ts";
import { type Outgoing, spokenWire, type Turn, type TurnParts } from "./turn.ts";

/** A provider that takes longer to count isn't waited for: the view is sent as it is (milliseconds). */
const COUNT_WAIT_MS = 5_000;
/** A count is a number; what is longer is something else (bytes). */
const MOST_COUNT_BYTES = 1024 * 1024;

/**
 * Has the provider itself count a view that comes near the budget, learns from its number, and makes a view smaller
 * that is larger than precis believed. Where the provider doesn't count, the view is sent as it is.
 */
export async function countFirst(
  parts: Pick<TurnParts, "log">,
  turn: Turn,
  outgoing: Outgoing,
  shrink: Shrink,
): Promise<Outgoing> {
  let last = outgoing;
  for (let tries = 0; tries < MOST_RETRIES; tries++) {
    const { report } = last;
    const tokens = report && isWorthCounting(report) ? await countedBy(turn, last) : undefined;
    if (!report || tokens === undefined) break;
    await turn.compactors.of(turn.choice).observe({
      usage: { input: tokens },
      report,
      tokens: report.tokens.after + report.budget.tools,
    });
    const smaller = isTooLarge(tokens, report) && (await smallerOf(parts, last, shrink, { tokens }));
    if (!smaller) break;
    last = smaller;
  }
  return last;
}

/** The provider's own count of a request; undefined if it has none, or gives none in time. */
async function countedBy(turn: Turn, { body, isOurs }: Outgoing): Promise<number | undefined> {
  const { counts } = spokenWire(turn);
  const whole = isOurs ? parseJson(body.toString("utf8")) : turn.body;
  if (!counts || !isJson(whole)) return undefined;
  try {
    const answer = await sendOn(turn, {
      path: counts.path(turn.path),
      body: Buffer.from(JSON.stringify(counts.body(whole, turn.path))),
      isOurs: true,
      streamed: false,
      signal: AbortSignal.any([turn.signal, AbortSignal.timeout(COUNT_WAIT_MS)]),
    });
    const { bytes, isWhole } = await answer.whole(MOST_COUNT_BYTES);
    if (!isWhole) answer.drop();
    const told = parseJson(await answerText(answer, bytes, MOST_COUNT_BYTES));
    return answer.statusCode < 300 && isJson(told) ? counts.read(told) : undefined;
  } catch {
    turn.signal.throwIfAborted();
    return undefined;
  }
}

import type { Rejected } from "../../core/fitting-cap.ts";
import type { Outgoing, TurnParts } from "./turn.ts";

/** Makes a smaller request than one that is too long. What isn't ours in the end can't be made smaller. */
export type Shrink = (rejected: Rejected) => Promise<Outgoing>;

/** So often a request is made smaller at most. */
export const MOST_RETRIES = 4;

/** A smaller request, or undefined where none can be made. */
export async function smallerOf(
  { log }: Pick<TurnParts, "log">,
  { body }: Pick<Outgoing, "body">,
  shrink: Shrink,
  rejected: Rejected,
): Promise<Outgoing | undefined> {
  try {
    const made = await shrink(rejected);
    // A lower cap alone may be as many bytes.
    const isSmaller = made.isOurs && made.body.length <= body.length && !made.body.equals(body);
    return isSmaller ? made : undefined;
  } catch (error) {
    // The upstream's own error tells the client more than ours would.
    log.warn({ err: error }, "nothing smaller could be made");
    return undefined;
  }
}

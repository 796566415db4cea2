import { BudgetImpossibleError } from "../../core/errors.ts";

/**
 * Index of the first message of every answer: before each, the model was asked. `joined`: one answer may be several messages
 * in a row, as in the Responses format.
 */
export function answerStarts(
  messages: readonly { readonly role: string }[],
  { joined }: { readonly joined: boolean },
): readonly number[] {
  return messages.flatMap((message, index) => {
    if (index === 0 || message.role !== "assistant") return [];
    return joined && messages[index - 1]?.role === "assistant" ? [] : [index];
  });
}

/** The result, or the error that says that nothing can be sent at this point of the session. */
export const orImpossible = async <T>(run: () => Promise<T>): Promise<T | BudgetImpossibleError> =>
  run().catch((error: unknown) => {
    if (error instanceof BudgetImpossibleError) return error;
    throw error;
  });

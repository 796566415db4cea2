import { StoreError } from "../../core/errors.ts";
import type { Append } from "../server-store.ts";
import { checkName } from "./check-name.ts";

/** The names that come with an append must be something that every database can hold. */
export function checkAppend({ session, instead, messages }: Append): void {
  if (instead !== undefined && messages.length === 0)
    throw new StoreError({
      operation: "append",
      message: "messages can't give way to none.",
      fix: "Leave out `instead`, or append what the client says in their place.",
    });
  if (session !== undefined) checkName("append", "session", session);
  for (const { answer } of messages) if (answer !== undefined) checkName("append", "answer", answer);
}

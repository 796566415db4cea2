import { encode } from "../../apis/index.ts";
import type { Message } from "../../core/types.ts";
import type { WireAnswer } from "../wires/wire.ts";
import type { Turn } from "./turn.ts";

/** A user message in front of an answer that is translated alone. */
const QUESTION: Message = { role: "user", parts: [{ type: "text", text: "?" }] };

/** An answer in the words of the conversation's API, whatever the upstream was asked in. */
export function inOwnWords({ wire, translation }: Turn, answer: WireAnswer): WireAnswer {
  if (!translation) return answer;
  const { dialect } = translation.wire;
  const said = answer.messages.map((message) => dialect.read(message));
  // An answer alone would be no conversation: some APIs begin with the user, and a message of nobody's would be put before it.
  const { messages } = encode(wire.dialect.id, [QUESTION, ...said]);
  return { ...answer, messages: messages.slice(1) };
}

import type { Dialect, Message, Model, Part } from "../../core/types.ts";
import { redactSecrets } from "./redact-secrets.ts";

const known = new WeakMap<Dialect<unknown>, Dialect<unknown>>();

/**
 * The dialect; with `redact`, reading messages without their secrets: nothing that is derived from them (titles, checkpoints, summaries,
 * hashes) can hold one. What is sent to the upstream are the client's own messages.
 */
export function readingOf(
  { redact }: { readonly redact: boolean },
  dialect: Dialect<unknown>,
): Dialect<unknown> {
  return redact ? redactingReads(dialect) : dialect;
}

function redactingReads(dialect: Dialect<unknown>): Dialect<unknown> {
  const before = known.get(dialect);
  if (before) return before;
  const reads = new WeakMap<Message, Message>();
  const redacting: Dialect<unknown> = {
    ...dialect,
    read(wire) {
      const message = dialect.read(wire);
      const read = reads.get(message) ?? redactMessage(message);
      reads.set(message, read);
      return read;
    },
  };
  known.set(dialect, redacting);
  return redacting;
}

/** A model whose summaries hold no secrets either: by continuation it sees the client's own request. */
export function redactingModel(model: Model): Model {
  return {
    ...model,
    async complete(request) {
      const reply = await model.complete(request);
      return { ...reply, text: redactSecrets(reply.text) };
    },
  };
}

function redactMessage(message: Message): Message {
  return { ...message, parts: message.parts.map(redactPart) };
}

function redactPart(part: Part): Part {
  switch (part.type) {
    case "text":
    case "reasoning":
    case "tool-result":
      return { ...part, text: redactSecrets(part.text) };
    case "tool-call":
      return { ...part, args: redactSecrets(part.args) };
    case "file":
      return part.text === undefined ? part : { ...part, text: redactSecrets(part.text) };
    case "other":
      return { ...part, json: redactSecrets(part.json) };
    default:
      return part;
  }
}

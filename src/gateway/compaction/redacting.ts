import { runNow, type Steps } from "../../core/steps.ts";
import type { Dialect, Message, Model, Part } from "../../core/types.ts";
import { redactSecrets, redactSteps } from "./redact-secrets.ts";

interface Redacting {
  readonly dialect: Dialect<unknown>;
  /** Messages without their secrets, by what they were with them. */
  readonly reads: WeakMap<Message, Message>;
}

const known = new WeakMap<Dialect<unknown>, Redacting>();

/**
 * The dialect; with `redact`, reading messages without their secrets: nothing that is derived from them (titles, checkpoints, summaries,
 * hashes) can hold one. What is sent to the upstream are the client's own messages.
 */
export function readingOf(
  { redact }: { readonly redact: boolean },
  dialect: Dialect<unknown>,
): Dialect<unknown> {
  return redact ? redactingOf(dialect).dialect : dialect;
}

/** Reads a message as `readingOf` does, in steps; it has it at once from then on. */
export function* readSteps(
  { redact }: { readonly redact: boolean },
  dialect: Dialect<unknown>,
  wire: unknown,
): Steps<Message> {
  const message = dialect.read(wire);
  if (!redact) return message;
  const { reads } = redactingOf(dialect);
  const read = reads.get(message) ?? (yield* redactMessage(message));
  reads.set(message, read);
  return read;
}

function redactingOf(dialect: Dialect<unknown>): Redacting {
  const before = known.get(dialect);
  if (before) return before;
  const reads = new WeakMap<Message, Message>();
  const redacting: Redacting = {
    reads,
    dialect: {
      ...dialect,
      read(wire) {
        const message = dialect.read(wire);
        const read = reads.get(message) ?? runNow(redactMessage(message));
        reads.set(message, read);
        return read;
      },
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

function* redactMessage(message: Message): Steps<Message> {
  const parts: Part[] = [];
  for (const part of message.parts) parts.push(yield* redactPart(part));
  return { ...message, parts };
}

function* redactPart(part: Part): Steps<Part> {
  switch (part.type) {
    case "text":
    case "reasoning":
    case "tool-result":
      return { ...part, text: yield* redactSteps(part.text) };
    case "tool-call":
      return { ...part, args: yield* redactSteps(part.args) };
    case "file":
      return part.text === undefined ? part : { ...part, text: yield* redactSteps(part.text) };
    case "other":
      return { ...part, json: yield* redactSteps(part.json) };
    default:
      return part;
  }
}

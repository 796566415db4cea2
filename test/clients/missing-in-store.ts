import type { Part } from "../../src/core/types.ts";
import { routeOf, wires } from "../../src/gateway/wires/index.ts";
import type { ClientProgram } from "./client-program.ts";
import type { LongRun } from "./long-run.ts";

/**
 * Messages that the client sent and that no conversation of the store has. The model's answers,
 * which a client sends back in words of its own and often without their reasoning, count by what they say; everything else counts
 * word for word, cache marks and marks of the client's own aside.
 */
export function missingInStore(program: ClientProgram, { sent, conversations }: LongRun): string[] {
  const wire = [...wires.values()].find(({ api }) => api === program.api)!;
  const words = (message: unknown): string => {
    const { role, parts } = wire.dialect.read(message);
    return role === "assistant" ? parts.flatMap(spoken).join("\n") : plain(message);
  };
  const stored = new Set(conversations.flatMap(({ everything }) => everything.map(words)));
  const missing = new Set<string>();
  for (const { body, path } of sent) {
    const routed = routeOf(path.split("?")[0] ?? "");
    if (!body || routed?.wire !== wire || routed.route !== "answer") continue;
    for (const message of wire.read(body, path).transcript) {
      if (wire.dialect.read(message).role === "system") continue;
      const text = words(message);
      if (!stored.has(text)) missing.add(text.slice(0, 500));
    }
  }
  return [...missing];
}

function plain(message: unknown): string {
  const isMark = (key: string) => key === "cache_control" || key.startsWith("__");
  return JSON.stringify(message, (key, value: unknown) => (isMark(key) ? undefined : value));
}

function spoken(part: Part): string[] {
  if (part.type === "tool-call") return [`${part.name} ${part.args}`];
  if (part.type === "reasoning") return [];
  return [part.type === "text" ? part.text : part.type];
}

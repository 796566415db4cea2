import { contentHash } from "../../core/hash.ts";
import type { Model, ModelReply } from "../../core/types.ts";
import type { Journal } from "./journal.ts";
import type { Role, Spending } from "./spending.ts";

/** A model whose replies are kept, so that a run that goes on later pays for none of them twice. */
export function rememberedModel(model: Model, role: Role, journal: Journal, spending: Spending): Model {
  return {
    id: model.id,
    ...(model.window !== undefined && { window: model.window }),
    async complete(request) {
      const { name, system, messages, cap, temperature } = request;
      const key = contentHash(JSON.stringify([role, model.id, name, system, messages, cap, temperature]));
      const kept = journal.find(key);
      if (kept !== undefined) return JSON.parse(kept) as ModelReply;
      const reply = await model.complete(request);
      spending.add(role, request, reply);
      if (reply.stop === "end") await journal.keep(key, JSON.stringify(reply));
      return reply;
    },
  };
}

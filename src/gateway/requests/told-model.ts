import type { ModelError } from "../../core/errors.ts";
import type { Model } from "../../core/types.ts";
import { modelInfo } from "../../tokens/index.ts";
import { currentBehalf } from "../compaction/on-behalf.ts";
import type { Requests } from "./requests.ts";

/** A model that writes summaries: each of its calls is a request of its own, with what it was made for. */
export function toldModel(
  model: Model,
  {
    requests,
    tenant,
    upstream,
  }: {
    readonly requests: Pick<Requests, "begin">;
    readonly tenant: string;
    readonly upstream: { readonly name: string };
  },
): Model {
  return {
    ...model,
    async complete(request) {
      const behalf = currentBehalf();
      const told = requests.begin({
        kind: "summary",
        api: "summary",
        path: request.name,
        headers: {},
        client: { tenant, name: behalf?.client },
      });
      told.action = "pass";
      told.asks(
        {
          upstream,
          asked: { model: model.id, transcript: [] },
          recording: {
            // A first request's conversation is stored while its summary is being written.
            known: {
              get id() {
                return behalf?.conversation?.();
              },
            },
            hadRequest: false,
          },
        },
        modelInfo(model.id).prices,
      );
      const { reason, request: cause } = behalf?.cause?.() ?? {};
      told.reason = reason;
      told.cause = cause;
      try {
        const reply = await model.complete(request);
        told.usage = reply.usage;
        told.end(200);
        return reply;
      } catch (error) {
        const { status = 502, message } = error as Partial<ModelError>;
        told.fails(status, message ?? String(error));
        told.end(status);
        throw error;
      }
    },
  };
}

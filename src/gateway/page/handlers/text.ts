import { onBehalfOf } from "../../compaction/on-behalf.ts";
import { load } from "../../conversation/loaded.ts";
import { fitInput } from "../../conversation/view-of.ts";
import type { Handlers } from "../context.ts";
import { schemas } from "../schemas.ts";

/** Texts about a conversation, for people. They change nothing about it. */
export const textHandlers = {
  async writeText(context) {
    const { gateway, tenant, headers, client } = context;
    const { goal, withModel } = await context.body(schemas.writeText);
    const loaded = await load(gateway, tenant, context.param("id"));
    const { choice, conversation, transcript } = loaded;
    const compactor = gateway.compactors.of(withModel ? choice : { ...choice, summarizer: "extractive" });
    const input = { ...fitInput(loaded), now: gateway.now(), signal: context.signal };
    let failed: string | undefined;
    const onFailed = (message: string): void => {
      failed = message;
    };
    const { text, tokens, report } = await onBehalfOf(
      {
        sent: { headers, keyIsOurs: client.keyIsOurs, upstream: choice.upstream },
        conversation: () => conversation.id,
        onFailed,
        noted: (fact) => gateway.requests.note(client, conversation.id, fact),
      },
      () =>
        goal === undefined
          ? compactor.summarize(transcript, input)
          : compactor.handover(transcript, { ...input, goal }),
    );
    const model = report.modelCalls.findLast(({ result }) => result === "accepted")?.model;
    return { text, tokens, model, ...(failed !== undefined && { failed }) };
  },
} satisfies Partial<Handlers>;

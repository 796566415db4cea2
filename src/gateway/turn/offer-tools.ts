import { type Json, listOf } from "../../apis/shared/fields.ts";
import type { ToolHosting } from "../../apis/shared/hosting.ts";
import type { HostedToolName } from "../../config/gateway-schema.ts";
import { stringifyDeep } from "../../core/deep-json.ts";
import { hostedTool } from "../wires/hosted-tools.ts";
import { withHiddenRounds } from "../wires/shared/hidden-rounds.ts";
import type { Wire } from "../wires/wire.ts";
import { compactAsPromised, type WishParts } from "./compact-for-model.ts";
import type { Translation, Turn } from "./turn.ts";

/** The turn with tools of precis's own, and with what the model did with them before. Its API and its upstream's can carry them. */
export async function offerTools<T extends Turn>(
  parts: WishParts,
  turn: T,
  tools: readonly HostedToolName[],
  /** With copies in place of answers of which whoever asks was shown only a part. */
  transcript: readonly unknown[],
): Promise<T> {
  const { wire, body, translation } = turn;
  const hosting = wire.hosting!;
  const ready: T = {
    ...withTranscript(turn, hosting.offer(body, tools.map(hostedTool)), transcript),
    ...(translation
      ? { translation: offering(wire, translation, tools) }
      : { withHidden: hiding(wire, hosting) }),
  };
  await compactAsPromised(parts, ready);
  return ready;
}

export function withTranscript<T extends Turn>(turn: T, body: Json, transcript: readonly unknown[]): T {
  const { wire, asked } = turn;
  const hosting = wire.hosting!;
  const whole = { ...body, [wire.fields.messages]: transcript };
  const hidden = hiding(wire, hosting)(whole);
  const bytes = Buffer.from(stringifyDeep(wire.withLoopThinking?.(hidden) ?? hidden));
  return {
    ...turn,
    body: whole,
    asked: { ...asked, transcript, tools: whole["tools"] },
    bytes,
    plain: bytes,
    isRewritten: true,
  };
}

function hiding(wire: Pick<Wire, "dialect" | "fields">, hosting: ToolHosting): (body: Json) => Json {
  return (body) => ({
    ...body,
    [wire.fields.messages]: withHiddenRounds(wire.dialect, hosting, listOf(body[wire.fields.messages])),
  });
}

/** A translation of views that may hold hidden rounds, with the tools behind it. */
function offering(
  { dialect, hosting }: Wire,
  { wire, write }: Translation,
  tools: readonly HostedToolName[],
): Translation {
  return {
    wire,
    write: ({ messages, system }) =>
      wire.hosting!.offer(
        write({ messages: withHiddenRounds(dialect, hosting!, messages), system }),
        tools.map(hostedTool),
      ),
  };
}

import { answerCap, type Loaded } from "../conversation/loaded.ts";
import type { Json } from "../http/json.ts";

/** The request that a chat of the page sends. */
export function requestBody(
  { wire, model, settings }: Pick<Loaded, "wire" | "model" | "settings">,
  view: { readonly messages: readonly unknown[]; readonly system: unknown },
  cap: number | undefined = answerCap({ wire, settings }),
): Json {
  const { temperature } = settings;
  const base: Json = {
    model,
    stream: true,
    ...(temperature !== undefined && { temperature }),
    ...wire.chat.fields,
  };
  const body = wire.write(base, view);
  return cap === undefined ? body : wire.withCap(body, cap);
}

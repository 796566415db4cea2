import type { ChatEvent } from "../api.ts";
import type { Telemetry } from "../telemetry/telemetry.ts";

/** How often pages that didn't ask for an answer see it grow (milliseconds). */
const SHOW_EVERY_MS = 250;

/** Shows an answer while it is written to pages that didn't ask for it: other tabs, and the same one after a reload. */
export function showAnswer(
  { live }: Pick<Telemetry, "live">,
  tenant: string,
  conversation: string,
): { take(event: ChatEvent): void; end(): void } {
  const topic = `answer ${conversation}`;
  let text = "";
  let timer: NodeJS.Timeout | undefined;
  const show = (): void => {
    timer = undefined;
    live.show(tenant, topic, { type: "answer", conversation, text });
  };
  return {
    take(event) {
      if (event.type !== "text") return;
      text += event.text;
      timer ??= setTimeout(show, SHOW_EVERY_MS);
    },
    end() {
      clearTimeout(timer);
      live.endShow(tenant, topic);
    },
  };
}

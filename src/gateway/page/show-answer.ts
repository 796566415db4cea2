import type { ChatEvent } from "../api.ts";
import type { Telemetry } from "../telemetry/telemetry.ts";

/** How often pages that didn't ask for an answer see it grow (milliseconds). */
const SHOW_EVERY_MS = 250;

/** Pages that didn't ask see so much of an answer before it is done (characters). All of it is sent each time. */
const MOST_SHOWN = 200_000;

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
      if (event.type !== "text" || text.length >= MOST_SHOWN) return;
      text = (text + event.text).slice(0, MOST_SHOWN);
      timer ??= setTimeout(show, SHOW_EVERY_MS);
    },
    end() {
      clearTimeout(timer);
      live.endShow(tenant, topic);
    },
  };
}

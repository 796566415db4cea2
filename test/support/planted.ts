import type { Message } from "../../src/core/types.ts";
import { say } from "./summary-of.ts";

/** A talk in which a tool is asked again and again; one of its results is `evil`, and the newest message is about it. */
export function fetchingTalk(evil: string, turns = 30): Message[] {
  const messages: Message[] = [say("system", "You are careful.")];
  for (let turn = 0; turn < turns; turn++) {
    const filler = `The page number ${turn} tells of gauge-${turn} and rotor-${turn}. `.repeat(8);
    messages.push(
      say("user", `Question ${turn}: what does http://x.example/${turn} say?`),
      {
        role: "assistant",
        parts: [
          {
            type: "tool-call",
            id: `call-${turn}`,
            name: "fetch",
            args: JSON.stringify({ url: `http://x.example/${turn}` }),
          },
        ],
      },
      {
        role: "tool",
        parts: [
          {
            type: "tool-result",
            id: `call-${turn}`,
            name: "fetch",
            text: turn === 5 ? `${evil}\n${filler}` : filler,
          },
        ],
      },
      say("assistant", `Result ${turn} is noted.`),
    );
  }
  return [
    ...messages,
    say("user", "And what about src/secret.ts and scripts/deploy.sh on prod-7.example.com?"),
  ];
}

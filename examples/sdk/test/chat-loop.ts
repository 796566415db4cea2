/** A chat of thirty turns with the route of `ai-sdk-chat.ts`. Only the client stores it, as `useChat` does. Prints what it saw. */
import {
  parseJsonEventStream,
  readUIMessageStream,
  type UIMessage,
  type UIMessageChunk,
  uiMessageChunkSchema,
} from "ai";
import { POST } from "../ai-sdk-chat.ts";

const TURNS = 30;
let chat: UIMessage[] = [];
let compactions = 0;
for (let turn = 0; turn < TURNS; turn++) {
  const said = turn === 0 ? "Never touch generated files." : `Question ${turn}: and then?`;
  chat = [...chat, { id: `u${turn}`, role: "user", parts: [{ type: "text", text: said }] }];
  const request = new Request("http://chat.test/", {
    method: "POST",
    body: JSON.stringify({ messages: chat }),
  });
  const chunks = parseJsonEventStream({ stream: (await POST(request)).body!, schema: uiMessageChunkSchema });
  const stream = new ReadableStream<UIMessageChunk>({
    async start(controller) {
      for await (const chunk of chunks) if (chunk.success) controller.enqueue(chunk.value);
      controller.close();
    },
  });
  let answer: UIMessage | undefined;
  for await (const message of readUIMessageStream({ stream })) answer = message;
  compactions += answer!.parts.filter(({ type }) => type === "data-compaction").length;
  chat = [...chat, answer!];
}
console.log(JSON.stringify({ compactions, messages: chat.length }));

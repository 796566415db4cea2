/** A route for `useChat`: compactions are data parts of the chat, and their state is stored with it. */
import { openai } from "@ai-sdk/openai";
import * as ai from "ai";
import { precisMiddleware, stateOfChat, writeCompaction } from "precis/ai-sdk";

export async function POST(request: Request): Promise<Response> {
  const { messages }: { messages: ai.UIMessage[] } = await request.json();
  const stream = ai.createUIMessageStream({
    originalMessages: messages,
    execute: async ({ writer }) => {
      const middleware = precisMiddleware({
        window: 8_000,
        state: stateOfChat(messages) ?? null,
        onView: writeCompaction(writer),
      });
      const model = ai.wrapLanguageModel({ model: openai("gpt-4o"), middleware });
      const result = ai.streamText({ model, messages: await ai.convertToModelMessages(messages) });
      writer.merge(result.toUIMessageStream());
    },
  });
  return ai.createUIMessageStreamResponse({ stream });
}

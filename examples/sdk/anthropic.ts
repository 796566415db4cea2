/** The Anthropic SDK with a window that nothing runs over. Run: ANTHROPIC_API_KEY=… node anthropic.ts */
import Anthropic from "@anthropic-ai/sdk";
import { withPrecis } from "precis/clients";

const client = withPrecis(new Anthropic(), { window: 8_000 });
const messages: Anthropic.MessageParam[] = [];
for (let turn = 1; turn <= 20; turn++) {
  const content =
    turn === 1 ? "Never touch generated files." : `Note ${turn}: ${`detail ${turn}; `.repeat(150)}`;
  messages.push({ role: "user", content });
  const answer = await client.messages.create({ model: "claude-sonnet-5", max_tokens: 1_000, messages });
  messages.push({ role: "assistant", content: answer.content });
}
console.log(JSON.stringify(messages.at(-1)?.content));

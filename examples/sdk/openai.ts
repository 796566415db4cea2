/** The OpenAI SDK with a window that nothing runs over. Run: OPENAI_API_KEY=… node openai.ts */
import OpenAI from "openai";
import { withPrecis } from "precis/clients";

const client = withPrecis(new OpenAI(), { window: 8_000 });
const messages: OpenAI.ChatCompletionMessageParam[] = [
  { role: "user", content: "Never touch generated files." },
];
for (let turn = 1; turn <= 20; turn++) {
  messages.push({ role: "user", content: `Note ${turn}: ${`detail ${turn} of the plan; `.repeat(80)}` });
  const { choices } = await client.chat.completions.create({ model: "gpt-4o", messages });
  messages.push(choices[0]!.message); // The list keeps everything; what is sent fits.
}
console.log(messages.at(-1)?.content);

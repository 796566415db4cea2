import { expect, it } from "vitest";
import { startFakeProvider } from "../../src/testing/fake-provider/index.ts";
import { byProof } from "../support/proof.ts";
import { startGateway, upstreamAt } from "./gateway-process.ts";
import { fileText, longTask } from "./long-task.ts";

const WINDOW = 12_000;
const ROUNDS = byProof({ sample: 24, more: 40, all: 40 });
const RULES = [
  "# Environment",
  "The working folder is /srv/orders.",
  "Never push to the branch release. Run the linter before every commit, and answer in complete sentences.",
  "Tools that aren't loaded yet: CronCreate, WebFetch.",
].join("\n");
const UPDATE = `# Update\n${"The branch is now release-2, and the rules for release hold for it, too. ".repeat(3)}`;

interface Part {
  readonly type: string;
  readonly text?: string;
  readonly id?: string;
  readonly input?: { readonly path: string };
}
interface Message {
  readonly role: string;
  readonly content: string | readonly object[];
}

it("system messages that a view hides stay word for word, in the system prompt", async () => {
  const provider = await startFakeProvider({ window: WINDOW, reply: longTask(2 * ROUNDS).reply });
  const running = await startGateway({ ...upstreamAt(provider.url), window: WINDOW });
  const messages: Message[] = [];
  const ask = async (): Promise<readonly Part[]> => {
    const response = await fetch(`${running.url}/v1/messages`, {
      method: "POST",
      headers: { "content-type": "application/json", "anthropic-version": "2023-06-01" },
      body: JSON.stringify({
        model: "claude-opus-5",
        max_tokens: 1_000,
        system: "You are a careful engineer.",
        tools: [{ name: "read_file", input_schema: { type: "object" } }],
        messages,
      }),
    });
    const text = await response.text();
    expect(response.status, text).toBe(200);
    return (JSON.parse(text) as { content: readonly Part[] }).content;
  };
  const work = async (question: string, rules: string): Promise<void> => {
    messages.push({ role: "user", content: question }, { role: "system", content: rules });
    for (let round = 0; round < ROUNDS; round++) {
      const content = await ask();
      const results = content
        .filter(({ type }) => type === "tool_use")
        .map(({ id, input }) => ({ type: "tool_result", tool_use_id: id, content: fileText(input!.path) }));
      messages.push({ role: "assistant", content });
      messages.push({ role: "user", content: results });
      messages.push({ role: "system", content: `${15_000 - round} tokens left` });
    }
    messages.push({ role: "assistant", content: "That is all for now." });
  };
  try {
    await work("Read all the files. The ticket is PRE-4711.", RULES);
    const seen = provider.requests.length;
    await work("Read the rest of them, too.", UPDATE);
    expect(provider.requests.map(({ error }) => error).filter((error) => error !== undefined)).toEqual([]);
    const answers = provider.requests.filter(({ tools }) => tools.length > 0);
    expect(answers.length).toBeGreaterThanOrEqual(2 * ROUNDS);
    for (const { body, number } of answers) {
      const places = (body["messages"] as Message[]).filter(({ role }) => role === "system");
      const told = JSON.stringify([body["system"], places]);
      expect(told.split("Never push to the branch release.").length, `request ${number}`).toBe(2);
      if (number >= seen) expect(told, `request ${number}`).toContain(JSON.stringify(UPDATE).slice(1, -1));
      // Notes of the moment don't pile up.
      expect(JSON.stringify(body["system"])).not.toContain("tokens left");
    }
    // The system prompt changes with compactions only, so that the provider's cache works.
    const systems = new Set(answers.map(({ body }) => JSON.stringify(body["system"])));
    expect(systems.size).toBeLessThanOrEqual(3);
  } finally {
    await running.close();
    await provider.close();
  }
});

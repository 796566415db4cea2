import { describe, expect, it } from "vitest";
import { type ChatMessage, openaiChat } from "../../apis/index.ts";
import { createCompactor } from "../create-compactor.ts";

const transcript: ChatMessage[] = Array.from({ length: 81 }, (_, at) => ({
  role: at % 2 === 0 ? ("user" as const) : ("assistant" as const),
  content: `Message ${at}: ${Array.from({ length: 40 }, (_, n) => `crane ${at * n}`).join(", ")}.`,
}));
const counter = { id: "quarters", count: (text: string) => Math.ceil(text.length / 4) };

/** What a compacted chat says to the model about the host's state. */
async function noteOf(hostState: unknown): Promise<string | undefined> {
  const compactor = createCompactor<ChatMessage>({ dialect: openaiChat, budget: 4_000, counter });
  const { messages, report } = await compactor.fit(transcript, { hostState: hostState as string });
  expect(report.outcome).toBe("compacted");
  expect(report.tokens.after).toBeLessThanOrEqual(4_000);
  return messages.map(({ content }) => String(content)).find((text) => text.includes("<host-state>"));
}

describe("the host's state", () => {
  const steps = Array.from({ length: 120 }, (_, at) => ({ id: at, text: `Lift crate ${at}` }));

  it("is clipped where one line is longer than its room", async () => {
    const note = await noteOf(JSON.stringify({ steps }));
    expect(note).toContain('{"steps":[{"id":0,"text":"Lift crate 0"}');
    expect(note).toMatch(/\[… \d+ characters not shown …\]/);
    const lines = await noteOf(JSON.stringify({ steps }, null, 1));
    expect(note!.length).toBeGreaterThan(lines!.length / 2);
  });

  it("is clipped where such a line stands behind others", async () => {
    const note = await noteOf(`Where the crates are:\n${JSON.stringify(steps)}\nThe end.`);
    expect(note).toContain("Where the crates are:\n[{");
    expect(note).toContain("characters not shown …]");
    expect(note).toContain("(1 more)");
  });

  it.each([[""], [" \n "], [null], [{ steps: [] }], [{ title: "", steps: [] }]])(
    "has no frame where it says nothing: %j",
    async (hostState) => {
      expect(await noteOf(hostState)).toBeUndefined();
    },
  );
});

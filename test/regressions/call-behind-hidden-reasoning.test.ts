import { expect, it } from "vitest";
import { createHost, sent } from "../support/host.ts";

/** A host that stores items one by one may ask for a view between reasoning and the call that it led to. */
it("a call that comes after its reasoning was hidden is sent as a new one", async () => {
  const said = (text: string) => `${text} ${"and so on ".repeat(60)}`;
  const host = createHost({ id: "openai-responses", budget: 300, strategy: "drop-all" }, [
    { role: "user", content: said("First") },
    {
      type: "message",
      role: "assistant",
      content: [{ type: "output_text", text: said("Yes."), annotations: [] }],
    },
    { role: "user", content: "Read it." },
    { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "c2VhbGVk" },
    {
      type: "message",
      role: "assistant",
      id: "msg_1",
      status: "completed",
      content: [{ type: "output_text", text: said("Let me see."), annotations: [] }],
    },
  ]);
  const before = await host.fit();
  expect(sent(before)).not.toContain("rs_1");

  host.transcript.push(
    {
      type: "function_call",
      id: "fc_1",
      call_id: "call_1",
      name: "read",
      arguments: "{}",
      status: "completed",
    },
    { type: "function_call_output", call_id: "call_1", output: "text" },
  );
  const after = await host.fit();
  expect(after.report.outcome).toBe("view");
  expect(sent(after)).toContain("call_1");
  expect(sent(after)).not.toContain("fc_1");
});

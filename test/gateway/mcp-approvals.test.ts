import { afterEach, beforeEach, expect, it } from "vitest";
import { startGateway, upstreamAt } from "./gateway-process.ts";
import { type OwnUpstream, post, startUpstream } from "./own-upstream.ts";

let there: OwnUpstream;
let gateway: Awaited<ReturnType<typeof startGateway>>;
beforeEach(async () => {
  there = await startUpstream((_, __, response) => {
    const content = [{ type: "output_text", text: "Quiet.", annotations: [] }];
    const output = [{ type: "message", id: "msg_1", role: "assistant", status: "completed", content }];
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ id: "resp_1", object: "response", status: "completed", output }));
  });
  gateway = await startGateway({ ...upstreamAt(there.url), window: 8_000, summarizer: "extractive" });
});
afterEach(async () => {
  await gateway.close();
  await there.close();
});

const WORDS = "the harbour is quiet and the ships wait for the morning tide. ";
const talk = (count: number, from: number): object[] =>
  Array.from({ length: count }, (_, n) => [
    { role: "user", content: `Question ${from + n}: ${WORDS.repeat(8)}` },
    { role: "assistant", content: [{ type: "output_text", text: `Answer ${from + n}: ${WORDS.repeat(8)}` }] },
  ]).flat();

it("sends no approval without its request, and no call that was allowed without both", async () => {
  const call = { name: "look", server_label: "s", arguments: JSON.stringify({ where: WORDS.repeat(40) }) };
  const seen = new Set<string>();
  for (let behind = 0; behind < 8; behind++) {
    const input = [
      ...talk(25, behind * 100),
      { role: "user", content: "Look at it." },
      { type: "mcp_approval_request", id: "mcpr_1", ...call },
      { type: "mcp_approval_response", approval_request_id: "mcpr_1", approve: true },
      { type: "mcp_call", id: "mcp_1", ...call, output: WORDS, approval_request_id: "mcpr_1" },
      ...talk(behind, 9_000),
      { role: "user", content: "And now?" },
    ];
    const response = await post(`${gateway.url}/v1/responses`, { model: "gpt-5", input, store: false });
    expect(response.headers.get("x-precis-action"), await response.text()).toBe("compacted");
    const body = JSON.parse(there.seen.at(-1)!.body.toString()) as { input: { type?: string }[] };
    const items = body.input.filter(({ type }) => type?.startsWith("mcp_"));
    seen.add(items.map(({ type }) => type).join(" "));
    if (items.length > 0)
      expect(items).toEqual(input.filter((item) => "type" in item && /^mcp_/.test(String(item.type))));
  }
  expect([...seen].sort()).toEqual(["", "mcp_approval_request mcp_approval_response mcp_call"]);
});

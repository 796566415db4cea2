/** Ids of messages, orders and people are often numbers that JavaScript can't hold. They aren't ours to change. */
import { afterEach, expect, it } from "vitest";
import { startGateway, upstreamAt } from "./gateway-process.ts";
import { fileText } from "./long-task.ts";
import { post, startUpstream } from "./own-upstream.ts";

const WINDOW = 8_000;
const TURNS = 14;
const ID = "1234567890123456789";
const OTHER_ID = "1234567890123456788";
const MOST = "18446744073709551615";
const USER = "-12345678901234567890";

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function start(answer: string, type = "application/json") {
  const there = await startUpstream((_, __, response) => {
    response.setHeader("content-type", type);
    response.end(answer);
  });
  closing.push(there.close);
  const running = await startGateway({ ...upstreamAt(there.url), window: WINDOW, summarizer: "extractive" });
  closing.push(running.close);
  const { store } = running.gateway;
  return {
    url: running.url,
    store,
    sent: () => there.seen.at(-1)!.body.toString(),
    stored: async () => {
      const { conversations } = await store.conversations.list("default");
      const all = conversations.map(async ({ id }) => store.conversations.read("default", id));
      return (await Promise.all(all)).flat().map(({ wire }) => wire);
    },
  };
}

/** Talk that is more than the window holds. */
const talk = Array.from({ length: TURNS }, (_, turn) => [
  JSON.stringify({ role: "user", content: `Question ${turn}: ${fileText(`src/${turn}.ts`)}` }),
  JSON.stringify({ role: "assistant", content: `Answer ${turn}: ${fileText(`src/${turn}.test.ts`)}` }),
]).flat();
/** A call whose arguments are values, not text. */
const call = (id: string, number: string) => [
  `{"role":"assistant","content":[{"type":"tool_use","id":"${id}","name":"remove","input":{"snowflake":${number},"all":[${number}]}}]}`,
  `{"role":"user","content":[{"type":"tool_result","tool_use_id":"${id}","content":"Removed."}]}`,
];
const request = (messages: readonly string[], more = "") =>
  `{"model":"claude-x","max_tokens":500,"metadata":{"user_id":${USER}},"tools":[{"name":"remove","input_schema":{"type":"object","properties":{"n":{"type":"integer","maximum":${MOST}}}}}],"messages":[${messages.join(",")}]${more}}`;
const ANSWER = `{"id":"msg_1","type":"message","role":"assistant","model":"claude-x","content":[{"type":"tool_use","id":"toolu_9","name":"remove","input":{"snowflake":${OTHER_ID},"far":1e400}}],"stop_reason":"tool_use","usage":{"input_tokens":5,"output_tokens":2}}`;
const question = JSON.stringify({ role: "user", content: `Remove message ${ID}.` });

it("numbers of a view, of its answer and of what is stored are those that came", async () => {
  const { url, sent, stored } = await start(ANSWER);
  const messages = [...talk, question, ...call("t1", ID)];
  const response = await post(`${url}/v1/messages`, request(messages));
  const text = await response.text();
  expect(response.headers.get("x-precis-action")).toBe("compacted");
  expect(sent().length).toBeLessThan(request(messages).length);
  expect(sent()).toContain(`"input":{"snowflake":${ID},"all":[${ID}]}`);
  expect(sent()).toContain(`"metadata":{"user_id":${USER}}`);
  expect(sent()).toContain(`"maximum":${MOST}`);
  expect(sent()).toContain('"max_tokens":500');
  expect(text).toContain(`"input":{"snowflake":${OTHER_ID},"far":1e400}`);
  expect(await stored()).toContain(call("t1", ID)[0]);
  expect((await stored()).at(-1)).toContain(`"input":{"snowflake":${OTHER_ID},"far":1e400}`);

  // Of the next request, only what is new is parsed.
  const next = [...messages, `{"role":"assistant","content":${contentOf(ANSWER)}}`, call("toolu_9", ID)[1]!];
  const last = [...next, ...call("t2", OTHER_ID)];
  await post(`${url}/v1/messages`, request(last, `,"top_k":${MOST}`));
  expect(sent()).toContain(`"input":{"snowflake":${ID},"all":[${ID}]}`);
  expect(sent()).toContain(`"input":{"snowflake":${OTHER_ID},"far":1e400}`);
  expect(sent()).toContain(`"input":{"snowflake":${OTHER_ID},"all":[${OTHER_ID}]}`);
  expect(sent()).toContain(`"metadata":{"user_id":${USER}}`);
  expect(sent()).toContain(`"top_k":${MOST}`);
  // It is the same conversation, and all of it is there.
  expect(await stored()).toHaveLength(last.length + 1);
});

it("a client that knows no numbers but doubles goes on with the same conversation", async () => {
  const { url, stored } = await start(ANSWER);
  const messages: object[] = [{ role: "user", content: "Remove it." }];
  for (let turn = 0; turn < 3; turn++) {
    const body = { model: "claude-x", max_tokens: 500, messages };
    const { content } = (await (await post(`${url}/v1/messages`, body)).json()) as { content: object[] };
    const result = { type: "tool_result", tool_use_id: "toolu_9", content: `Removed ${turn}.` };
    messages.push({ role: "assistant", content }, { role: "user", content: [result] });
  }
  expect(await stored()).toHaveLength(messages.length - 1);
  // What was said is what the provider said.
  expect((await stored())[1]).toContain(`"snowflake":${OTHER_ID}`);
});

const EVENTS = [
  `{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"claude-x","content":[],"trace":${MOST},"usage":{"input_tokens":5,"output_tokens":1}}}`,
  '{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"toolu_9","name":"remove","input":{}}}',
  `{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\\"snowflake\\":${ID.slice(0, 9)}"}}`,
  `{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"${ID.slice(9)}}"}}`,
  '{"type":"content_block_stop","index":0}',
  '{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":2}}',
  '{"type":"message_stop"}',
];

it("numbers of a streamed answer are those that came", async () => {
  const stream = EVENTS.map((data) => `event: ${JSON.parse(data).type}\ndata: ${data}\n\n`).join("");
  const { url, stored } = await start(stream, "text/event-stream");
  const response = await post(`${url}/v1/messages`, request([...talk, question], ',"stream":true'));
  const text = await response.text();
  expect(response.headers.get("x-precis-action")).toBe("compacted");
  expect(text).toContain(`"trace":${MOST}`);
  expect((await stored()).at(-1)).toContain(`"input":{"snowflake":${ID}}`);
});

it("numbers of an answer that a request only names are those that came", async () => {
  const item = `{"type":"shell_call","call_id":"call_1","action":{"commands":["ls"],"timeout_ms":${ID}},"status":"completed"}`;
  const { url, sent } = await start(
    `{"id":"resp_1","object":"response","status":"completed","output":[${item}],"usage":{"input_tokens":5,"output_tokens":2,"total_tokens":7}}`,
  );
  const first = `{"model":"gpt-5","input":[{"role":"user","content":"List."},{"type":"reasoning","id":"rs_1","summary":[],"seq":${MOST}}]}`;
  await (await post(`${url}/v1/responses`, first)).text();
  const output = '{"type":"shell_call_output","call_id":"call_1","output":[]}';
  await post(
    `${url}/v1/responses`,
    `{"model":"gpt-5","previous_response_id":"resp_1","input":[${output}],"seed":${OTHER_ID}}`,
  );
  expect(sent()).not.toContain("previous_response_id");
  expect(sent()).toContain(`"seq":${MOST}`);
  expect(sent()).toContain(`"timeout_ms":${ID}`);
  expect(sent()).toContain(`"seed":${OTHER_ID}`);
});

it("a cap that a double can't hold is still a cap", async () => {
  const { url, sent } = await start(ANSWER);
  const body = request([...talk, question]).replace('"max_tokens":500', `"max_tokens":${MOST}`);
  expect((await post(`${url}/v1/messages`, body)).status).toBe(200);
  const { max_tokens } = JSON.parse(sent()) as { max_tokens: number };
  expect(max_tokens).toBeLessThan(WINDOW);
});

it("an export and the page's answers hold the numbers that came", async () => {
  const { url, store } = await start(ANSWER);
  await (await post(`${url}/v1/messages`, request([question, ...call("t1", ID)]))).text();
  let lines = "";
  for await (const line of store.upkeep.exportAll()) lines += `${line}\n`;
  expect(lines).toContain(`\\"snowflake\\":${ID}`);
  const { conversations } = await store.conversations.list("default");
  const shown = await fetch(`${url}/api/conversations/${conversations[0]!.id}/messages?limit=100`);
  expect(await shown.text()).toMatch(new RegExp(`snowflake\\\\*":${ID}`));
});

function contentOf(answer: string): string {
  return answer.slice(answer.indexOf('"content":') + '"content":'.length, answer.indexOf(',"stop_reason"'));
}

/** `/v1/streams`: what a host tells is honoured, or refused with the fix. Nothing is taken and ignored. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { startGateway } from "./gateway-process.ts";
import { post } from "./own-upstream.ts";

let running: Awaited<ReturnType<typeof startGateway>>;
beforeAll(async () => {
  running = await startGateway({});
});
afterAll(() => running.close());

interface Answer {
  readonly id: string;
  readonly do: readonly {
    readonly do: string;
    readonly items?: readonly { readonly id: string; readonly text?: string }[];
  }[];
  readonly wantsReply: boolean;
  readonly managed: readonly { readonly summary?: string }[];
}
const open = async (options: object) =>
  (await (await post(`${running.url}/v1/streams`, { window: 2_048, ...options })).json()) as Answer;
const tell = async (id: string, what: string, body: object = {}) =>
  (await (await post(`${running.url}/v1/streams/${id}/${what}`, body)).json()) as Answer;

it("the host's own query is what its model is asked for a summary with", async () => {
  const query = { role: "user", text: "Please summarize the progress so far." };
  const { id } = await open({ tokensPerFrame: 10, summaries: "host", query });
  await tell(id, "turns", { role: "system", text: "You watch a repair." });
  await tell(id, "frames", { count: 60 });
  const asked = await tell(id, "compact");
  expect(asked.wantsReply).toBe(true);
  expect(JSON.stringify(asked.do)).toContain(query.text);
});

it("the host's steps are what `state` shows, and can be told anew", async () => {
  const steps = { title: "Chain", steps: [{ text: "take the wheel off", status: "done" }] };
  const { id } = await open({ strategy: "state", steps });
  await tell(id, "turns", { role: "user", text: "Help me with the chain." });
  expect((await tell(id, "compact")).managed[0]?.summary).toContain("[done] take the wheel off");
  await tell(id, "steps", { steps: { steps: [{ text: "fit the chain", status: "active" }] } });
  const shown = (await tell(id, "compact")).managed[0]?.summary;
  expect(shown).toContain("[active] fit the chain");
  expect(shown).not.toContain("take the wheel off");
});

it.each<[string, object, string]>([
  ["a mistyped option", { tokenPerFrame: 10 }, "Did you mean tokensPerFrame?"],
  ["another mistyped option", { stratgy: "drop-all" }, "Did you mean strategy?"],
  ["a field of nothing known", { banana: 1 }, "The keys here are window, strategy"],
  ["a mistyped option of speech", { speak: { silense: 0.5 } }, "Did you mean silence?"],
  ["a number as a text", { tokensPerFrame: "10" }, '`tokensPerFrame`: "10" isn\'t a number. Give a number'],
  ["a text as a number", { systemPrompt: 5 }, "`systemPrompt`: 5 isn't a text. Give a text"],
  [
    "speech that isn't described",
    { speak: true },
    "`speak`: true is neither false nor options. Give false, or { silence",
  ],
  ["summaries by nobody", { summaries: "model" }, "It is one of host, code"],
  ["a query that nobody is asked", { query: { role: "user", text: "Sum up." } }, '`summaries: "host"`'],
  [
    "a query without words",
    { summaries: "host", query: "Sum up." },
    "Give an object; its keys are role, text",
  ],
  ["steps that no view shows", { steps: { steps: [{ text: "a", status: "done" }] } }, '`strategy: "state"`'],
  [
    "steps of another form",
    { strategy: "state", steps: [{ text: "a", status: "done" }] },
    "{ steps: [{ text, status }] }",
  ],
])("%s is refused when a stream is opened, with the fix", async (_, options, fix) => {
  const response = await post(`${running.url}/v1/streams`, { window: 2_048, ...options });
  expect({ status: response.status, text: await response.text() }).toEqual({
    status: 400,
    text: expect.stringContaining(JSON.stringify(fix).slice(1, -1)) as string,
  });
});

it.each<[string, string, object, string]>([
  ["sizes of pictures", "frames", { images: [{ width: 640, height: 480 }] }, "`tokensPerFrame`"],
  ["tokens of frames", "frames", { count: 2, tokens: 300 }, "`tokensPerFrame`"],
  ["a mistyped time", "frames", { cuont: 2 }, "Did you mean count?"],
  [
    "a time as a text",
    "ask",
    { text: "Is it right?", time: "12" },
    '`time`: "12" isn\'t a number. Give a number',
  ],
  ["an unknown end", "replies", { text: "Yes.", stop: "eos" }, "It is one of end, length"],
  [
    "lengths of another form",
    "frames",
    { lengths: [5] },
    '`lengths`: a list isn\'t an object. Give an object such as { "i3": 12 }',
  ],
])("%s: refused in a stream, with the fix", async (_, what, body, fix) => {
  const { id } = await open({ tokensPerFrame: 10 });
  const response = await post(`${running.url}/v1/streams/${id}/${what}`, body);
  expect({ status: response.status, text: await response.text() }).toEqual({
    status: 400,
    text: expect.stringContaining(JSON.stringify(fix).slice(1, -1)) as string,
  });
});

it("frames that take more than `tokensPerFrame` says are refused, with the fix", async () => {
  const { id } = await open({ tokensPerFrame: 10 });
  const fed = (await tell(id, "frames", { count: 4 })).do.find((one) => one.do === "feed")!.items![0]!.id;
  const ok = await post(`${running.url}/v1/streams/${id}/frames`, { count: 1, lengths: { [fed]: 40 } });
  expect(ok.status).toBe(200);
  const more = await post(`${running.url}/v1/streams/${id}/frames`, { count: 1, lengths: { [fed]: 900 } });
  expect(more.status).toBe(400);
  expect(await more.text()).toContain("`tokensPerFrame`");
});

it("a stream that isn't there says that a restart ends streams, and what to do", async () => {
  const { id } = await open({});
  const again = await startGateway({});
  try {
    const response = await post(`${again.url}/v1/streams/${id}/frames`, { count: 1 });
    expect(response.status).toBe(404);
    const text = await response.text();
    expect(text).toContain("restart");
    expect(text).toContain("Open a new one with POST /v1/streams");
  } finally {
    await again.close();
  }
});

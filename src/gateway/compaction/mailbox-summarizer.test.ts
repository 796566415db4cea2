import { expect, it } from "vitest";
import { parseConfig } from "../../config/parse-config.ts";
import { createUpstream } from "../upstream/upstream.ts";
import { wires } from "../wires/index.ts";
import { summarizerByName, summarizerFor } from "./summarizer.ts";

const config = parseConfig({
  upstreams: [{ name: "any", baseURL: "http://127.0.0.1:1" }],
  summarizer: { model: "mailbox:letters", window: "50k" },
});
const upstreams = config.upstreams.map(createUpstream);

it("the config may name a mailbox as summariser", () => {
  const model = summarizerFor({
    config: config.summarizer,
    upstreams,
    upstream: upstreams[0]!,
    wire: wires.get("/v1/chat/completions")!,
    model: "m",
    window: 8_000,
  });
  expect(model).toMatchObject({ id: "mailbox:letters", window: 50_000 });
});

it("a client can't name a folder of the server", () => {
  expect(summarizerByName(upstreams, "gpt-x")).toMatchObject({ model: "gpt-x" });
  expect(summarizerByName(upstreams, "mailbox:/etc")).toBeUndefined();
});

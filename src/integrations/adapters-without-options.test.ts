import { readFileSync } from "node:fs";
import OpenAI from "openai";
import { transformSync } from "rolldown/utils";
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { startFakeProvider } from "../testing/index.ts";
import * as aiSdk from "./ai-sdk/index.ts";
import { precisFetch, withPrecis } from "./clients/index.ts";
import * as langchain from "./langchain/index.ts";
import { precisProcessor } from "./mastra/index.ts";
import { precisInputFilter, precisSession } from "./openai-agents/index.ts";

const provider = await startFakeProvider({ window: 128_000 });
afterAll(() => provider.close());

const client = { withOptions: (options: object) => options };
/** Every adapter, made the way that the docs show first. */
const ADAPTERS: Readonly<Record<string, (options?: object) => unknown>> = {
  withPrecis: (options) => withPrecis(client, options),
  precisFetch: (options) => precisFetch(options),
  "precisMiddleware of the AI SDK": (options) => aiSdk.precisMiddleware(options),
  precisPrepareStep: (options) => aiSdk.precisPrepareStep(options),
  "precisMiddleware of LangChain": (options) => langchain.precisMiddleware(options),
  precisProcessor: (options) => precisProcessor(options),
  precisInputFilter: (options) => precisInputFilter(options),
  precisSession: (options) => precisSession({} as never, options),
};

describe.each(Object.entries(ADAPTERS))("%s", (_, make) => {
  it("needs no options: the window is looked up by the model of each request", () => {
    expect(() => make()).not.toThrow();
    expect(() => make({})).not.toThrow();
  });

  it("refuses a mistyped option by its own name", () => {
    expect(() => make({ windw: 8 })).toThrow("windw");
  });
});

describe("the example of the start page", () => {
  beforeEach(() => {
    vi.stubEnv("OPENAI_API_KEY", "key");
    vi.stubEnv("OPENAI_BASE_URL", `${provider.url}/v1`);
  });
  afterEach(() => void vi.unstubAllEnvs());

  it("runs as it is printed", async () => {
    const page = readFileSync(new URL("../../docs/start.md", import.meta.url), "utf8");
    const printed = /```ts no-run\n(import OpenAI[^`]*)```/.exec(page)![1]!;
    const { code } = transformSync("start.ts", printed);
    const body = code.replaceAll(/^import .*$/gm, "");
    const run = new Function("OpenAI", "withPrecis", `return (async () => {${body}; return messages; })();`);
    expect(await run(OpenAI, withPrecis)).toEqual([
      { role: "user", content: "Hello!" },
      expect.objectContaining({ role: "assistant", content: expect.any(String) }),
    ]);
  });
});

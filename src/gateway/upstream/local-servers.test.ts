import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { type Candidate, candidates, findLocalServers } from "./local-servers.ts";

/** A server that knows these paths. Returns its address. */
async function serve(paths: Readonly<Record<string, unknown>>): Promise<string> {
  const server = createServer((request, response) => {
    const body = paths[request.url ?? ""];
    if (body === "hang") return;
    response
      .writeHead(body === undefined ? 404 : 200)
      .end(typeof body === "string" ? body : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The candidate of a name, at another address. */
function moved(name: string, address: string): Candidate {
  const found = candidates().find((candidate) => candidate.name === name);
  return { ...found!, address };
}

const { signal } = new AbortController();

test.each<[string, Record<string, unknown>, { models: string[]; window: number | undefined }]>([
  [
    "Ollama",
    {
      "/api/version": { version: "0.12.0" },
      "/api/tags": { models: [{ name: "nomic-embed-text" }, { name: "qwen3:8b" }] },
    },
    { models: ["qwen3:8b"], window: undefined },
  ],
  [
    "LM Studio",
    { "/api/v0/models": { data: [{ id: "gemma-4", loaded_context_length: 8192 }, { id: "other" }] } },
    { models: ["gemma-4", "other"], window: 8_192 },
  ],
  [
    "llama.cpp",
    {
      "/props": { default_generation_settings: { n_ctx: 4096 } },
      "/v1/models": { data: [{ id: "model.gguf" }] },
    },
    { models: ["model.gguf"], window: 4_096 },
  ],
  [
    "vLLM",
    { "/v1/models": { data: [{ id: "Qwen/Qwen3-8B", owned_by: "vllm", max_model_len: 40_960 }] } },
    { models: ["Qwen/Qwen3-8B"], window: 40_960 },
  ],
])("finds %s, its models and its window", async (name, paths, expected) => {
  const address = await serve(paths);
  expect(await findLocalServers([moved(name, address)], signal)).toEqual([
    { name, baseURL: `${address}/v1`, ...expected },
  ]);
});

test.each(["Ollama", "LM Studio", "llama.cpp", "vLLM"])(
  "doesn't take something else for %s",
  async (name) => {
    const page = "<html>a web server of somebody</html>";
    const other = {
      "/api/version": page,
      "/api/v0/models": [],
      "/props": "nonsense",
      "/v1/models": { data: [{ id: "x" }] },
    };
    for (const address of [await serve(other), await serve({}), "http://127.0.0.1:1"])
      expect(await findLocalServers([moved(name, address)], signal)).toEqual([]);
  },
);

test("a server that never answers is given up", async () => {
  const address = await serve({ "/api/version": "hang" });
  expect(await findLocalServers([moved("Ollama", address)], signal)).toEqual([]);
});

test("asks only this machine", () => {
  for (const { address } of candidates()) expect(new URL(address).hostname).toBe("127.0.0.1");
});

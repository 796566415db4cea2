import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, expect, test } from "vitest";
import type { AgentCase, CitationCase, ProbeCase } from "../types.ts";
import { findSets } from "./find-sets.ts";

const dir = mkdtempSync(join(tmpdir(), "precis-eval-"));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

function put(path: string, text: string): void {
  mkdirSync(join(dir, path, ".."), { recursive: true });
  writeFileSync(join(dir, path), path.endsWith(".gz") ? gzipSync(text) : text);
}

const call = (n: number, file: string) => ({
  role: "assistant",
  content: "",
  tool_calls: [{ id: `c${n}`, name: "Read", arguments: JSON.stringify({ file_path: file }) }],
});
const files = ["src/alpha.ts", "src/beta.ts", "src/gamma.ts", "src/delta.ts", "src/omega.ts", "src/sigma.ts"];
const rounds = [...files, ...files, ...files].flatMap((file, n) => [
  call(n, `/app/${file}`),
  {
    role: "tool",
    tool_call_id: `c${n}`,
    content: n < 6 ? `${"text of a file ".repeat(600)}` : "same as before",
  },
]);
const session = {
  id: "one",
  agent: "some-agent",
  compactions: [],
  messages: [
    { role: "user", content: `See ${files.map((file) => `/app/${file}`).join(" ")}` },
    { role: "user", content: "added by the client", flags: { meta: true } },
    ...rounds,
  ],
};

put(
  "recorded/cases_dev.jsonl.gz",
  [
    {
      kind: "cut",
      session: "one",
      file: "dev/one.json.gz",
      start: 0,
      at: 4,
      anchors: [{ a: "/app/src/beta.ts", old: true, ctx: ["see"] }],
    },
    {
      kind: "real-compaction",
      session: "one",
      file: "dev/one.json.gz",
      start: 0,
      at: 2,
      summaryAt: 0,
      anchors: [],
    },
  ]
    .map((record) => JSON.stringify(record))
    .join("\n"),
);
put("recorded/dev/one.json.gz", JSON.stringify(session));
put("plain/one.json", JSON.stringify(session));
put(
  "questions/small.jsonl",
  JSON.stringify({
    id: "q1",
    dataset: "small",
    messages: [{ role: "user", content: "My name is Ada" }],
    probes: [{ q: "Name?", a: "Ada", type: "information_extraction", evidence: [0] }],
  }),
);
put(
  "cited/chains.json",
  JSON.stringify([
    {
      id: "r1",
      messages: [{ role: "user", content: "?" }],
      documents: { 1: "doc-a" },
      citations: [{ n: 1 }, { n: 1 }],
    },
  ]),
);
const blocks = (role: string, content: unknown, n: number) => ({
  type: role,
  uuid: `u${n}`,
  parentUuid: n === 0 ? null : `u${n - 1}`,
  sessionId: "s",
  timestamp: new Date(n * 1_000).toISOString(),
  message: { role, content },
});
put(
  "logs/agent.jsonl",
  session.messages
    .filter((message) => !("flags" in message))
    .map((message, n) => {
      if ("tool_call_id" in message)
        return blocks(
          "user",
          [{ type: "tool_result", tool_use_id: message.tool_call_id, content: message.content }],
          n,
        );
      if (!("tool_calls" in message)) return blocks(message.role, message.content, n);
      const calls = message.tool_calls.map((one) => ({
        type: "tool_use",
        id: one.id,
        name: one.name,
        input: JSON.parse(one.arguments) as unknown,
      }));
      return blocks("assistant", calls, n);
    })
    .map((record) => JSON.stringify(record))
    .join("\n"),
);
put("other/notes.json", JSON.stringify({ anything: true }));

const sets = findSets(dir);
const byId = (id: string) => sets.find((set) => set.id === id)!;

test("sets are found by what the files hold", () => {
  expect(sets.map((set) => [set.id, set.type, set.budgets])).toEqual([
    ["cited/chains", "citations", "shares"],
    ["logs/logs", "agent", "shares"],
    ["plain/cuts", "agent", "shares"],
    ["questions/small", "probes", "shares"],
    ["recorded/cuts", "agent", "shares"],
    ["recorded/compactions", "agent", "recorded"],
  ]);
});

test("recorded cases come with their session", () => {
  const [cut] = [...byId("recorded/cuts").cases(1)] as AgentCase[];
  expect(cut).toMatchObject({
    from: 0,
    to: 4,
    people: [0],
    anchors: [{ text: "/app/src/beta.ts", neighbours: ["see"] }],
  });
  const [compaction] = [...byId("recorded/compactions").cases(1)] as AgentCase[];
  expect(compaction?.recorded).toContain("/app/src/alpha.ts");
});

test("a session without recorded cases is cut at an assistant message, with what the next calls need", () => {
  const cuts = [...byId("plain/cuts").cases(1)] as AgentCase[];
  expect(cuts.length).toBeGreaterThan(0);
  for (const cut of cuts) {
    expect(cut.messages[cut.to]?.role).toBe("assistant");
    expect(cut.anchors.map((anchor) => anchor.text)).toContain("/app/src/alpha.ts");
  }
});

test("an agent's own log is read in its own format", () => {
  const [cut] = [...byId("logs/logs").cases(1)] as AgentCase[];
  expect(cut?.messages.slice(0, 3).map((message) => message.role)).toEqual(["user", "assistant", "tool"]);
  expect(cut?.people).toEqual([0]);
  expect(cut?.anchors.length).toBeGreaterThanOrEqual(3);
});

test("questions and citations", () => {
  const [probe] = [...byId("questions/small").cases(1)] as ProbeCase[];
  expect(probe?.probes[0]).toEqual({
    question: "Name?",
    answer: "Ada",
    kind: "information_extraction",
    evidence: [0],
  });
  const [chain] = [...byId("cited/chains").cases(1)] as CitationCase[];
  expect(chain?.cited).toEqual([1]);
  expect(chain?.documents.get(1)).toBe("doc-a");
});

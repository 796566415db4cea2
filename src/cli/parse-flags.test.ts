import { expect, test } from "vitest";
import { type CommandLine, oneFile, oneOf, parseFlags } from "./parse-flags.ts";

const command: CommandLine = {
  name: "cook",
  summary: "Cooks.",
  usage: "precis cook FILE",
  flags: { budget: { value: "N", help: "how much" }, json: { help: "as JSON" } },
  notes: [],
  examples: [],
};
const parse = (...args: string[]) => parseFlags(command, args);

test("flags, switches and files, in any order", () => {
  const flags = parse("--json", "a.json", "--budget=8k");
  expect([flags.files, flags.value("budget"), flags.has("json"), flags.has("help")]).toEqual([
    ["a.json"],
    "8k",
    true,
    false,
  ]);
  expect(parse("-", "--budget", "8k").files).toEqual(["-"]);
  expect(parse("--", "--budget").files).toEqual(["--budget"]);
  expect(parse("-h").has("help")).toBe(true);
});

test.each([
  [["--budgt", "8k"], /no flag --budgt\. Did you mean --budget\?/],
  [["--zebra"], /no flag --zebra\.$/],
  [["--budget"], /--budget needs a value: --budget N/],
  [["--budget", "--json"], /--budget needs a value/],
  [["--budget="], /--budget needs a value/],
  [["--json=yes"], /--json takes no value/],
  [["--budget", "1k", "--budget", "2k"], /given twice/],
  [["-x"], /no flag -x/],
  [["--constructor"], /no flag --constructor/],
])("%j is refused", (args, message) => {
  expect(() => parse(...args)).toThrow(message);
});

test("a negative number is a value: what is wrong with it is said by who reads it", () => {
  for (const given of ["-5", "-.5"]) expect(parse("--budget", given).value("budget")).toBe(given);
});

test("exactly one file", () => {
  expect(() => oneFile(command, parse())).toThrow(/needs a FILE/);
  expect(() => oneFile(command, parse("a", "b"))).toThrow(/2 were given: a, b/);
});

test("names out of a list", () => {
  expect(oneOf("profile", undefined, ["agent", "rag"])).toBeUndefined();
  expect(oneOf("profile", "rag", ["agent", "rag"])).toBe("rag");
  expect(() => oneOf("profile", "agnet", ["agent", "rag"])).toThrow(
    /did you mean agent\? It is one of agent, rag/,
  );
});

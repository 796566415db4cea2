import { expect, test } from "vitest";
import { on, text } from "./flags.ts";
import { checkArguments, parseCommand, parseFlags } from "./parse-command.ts";

const FLAGS = { budget: text("N", "how much"), json: on("as JSON"), atOnce: on("all of it") };
const parse = (...args: string[]) => parseFlags("cook", FLAGS, args);

test("flags, switches and files, in any order", () => {
  expect(parse("--json", "a.json", "--budget=8k")).toEqual({
    args: ["a.json"],
    options: { budget: "8k", json: true },
  });
  expect(parse("--at-once").options).toEqual({ atOnce: true });
  expect(parse("-", "--budget", "8k").args).toEqual(["-"]);
  expect(parse("--", "--budget").args).toEqual(["--budget"]);
  expect(parse("-h").options).toEqual({ help: true });
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
  for (const given of ["-5", "-.5"]) expect(parse("--budget", given).options).toEqual({ budget: given });
});

test.each([
  ["FILE --budget N", [], /needs a FILE \(or - for stdin\)/],
  ["FILE", ["a", "b"], /takes one FILE, but 2 were given: a, b/],
  ["", ["a"], /takes no FILE, but a was given/],
  ["QUERY [SESSION|FILE]", ["a", "b", "c"], /takes one QUERY and one SESSION\|FILE, but 3/],
])("what stands behind a command: %j with %j is refused", (args, given, message) => {
  expect(() => checkArguments("cook", { args }, given)).toThrow(message);
});

test.each([
  ["FILE", ["a"]],
  ["[SESSION]", []],
  ["FILE…", ["a", "b", "c"]],
  ["CLIENT -- ARGS…", ["a"]],
])("what stands behind a command: %j with %j is right", (args, given) => {
  expect(() => checkArguments("cook", { args }, given)).not.toThrow();
});

test("commands of two words", () => {
  expect(parseCommand(["db", "sweep", "--older-than", "1d"])).toEqual({
    is: "run",
    name: "db sweep",
    args: [],
    options: { olderThan: 86_400_000 },
  });
  expect(parseCommand(["db", "--json"])).toMatchObject({ name: "db status", options: { json: true } });
  expect(parseCommand(["eval", "--help"])).toEqual({ is: "help", about: "eval" });
  expect(() => parseCommand(["eval"])).toThrow(/eval needs one of retention, cost/);
  expect(() => parseCommand(["eval", "retention", "--head", "1k"])).toThrow(
    /--head doesn't go with precis eval retention/,
  );
});

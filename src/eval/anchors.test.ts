import { expect, test } from "vitest";
import { anchorsOf } from "./data/cut-cases.ts";

const list = (text: string) => [...anchorsOf(text)].sort();

test("paths are taken whole, not also by their tails", () => {
  expect(list("open /srv/app/lib/main.go now")).toEqual(["/srv/app/lib/main.go"]);
});

test("a bare file name needs a known extension", () => {
  expect(list("see setup.go and thing.qqq")).toEqual(["setup.go"]);
});

test("URLs lose the punctuation after them", () => {
  expect(list("(https://example.org/docs/page.) x")).toEqual(["https://example.org/docs/page"]);
});

test("compound identifiers of seven characters or more", () => {
  expect(list("loadConfig load_it HTTPServer Repository aB_c")).toEqual([
    "HTTPServer",
    "loadConfig",
    "load_it",
  ]);
});

test("hashes hold a digit and a letter", () => {
  expect(list("5f97e07 1234567 abcdefa")).toEqual(["5f97e07"]);
});

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { PROOF } from "./proof.ts";

const FOLDER = new URL("../../bench/results/", import.meta.url);

/** Writes a suite's numbers into `bench/results/validity.json`, and only there where everything was tried. */
export function recordValidity(suite: string, numbers: Readonly<Record<string, unknown>>): void {
  record("validity.json", suite, numbers);
}

/** Writes how a client's run went into `bench/results/clients.json`, and only there where nothing was sampled. */
export function recordClient(name: string, numbers: Readonly<Record<string, unknown>>): void {
  record("clients.json", name, numbers);
}

function record(name: string, key: string, numbers: Readonly<Record<string, unknown>>): void {
  if (PROOF !== "all") return;
  mkdirSync(FOLDER, { recursive: true });
  const file = new URL(name, FOLDER);
  let known: Record<string, unknown> = {};
  try {
    known = JSON.parse(readFileSync(file, "utf8")) as Record<string, unknown>;
  } catch {
    // The first one to finish.
  }
  const sorted = Object.entries({ ...known, [key]: numbers }).sort(([a], [b]) => (a < b ? -1 : 1));
  writeFileSync(file, `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`);
}

import { existsSync, readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { createSchemas, type Schemas } from "./json-schema.ts";

/** The providers' own documents. They lie beside the repository and are never part of it. */
const FOLDER = new URL("../../../shared/data/openapi/", import.meta.url);
const FILES = { openai: "openai.json.gz", anthropic: "anthropic.yaml.gz" };

/** Whether there is anything to judge by. */
export const hasSchemas = Object.values(FILES).every((file) => existsSync(new URL(file, FOLDER)));

const read = new Map<string, Schemas>();

/** Both documents are JSON, which is YAML as well. Each is read once. */
export function officialSchemas(provider: keyof typeof FILES): Schemas {
  const known = read.get(provider);
  if (known !== undefined) return known;
  const text = gunzipSync(readFileSync(new URL(FILES[provider], FOLDER))).toString("utf8");
  const schemas = createSchemas(JSON.parse(text));
  read.set(provider, schemas);
  return schemas;
}

import { spawn } from "node:child_process";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { root } from "../../../scripts/lib/project.ts";

const fromSource = join(root, "examples/sdk/test/from-source.mjs");

/** Runs an example as a reader would, with the provider that its SDK finds in the environment. */
export async function runExample(folder: string, file: string, url: string): Promise<string> {
  const child = spawn(process.execPath, ["--import", fromSource, file], {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...process.env,
      OPENAI_BASE_URL: `${url}/v1`,
      OPENAI_API_KEY: "sk-test",
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: "sk-test",
    },
  });
  const [out, errors, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((resolve) => child.once("exit", resolve)),
  ]);
  if (code !== 0) throw new Error(`${file} ended with ${code}:\n${errors}`);
  return out;
}

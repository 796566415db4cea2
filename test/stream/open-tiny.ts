import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type OpenedLlamaCpp,
  type OpenLlamaCppOptions,
  openLlamaCpp,
} from "../../src/stream/open-llama-cpp.ts";
import { type TinyModel, writeTinyGguf } from "./tiny-gguf.ts";

/** Its types come with the package, which isn't installed where the rest is compiled. */
const PEER = "node-llama-cpp";

/** A cache of the real llama.cpp on a model that was written a moment ago. */
export async function openTiny(
  model: TinyModel,
  options: Partial<OpenLlamaCppOptions> & { readonly window: number },
): Promise<OpenedLlamaCpp> {
  const folder = mkdtempSync(join(tmpdir(), "precis-tiny-"));
  const file = join(folder, "tiny.gguf");
  writeTinyGguf(file, model);
  const opened = await openLlamaCpp({
    model: file,
    threads: 1,
    frame: "<|frame|>",
    separator: "<|sep|>",
    load: () => import(PEER),
    ...options,
  });
  return {
    ...opened,
    async close() {
      await opened.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type OpenedLlamaCpp,
  type OpenLlamaCppOptions,
  openLlamaCpp,
} from "../../src/stream/caches/llama-cpp.ts";
import { type TinyModel, writeTinyGguf } from "./tiny-gguf.ts";

/** Its types come with the package, which isn't installed where the rest is compiled. */
const PEER = "node-llama-cpp";

interface Llama {
  loadModel(options: unknown): Promise<unknown>;
}
interface Peer {
  getLlama(options: unknown): Promise<Llama>;
}

/** The package as it is: a cache that is opened with it has a llama.cpp of its own, which is closed with it. */
export const loadPeer = async (): Promise<Peer> => (await import(PEER)) as Peer;

let llama: Promise<Llama> | undefined;

/** The package, with one llama.cpp for all caches: before it makes one, it tries its binary in a process of its own. */
async function loadShared(): Promise<unknown> {
  const peer = await loadPeer();
  return {
    async getLlama(options: unknown) {
      llama ??= peer.getLlama(options);
      const shared = await llama;
      return { loadModel: (model: unknown) => shared.loadModel(model), dispose: async () => {} };
    },
  };
}

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
    load: loadShared,
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

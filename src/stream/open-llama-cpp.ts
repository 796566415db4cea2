import { availableParallelism } from "node:os";
import { ConfigError } from "../core/errors.ts";
import {
  type LlamaCppCache,
  type LlamaCppOptions,
  type LlamaSequence,
  llamaCpp,
} from "./caches/llama-cpp.ts";

/** What `openLlamaCpp` takes, beside how frames and turns look. */
export interface OpenLlamaCppOptions extends Omit<LlamaCppOptions, "sequence"> {
  /** A GGUF file. */
  readonly model: string;
  /** Context size in tokens. */
  readonly window: number;
  /** Threads of one evaluation. Default: half of the machine's, at least 1; more than there are cores is far slower. */
  readonly threads?: number;
  /** How the package is loaded, for hosts that bundle. Default `import("node-llama-cpp")`. */
  readonly load?: () => Promise<unknown>;
  /** Use a graphics card where there is one. Default false. */
  readonly gpu?: boolean;
}

/** An open model. Close it to give its memory back. */
export interface OpenedLlamaCpp {
  readonly cache: LlamaCppCache;
  /** The sequence behind the cache; only to look at. */
  readonly sequence: LlamaSequence;
  close(): Promise<void>;
}

interface Disposable {
  dispose(): Promise<void>;
}

interface LlamaModule {
  getLlama(options: Readonly<Record<string, unknown>>): Promise<
    Disposable & {
      loadModel(options: { modelPath: string }): Promise<
        Disposable & {
          createContext(options: {
            contextSize: number;
            threads: number;
          }): Promise<Disposable & { getSequence(): LlamaSequence }>;
        }
      >;
    }
  >;
}

/** By name in a variable, so that neither the compiler nor a bundler looks for the optional peer. */
const PEER = "node-llama-cpp";
/** The beginning-of-sequence token that some models need, which the window doesn't count. */
const BEGINNING = 1;

/** Opens a GGUF model on node-llama-cpp. It is never compiled here: without a prebuilt binary this fails. */
export async function openLlamaCpp(options: OpenLlamaCppOptions): Promise<OpenedLlamaCpp> {
  const { model: modelPath, window, threads, gpu = false, load = () => import(PEER), ...looks } = options;
  const { getLlama } = await loadPeer(load);
  const llama = await getLlama({
    gpu: gpu ? "auto" : false,
    build: "never",
    skipDownload: true,
    progressLogs: false,
    logLevel: "error",
  });
  const model = await llama.loadModel({ modelPath });
  const context = await model.createContext({
    contextSize: window + BEGINNING,
    threads: threads ?? Math.max(1, Math.floor(availableParallelism() / 2)),
  });
  const sequence = context.getSequence();
  return {
    cache: llamaCpp({ ...looks, sequence }),
    sequence,
    async close() {
      await context.dispose();
      await model.dispose();
      await llama.dispose();
    },
  };
}

async function loadPeer(load: () => Promise<unknown>): Promise<LlamaModule> {
  try {
    return (await load()) as LlamaModule;
  } catch (error) {
    throw new ConfigError({
      option: "model",
      message: "a GGUF model needs the package node-llama-cpp.",
      fix: "Install it: NODE_LLAMA_CPP_SKIP_DOWNLOAD=true npm i node-llama-cpp",
      cause: error,
    });
  }
}

import type { FoundServer } from "../api/status.ts";

/** A model server on this machine. */
export interface LocalServer extends FoundServer {
  /** Context size that it runs with, where it tells. */
  readonly window: number | undefined;
}

/** Where a server usually is, and how it is told from others. */
export interface Candidate {
  readonly name: string;
  /** `http://127.0.0.1:PORT`. */
  readonly address: string;
  readonly probe: (ask: Ask) => Promise<Omit<LocalServer, "name" | "baseURL"> | undefined>;
}

/** The JSON at a path, or undefined. */
type Ask = (path: string) => Promise<Record<string, unknown> | undefined>;

/** Loopback answers at once or not at all. */
const TIMEOUT_MS = 800;
/** Largest answer that is read: a list of models is far smaller. */
const MAX_ANSWER_BYTES = 2_000_000;
/** Models that can't write. */
const NO_WRITER = /embed|rerank|whisper|tts|bge-/i;

/** The usual ports on this machine. `ollama` is where Ollama was moved to. */
export function candidates(ollama = "http://127.0.0.1:11434"): readonly Candidate[] {
  return [
    { name: "Ollama", address: ollama, probe: probeOllama },
    { name: "LM Studio", address: "http://127.0.0.1:1234", probe: probeLmStudio },
    { name: "llama.cpp", address: "http://127.0.0.1:8080", probe: probeLlamaCpp },
    { name: "vLLM", address: "http://127.0.0.1:8000", probe: probeVllm },
  ];
}

/** Asks all of them at once. Whatever doesn't answer as expected isn't there. */
export async function findLocalServers(
  list: readonly Candidate[],
  signal: AbortSignal,
): Promise<LocalServer[]> {
  const found = await Promise.all(
    list.map(async ({ name, address, probe }) => {
      const answer = await probe((path) => ask(`${address}${path}`, signal)).catch(() => undefined);
      if (answer === undefined) return [];
      const models = answer.models.filter((model) => !NO_WRITER.test(model));
      return [{ name, baseURL: `${address}/v1`, models, window: answer.window }];
    }),
  );
  return found.flat();
}

async function ask(url: string, signal: AbortSignal): Promise<Record<string, unknown> | undefined> {
  try {
    const response = await fetch(url, {
      redirect: "error",
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    if (!response.ok || Number(response.headers.get("content-length") ?? 0) > MAX_ANSWER_BYTES)
      return undefined;
    const json: unknown = await response.json();
    return typeof json === "object" && json !== null ? (json as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

const probeOllama: Candidate["probe"] = async (get) => {
  const version = await get("/api/version");
  if (typeof version?.["version"] !== "string") return undefined;
  const tags = await get("/api/tags");
  return { models: names(tags?.["models"], "name"), window: undefined };
};

const probeLmStudio: Candidate["probe"] = async (get) => {
  const own = await get("/api/v0/models");
  if (!Array.isArray(own?.["data"])) return undefined;
  return { models: names(own["data"], "id"), window: largest(own["data"], "loaded_context_length") };
};

const probeLlamaCpp: Candidate["probe"] = async (get) => {
  const props = await get("/props");
  const settings = props?.["default_generation_settings"];
  if (typeof settings !== "object" || settings === null) return undefined;
  const { n_ctx: window } = settings as Record<string, unknown>;
  const models = await get("/v1/models");
  return { models: names(models?.["data"], "id"), window: typeof window === "number" ? window : undefined };
};

const probeVllm: Candidate["probe"] = async (get) => {
  const models = await get("/v1/models");
  const data = models?.["data"];
  const isVllm =
    Array.isArray(data) && data.some((model) => (model as Record<string, unknown>)?.["owned_by"] === "vllm");
  return isVllm ? { models: names(data, "id"), window: largest(data, "max_model_len") } : undefined;
};

function names(value: unknown, field: string): string[] {
  if (!Array.isArray(value)) return [];
  return value
    .map((item: unknown) => (item as Record<string, unknown> | null)?.[field])
    .filter((name) => typeof name === "string");
}

function largest(value: unknown, field: string): number | undefined {
  const numbers = Array.isArray(value)
    ? value
        .map((item: unknown) => (item as Record<string, unknown> | null)?.[field])
        .filter((number) => typeof number === "number")
    : [];
  return numbers.length === 0 ? undefined : Math.max(...numbers);
}

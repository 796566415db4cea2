import type { IncomingHttpHeaders } from "node:http";
import { keepNewest } from "../../core/keep-newest.ts";
import { parseJson } from "../../core/parse-json.ts";
import { settledInTime } from "../../engine/settled-in-time.ts";
import { windowBehind } from "../../models/shared/served-window.ts";
import { targetPath } from "../upstream/address.ts";
import { send } from "../upstream/send.ts";
import type { Upstream } from "../upstream/upstream.ts";
import { KEY_HEADERS, upstreamHeaders } from "../upstream/upstream-headers.ts";
import type { Windows } from "./windows.ts";

/** So long a request waits for its upstream to tell its window (milliseconds). */
const WAIT_MS = 1_000;
/** An answer that comes within this time still counts for the requests after it (milliseconds). */
const ASK_MS = 5_000;
/** An upstream that told nothing may have been starting. It is asked again after this time, and no request waits (milliseconds). */
const AGAIN_MS = 5 * 60_000;
/** Models of which it is remembered that nothing was told. */
const MAX_SILENT = 1_000;
/** A longer answer isn't read (bytes). */
const MAX_ANSWER = 8 * 1024 * 1024;

/** Whom to ask, and what the client sent along for this upstream. */
interface AskingWindow {
  readonly upstream: Upstream;
  readonly model: string;
  readonly tenant: string;
  readonly headers: IncomingHttpHeaders;
  /** The key that the client showed was for us. */
  readonly keyIsOurs: boolean;
}

/** Undefined where there is nothing to wait for. What it resolves with never says whether something was told. */
export type AskWindow = (asking: AskingWindow) => Promise<void> | undefined;

/** What became of a question. */
interface Asked {
  readonly at: number;
  /** Settles when the answer is there, or isn't waited for any longer. */
  readonly settled: Promise<void>;
}

/**
 * Asks an upstream for the window of a model that neither config nor registry knows, as llama.cpp, vLLM, LM Studio and Ollama tell it.
 * Each model is asked for once; that nothing was told is remembered, too.
 */
export function createAskWindow(parts: {
  readonly windows: Pick<Windows, "of" | "tell" | "version">;
  now(): number;
}): AskWindow {
  const { windows, now } = parts;
  const asked = new Map<string, Asked>();
  /** What was looked at last: most requests are for the same model. */
  let last: (Pick<AskingWindow, "upstream" | "model" | "tenant"> & { readonly version: number }) | undefined;

  return (asking) => {
    const { upstream, model, tenant } = asking;
    if (upstream.isKnownProvider || model === "") return undefined;
    const { version } = windows;
    if (
      last?.model === model &&
      last.upstream === upstream &&
      last.tenant === tenant &&
      last.version === version
    )
      return undefined;
    if (windows.of(upstream, model, tenant).from !== "guess") {
      last = { upstream, model, tenant, version };
      return undefined;
    }
    const key = JSON.stringify([upstream.name, upstream.config.baseURL, model, tenant]);
    const before = asked.get(key);
    if (before && now() - before.at < AGAIN_MS) return before.settled;
    const answer = windowAt(asking).then((window) => {
      if (window !== undefined) windows.tell(upstream, model, tenant, window);
    });
    const settled = settledInTime(answer, WAIT_MS).then(() => {});
    keepNewest(asked, key, { at: now(), settled }, MAX_SILENT);
    return before ? undefined : settled;
  };
}

/** What the upstream tells; undefined where it doesn't. Never throws. */
async function windowAt({ upstream, model, headers, keyIsOurs }: AskingWindow): Promise<number | undefined> {
  const signal = AbortSignal.timeout(ASK_MS);
  const keys = Object.fromEntries(KEY_HEADERS.map((name) => [name, headers[name]]));
  const path = "/v1/models";
  const [target, query] = targetPath(upstream, path).split("?", 2);
  const ask = async (address: string, question?: object): Promise<unknown> => {
    try {
      const body = question && Buffer.from(JSON.stringify(question));
      const sent = upstreamHeaders(upstream, keys, path, body?.length ?? 0, keyIsOurs);
      if (!body) delete sent["content-length"];
      const answer = await send({
        upstream,
        method: body ? "POST" : "GET",
        path: query === undefined ? address : `${address}?${query}`,
        headers: sent,
        body,
        signal,
      });
      const { bytes, isWhole } = await answer.whole(MAX_ANSWER);
      if (!isWhole) answer.drop();
      return isWhole && answer.statusCode === 200 ? parseJson(bytes.toString("utf8")) : undefined;
    } catch {
      return undefined;
    }
  };
  return windowBehind(target!.slice(0, -"/models".length), model, ask);
}

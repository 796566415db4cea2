import { refusesTemperature } from "../../apis/shared/model-traits.ts";
import type { WireApi, WireRequest, WireSettings } from "../../apis/shared/wire-api.ts";
import { stringifyDeep } from "../../core/deep-json.ts";
import { ConfigError, ModelError } from "../../core/errors.ts";
import { isRecord } from "../../core/is-record.ts";
import type { Model, ModelReply, ModelRequest } from "../../core/types.ts";
import { modelInfo } from "../../tokens/model-info.ts";
import { adaptBody } from "./adapt-body.ts";
import { createEndpoint, type EndpointOptions } from "./endpoint.ts";
import { failureInside } from "./failure.ts";
import { type Answer, badAnswer, type Endpoint, type Fetch, post } from "./http.ts";
import { createRetry, type RetryOptions } from "./retry.ts";
import { servedWindow } from "./served-window.ts";

/** What every model over HTTP takes. */
export interface HttpModelOptions {
  /** Needed everywhere but on this machine and in its own network. */
  readonly apiKey?: string | undefined;
  readonly model: string;
  /** Sent with every request. One that carries a key replaces `apiKey`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Instead of the one that the request asks for. Left out where the model refuses it. */
  readonly temperature?: number;
  readonly fetch?: Fetch;
  readonly retry?: RetryOptions;
  /** The model's context size. Left out: the registry's, or else what the server tells in its list of models. */
  readonly window?: number;
}

/** How an API is reached. */
interface HttpApi extends Pick<EndpointOptions, "name" | "baseURL" | "path" | "keyHeaders"> {
  readonly api: WireApi;
  /** How the path ends behind which the list of models stands. Default: all of it. */
  readonly pathEnd?: string;
}

/** A `Model` that speaks one API over HTTP. Its key lives in a closure: printing the model doesn't show it. */
export function createHttpModel(options: HttpModelOptions, { api, pathEnd, ...reached }: HttpApi): Model {
  const { model, window, temperature, retry, apiKey, headers, fetch } = options;
  const endpoint = createEndpoint({ ...reached, model, apiKey, headers, fetch });
  checkWindow(window);
  const info = modelInfo(model);
  const run = createRetry(retry);
  /** What this provider didn't take, learned once and left out from then on. */
  const refused = new Set<string>();

  const settingsOf = (request: ModelRequest): WireSettings => {
    const wanted = temperature ?? request.temperature;
    const isLeftOut = refusesTemperature(model) || refused.has("temperature");
    return { model, window: window ?? info.window, temperature: isLeftOut ? undefined : wanted };
  };

  return {
    id: model,
    ...(window === undefined ? {} : { window }),
    continues: api.dialect,
    findWindow: (signal) => servedWindow(endpoint, pathEnd ?? reached.path, signal),
    async complete(request) {
      const given = request.continues;
      const wire = write(api, endpoint, request, settingsOf(request));
      // What came with the conversation's own request is never changed.
      const own = new Set(isRecord(given) ? Object.keys(given) : []);
      const to = { ...endpoint, headers: joined(endpoint.headers, wire.headers ?? {}) };
      const done = new Set<string>();
      let { body } = wire;
      return run(model, request.signal, async ({ signal }) => {
        for (;;) {
          try {
            return readAnswer(api, endpoint, await post(to, stringifyDeep(body), signal));
          } catch (error) {
            const next =
              error instanceof ModelError
                ? adaptBody(body, error, { done, own, cap: request.cap })
                : undefined;
            if (next === undefined) throw error;
            if (done.has("temperature")) refused.add("temperature");
            body = next;
          }
        }
      });
    },
  };
}

/** A header that both have is a list: `anthropic-beta` keeps the model's own switches. */
function joined(
  own: Readonly<Record<string, string>>,
  more: Readonly<Record<string, string>>,
): Record<string, string> {
  const all = { ...own };
  for (const [name, value] of Object.entries(more)) {
    const before = all[name];
    const parts = [...(before === undefined ? [] : before.split(",")), ...value.split(",")].map((part) =>
      part.trim(),
    );
    all[name] = [...new Set(parts)].join(",");
  }
  return all;
}

function write(api: WireApi, endpoint: Endpoint, request: ModelRequest, settings: WireSettings): WireRequest {
  if (request.continues === undefined) return api.build(request, settings);
  const wire = isRecord(request.continues) ? api.extend(request.continues, request, settings) : undefined;
  if (wire !== undefined) return wire;
  throw new ModelError({
    model: endpoint.model,
    failure: "bad-request",
    message: `\`continues\` is not a request of ${api.dialect}.`,
    fix: "Give the conversation's last request body, or leave `continues` out.",
  });
}

function readAnswer(api: WireApi, { model, secrets }: Endpoint, answer: Answer): ModelReply {
  const json = answer.type === "json" ? answer.json : api.assemble(answer.events);
  const inside = failureInside(json, { model, secrets, now: Date.now() });
  if (inside !== undefined) throw inside;
  const reply = api.read(json);
  if (reply === undefined) throw badAnswer(model, "it has no message");
  return reply;
}

function checkWindow(window: number | undefined): void {
  if (window === undefined || (Number.isInteger(window) && window > 0)) return;
  throw new ConfigError({
    option: "window",
    message: `${String(window)} is not a number of tokens.`,
    fix: "Leave it out to look it up by the model's name.",
  });
}

import {
  type AnswerOf,
  type ChatEvent,
  type LiveEvent,
  type Route,
  routes,
  urlOf,
} from "../../src/gateway/api.ts";

interface Call {
  readonly params?: object;
  readonly query?: object;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** precis's own API as a program uses it. */
export function apiOf(url: () => string) {
  const raw = (route: Route, { params, query, body, headers, signal }: Call = {}): Promise<Response> =>
    fetch(url() + urlOf(route, params, query), {
      method: route.method,
      ...(signal && { signal }),
      headers: { ...(body && { "content-type": "application/json" }), ...headers },
      ...(body && { body: JSON.stringify(body) }),
    });
  return {
    raw,
    async call<R extends Route>(route: R, options: Call = {}): Promise<AnswerOf<R>> {
      const response = await raw(route, options);
      const answer: unknown = await response.json();
      if (!response.ok)
        throw new Error(`${route.method} ${route.path}: ${response.status} ${JSON.stringify(answer)}`);
      return answer as AnswerOf<R>;
    },
    async events<E = ChatEvent>(route: Route, options: Call = {}): Promise<E[]> {
      const text = await (await raw(route, options)).text();
      return dataOf<E>(text);
    },
    /** Everything that pages are told from now on. */
    async listen(): Promise<{ readonly seen: LiveEvent[]; stop(): void }> {
      const controller = new AbortController();
      const response = await raw(routes.events, { signal: controller.signal });
      const seen: LiveEvent[] = [];
      void (async () => {
        let rest = "";
        for await (const piece of response.body!.pipeThrough(new TextDecoderStream())) {
          const whole = (rest + piece).split("\n\n");
          rest = whole.pop() ?? "";
          for (const one of whole) seen.push(...dataOf<LiveEvent>(one));
        }
      })().catch(() => {});
      return { seen, stop: () => controller.abort() };
    },
  };
}

function dataOf<E>(text: string): E[] {
  return text
    .split("\n")
    .filter((line) => line.startsWith("data:"))
    .map((line) => JSON.parse(line.slice("data:".length)) as E);
}

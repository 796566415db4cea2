import type { FoundEnvironment } from "../../config/environment.ts";
import type { LocalServer } from "../../gateway/upstream/local-servers.ts";

/** What a part of precis would use on this machine, and how to change it. */
export interface Use {
  readonly part: string;
  readonly uses: string;
  readonly change: string | undefined;
}

/** A model that could write summaries, as it stands in code. */
export interface Offer {
  readonly name: string;
  readonly code: string;
}

/** Models that could be used right now: servers on this machine first, because they cost nothing. */
export function offersOf(env: FoundEnvironment, servers: readonly LocalServer[]): Offer[] {
  return [
    ...servers.flatMap((server): Offer[] => {
      const [model] = server.models;
      if (model === undefined) return [];
      const window = server.window === undefined ? "" : `, window: ${server.window}`;
      const code = `openaiCompatible({ baseURL: "${server.baseURL}", model: ${JSON.stringify(model)}${window} })`;
      return [{ name: server.name, code }];
    }),
    ...env.providers
      .filter((provider) => provider.problem === undefined)
      .map(({ name, factory, variable, baseURL, model }): Offer => {
        const isDefault = factory === "anthropic" || baseURL === "https://api.openai.com/v1";
        const address = isDefault ? "" : `baseURL: "${baseURL}", `;
        return {
          name,
          code: `${factory}({ ${address}apiKey: process.env.${variable}, model: "${model ?? "…"}" })`,
        };
      }),
  ];
}

/** Says for each part of precis which model it would use on this machine, in plain words. */
export function usesOf(
  env: FoundEnvironment,
  servers: readonly LocalServer[],
  offers: readonly Offer[],
): Use[] {
  const serverKeys = env.providers.filter(({ name }) => name === "OpenAI" || name === "Anthropic");
  const names = serverKeys.map(({ name }) => name).join(" and ");
  const [server] = servers;
  const isSet = env.settings.includes("PRECIS_UPSTREAM");
  return [
    {
      part: "precis compact, precis replay",
      uses: "no model: summaries are the user's own words and exact lines of the conversation",
      change: undefined,
    },
    {
      part: "precis serve",
      uses: isSet
        ? "the address in PRECIS_UPSTREAM; summaries are written by the conversation's own model"
        : names !== ""
          ? `${names}; summaries are written by the conversation's own model`
          : "nothing yet: it has nobody to pass requests on to",
      change:
        server !== undefined && !isSet
          ? `For ${server.name}: precis serve --upstream ${server.baseURL}`
          : names === "" && !isSet
            ? "Set OPENAI_API_KEY or ANTHROPIC_API_KEY, or give an address with --upstream."
            : "Give another address with --upstream.",
    },
    {
      part: "createCompactor in your code",
      uses: "no model, until you hand it one as `summarizer`",
      change:
        offers[0] === undefined
          ? "Start Ollama, or set a provider's key."
          : `For example: summarizer: ${offers[0].code}`,
    },
  ];
}

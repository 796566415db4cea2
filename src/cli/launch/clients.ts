import { ANTHROPIC, GOOGLE, OPENAI } from "../../apis/shared/providers.ts";
import type { CLIENT_NAMES } from "../commands.ts";

/** What a client program is told for one run. Nothing of it stays when the program has ended. */
export interface ClientSettings {
  /** Variables beside the person's own. */
  readonly env: Readonly<Record<string, string>>;
  /** Arguments before the person's own. */
  readonly args: readonly string[];
  /** A file to write before, and the variable or the flag that names it. */
  readonly file?: { readonly name: string; readonly json: object } & (
    | { readonly variable: string }
    | { readonly flag: string }
  );
}

/** What settings are made from. */
interface LaunchInput {
  /** `http://127.0.0.1:PORT` of the gateway. */
  readonly url: string;
  readonly model: string | undefined;
  /** Requests go on to Anthropic itself, whatever else the gateway knows. */
  readonly isAnthropic: boolean;
  /** The person's own environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A client program that can be started behind the gateway. */
export interface LaunchClient {
  readonly command: string;
  /** How it is installed, for people who don't have it. */
  readonly install: string;
  /** Where its requests go if neither a flag nor the config says so. */
  readonly upstream?: string;
  /** The variable without which that upstream refuses its requests. */
  readonly key?: string;
  settings(input: LaunchInput): ClientSettings;
}

/** Clients refuse to start without a key, also where the gateway or a local model needs none. */
const NO_KEY = "none";

/**
 * Claude Code takes 200,000 tokens for granted behind any address but Anthropic's own, also for models with a million, and then
 * compacts far too early. By this variable it is told that the address leads to Anthropic.
 */
const FIRST_PARTY = "_CLAUDE_CODE_ASSUME_FIRST_PARTY_BASE_URL";

/** Clients that compact by their own count, whatever usage says, are told of a window so large that they never do (tokens). */
const OWN_WINDOW = 1_000_000;

/** The clients by the name that `precis launch` takes. */
export const CLIENTS: Readonly<Record<(typeof CLIENT_NAMES)[number], LaunchClient>> = {
  claude: {
    command: "claude",
    install: "npm install --global @anthropic-ai/claude-code",
    upstream: ANTHROPIC.baseURL,
    settings: ({ url, model, isAnthropic, env }) => ({
      env: {
        ANTHROPIC_BASE_URL: url,
        ...(isAnthropic && env[FIRST_PARTY] === undefined && { [FIRST_PARTY]: "1" }),
        // A local model has no login that it could use.
        ...(!isAnthropic &&
          !env["ANTHROPIC_API_KEY"] &&
          !env["ANTHROPIC_AUTH_TOKEN"] && { ANTHROPIC_AUTH_TOKEN: NO_KEY }),
      },
      args: model === undefined ? [] : ["--model", model],
    }),
  },
  codex: {
    command: "codex",
    install: "npm install --global @openai/codex",
    upstream: OPENAI.baseURL,
    key: "OPENAI_API_KEY",
    settings: ({ url, model, env }) => ({
      env: env["OPENAI_API_KEY"] ? {} : { OPENAI_API_KEY: NO_KEY },
      args: [
        "-c",
        'model_provider="precis"',
        "-c",
        `model_providers.precis={name="precis",base_url="${url}/v1",env_key="OPENAI_API_KEY",wire_api="responses"}`,
        ...(model === undefined ? [] : ["--model", model]),
      ],
    }),
  },
  opencode: {
    command: "opencode",
    install: "npm install --global opencode-ai",
    settings: ({ url, model = "", env }) => ({
      env: {
        OPENCODE_CONFIG_CONTENT: JSON.stringify({
          model: `precis/${model}`,
          provider: {
            precis: {
              npm: "@ai-sdk/openai-compatible",
              name: "precis",
              options: {
                baseURL: `${url}/v1`,
                apiKey: env["OPENAI_API_KEY"] ? "{env:OPENAI_API_KEY}" : NO_KEY,
              },
              models: { [model]: { name: model } },
            },
          },
        }),
      },
      args: [],
    }),
  },
  gemini: {
    command: "gemini",
    install: "npm install --global @google/gemini-cli",
    upstream: new URL(GOOGLE.baseURL).origin,
    key: "GEMINI_API_KEY",
    settings: ({ url, model, env }) => ({
      env: { GOOGLE_GEMINI_BASE_URL: url, ...(!env["GEMINI_API_KEY"] && { GEMINI_API_KEY: NO_KEY }) },
      args: model === undefined ? [] : ["--model", model],
      // Without it the program asks how to log in, or ends if nobody can be asked.
      file: {
        variable: "GEMINI_CLI_SYSTEM_SETTINGS_PATH",
        name: "settings.json",
        json: { security: { auth: { selectedType: "gemini-api-key" } } },
      },
    }),
  },
  qwen: {
    command: "qwen",
    install: "npm install --global @qwen-code/qwen-code",
    settings: ({ url, model = "", env }) => ({
      env: {
        OPENAI_BASE_URL: `${url}/v1`,
        OPENAI_MODEL: model,
        ...(!env["OPENAI_API_KEY"] && { OPENAI_API_KEY: NO_KEY }),
      },
      args: ["--auth-type", "openai"],
    }),
  },
  copilot: {
    command: "copilot",
    install: "npm install --global @github/copilot",
    settings: ({ url, model = "", env }) => ({
      env: {
        COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
        COPILOT_PROVIDER_TYPE: "openai",
        COPILOT_MODEL: model,
        COPILOT_PROVIDER_MAX_PROMPT_TOKENS: String(OWN_WINDOW),
        ...(!env["COPILOT_PROVIDER_API_KEY"] && {
          COPILOT_PROVIDER_API_KEY: env["OPENAI_API_KEY"] || NO_KEY,
        }),
      },
      args: [],
    }),
  },
  cline: {
    command: "cline",
    install: "npm install --global cline",
    settings: ({ url, model = "", env }) => ({
      env: {},
      args: ["--compaction", "off"],
      file: {
        variable: "CLINE_PROVIDER_SETTINGS_PATH",
        name: "providers.json",
        json: {
          version: 1,
          lastUsedProvider: "openai-compatible",
          modes: {},
          providers: {
            "openai-compatible": {
              settings: {
                provider: "openai-compatible",
                apiKey: env["OPENAI_API_KEY"] || NO_KEY,
                model,
                baseUrl: `${url}/v1`,
              },
              updatedAt: "2026-01-01T00:00:00.000Z",
              tokenSource: "manual",
            },
          },
        },
      },
    }),
  },
  continue: {
    command: "cn",
    install: "npm install --global @continuedev/cli",
    settings: ({ url, model = "", env }) => ({
      env: {},
      args: [],
      // JSON is YAML, too.
      file: {
        flag: "--config",
        name: "config.yaml",
        json: {
          name: "precis",
          version: "1.0.0",
          schema: "v1",
          models: [
            {
              name: model,
              provider: "openai",
              model,
              apiBase: `${url}/v1`,
              apiKey: env["OPENAI_API_KEY"] || NO_KEY,
              defaultCompletionOptions: { contextLength: OWN_WINDOW },
              roles: ["chat"],
              capabilities: ["tool_use"],
            },
          ],
        },
      },
    }),
  },
};

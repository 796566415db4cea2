import { join } from "node:path";
import { CLIENT_KEY, type ClientProgram, installed, MACHINE } from "../client-program.ts";

/** The longest answer that it counts with, where it is told of a window (tokens). */
const OUTPUT = 4_096;

export const opencode: ClientProgram = {
  name: "opencode",
  package: `opencode-${MACHINE}`,
  api: "chat",
  machines: ["linux-x64", "linux-arm64"],
  compaction: { by: "usage", words: "You are a context summarization agent" },
  start: ({ url, prompt, resumes, ownWindow }) => ({
    command: installed(`opencode-${MACHINE}/bin/opencode`),
    args: ["run", ...(resumes ? ["--continue"] : []), prompt],
    env: {
      OPENCODE_DISABLE_AUTOUPDATE: "1",
      OPENCODE_DISABLE_MODELS_FETCH: "1",
      OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
      OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
    },
    files: {
      ".config/opencode/opencode.json": {
        autoupdate: false,
        share: "disabled",
        snapshot: false,
        lsp: false,
        formatter: false,
        model: "precis/any-model",
        provider: {
          precis: {
            npm: "@ai-sdk/openai-compatible",
            name: "precis",
            options: { baseURL: `${url}/v1`, apiKey: CLIENT_KEY },
            models: {
              "any-model": {
                name: "any model",
                ...(ownWindow !== undefined && { limit: { context: ownWindow, output: OUTPUT } }),
              },
            },
          },
        },
      },
    },
  }),
  readCall: (path, { work }) => ({ name: "read", args: { filePath: join(work, path) } }),
  subAgentCall: (prompt) => ({
    name: "task",
    args: { description: "A part of it", prompt, subagent_type: "general" },
  }),
};

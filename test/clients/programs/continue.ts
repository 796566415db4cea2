import { join } from "node:path";
import { CLIENT_KEY, type ClientProgram, installed } from "../client-program.ts";

export const continueCli: ClientProgram = {
  name: "continue",
  package: "@continuedev/cli",
  api: "chat",
  compaction: { by: "own count", words: "Please provide a concise summary of our conversation so far" },
  start: ({ url, home, prompt, resumes, ownWindow = 1_000_000 }) => ({
    command: process.execPath,
    args: [
      installed("@continuedev/cli/dist/cn.js"),
      ...(resumes ? ["--resume"] : []),
      ...["--config", join(home, ".continue/config.yaml"), "--auto", "--print", prompt],
    ],
    env: { CONTINUE_TELEMETRY_ENABLED: "0", CONTINUE_ALLOW_ANONYMOUS_TELEMETRY: "0" },
    files: {
      // JSON is YAML, too.
      ".continue/config.yaml": {
        name: "precis",
        version: "1.0.0",
        schema: "v1",
        models: [
          {
            name: "any model",
            provider: "openai",
            model: "any-model",
            apiBase: `${url}/v1`,
            apiKey: CLIENT_KEY,
            // It compacts by its own count of the transcript, which the gateway can't change.
            defaultCompletionOptions: { contextLength: ownWindow },
            roles: ["chat"],
            capabilities: ["tool_use"],
          },
        ],
      },
    },
  }),
  readCall: (path) => ({ name: "Read", args: { filepath: path } }),
};

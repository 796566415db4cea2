import { CLIENT_KEY, type ClientProgram, installed } from "../client-program.ts";

export const pi: ClientProgram = {
  name: "pi",
  package: "@earendil-works/pi-coding-agent",
  api: "chat",
  compaction: { by: "usage", words: "You are a context summarization assistant" },
  start: ({ url, prompt, resumes, ownWindow }) => ({
    command: process.execPath,
    args: [
      installed("@earendil-works/pi-coding-agent/dist/bundle/cli.js"),
      ...(resumes ? ["--continue"] : []),
      "-p",
      "--provider",
      "precis",
      "--model",
      "any-model",
      prompt,
    ],
    env: { PI_OFFLINE: "1", PI_TELEMETRY: "0", PI_SKIP_VERSION_CHECK: "1" },
    files: {
      ...(ownWindow !== undefined && {
        ".pi/agent/settings.json": {
          compaction: {
            reserveTokens: Math.round(ownWindow / 8),
            keepRecentTokens: Math.round(ownWindow / 8),
          },
        },
      }),
      ".pi/agent/models.json": {
        providers: {
          precis: {
            baseUrl: `${url}/v1`,
            api: "openai-completions",
            apiKey: CLIENT_KEY,
            models: [
              {
                id: "any-model",
                ...(ownWindow !== undefined && { contextWindow: ownWindow, maxTokens: 4_096 }),
              },
            ],
          },
        },
      },
    },
  }),
  readCall: (path) => ({ name: "read", args: { path } }),
};

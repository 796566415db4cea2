import { join } from "node:path";
import { CLIENT_KEY, type ClientProgram, installed } from "../client-program.ts";

export const cline: ClientProgram = {
  name: "cline",
  package: "@cline/cli-linux-x64",
  api: "chat",
  cannotResume: "it goes on with a session only by an id that it makes up",
  machines: ["linux-x64"],
  compaction: { by: "own count", words: "Summarize this session for continuation" },
  start: ({ url, prompt, ownWindow }) => ({
    command: installed("@cline/cli-linux-x64/bin/cline"),
    // It compacts by its own count of the transcript, which the gateway can't change.
    args: [...(ownWindow === undefined ? ["--compaction", "off"] : []), prompt],
    // Otherwise it leaves a process behind that serves other programs of its kind.
    env: { CLINE_SESSION_BACKEND_MODE: "local" },
    files: {
      ".cline/data/settings/providers.json": {
        version: 1,
        lastUsedProvider: "openai-compatible",
        modes: {},
        providers: {
          "openai-compatible": {
            settings: {
              provider: "openai-compatible",
              apiKey: CLIENT_KEY,
              model: "any-model",
              baseUrl: `${url}/v1`,
              ...(ownWindow !== undefined && { contextWindow: ownWindow }),
            },
            updatedAt: "2026-01-01T00:00:00.000Z",
            tokenSource: "manual",
          },
        },
      },
    },
  }),
  readCall: (path, { work }) => ({ name: "read_files", args: { files: [{ path: join(work, path) }] } }),
};

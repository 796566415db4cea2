import { CLIENT_KEY, type ClientProgram, installed } from "../client-program.ts";

export const geminiCli: ClientProgram = {
  name: "gemini-cli",
  api: "gemini",
  start: ({ url, prompt, resumes }) => ({
    command: process.execPath,
    args: [
      installed("@google/gemini-cli/bundle/gemini.js"),
      ...(resumes ? ["--resume", "latest"] : []),
      "--model",
      "gemini-3-pro-preview",
      "--approval-mode",
      "yolo",
      "--prompt",
      prompt,
    ],
    env: { GOOGLE_GEMINI_BASE_URL: url, GEMINI_API_KEY: CLIENT_KEY, GEMINI_CLI_NO_RELAUNCH: "true" },
    files: {
      ".gemini/settings.json": {
        security: { auth: { selectedType: "gemini-api-key" }, folderTrust: { enabled: false } },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
        general: { disableAutoUpdate: true, disableUpdateNag: true },
      },
    },
  }),
  readCall: (path) => ({ name: "read_file", args: { file_path: path } }),
};

import { CLIENT_KEY, type ClientProgram, installed } from "../client-program.ts";

interface Content {
  readonly parts: readonly { readonly text?: string; readonly functionCall?: object }[];
}

const calls = (content: Content | undefined): boolean =>
  content?.parts.some(({ functionCall }) => functionCall !== undefined) ?? false;

export const geminiCli: ClientProgram = {
  name: "gemini-cli",
  package: "@google/gemini-cli",
  api: "gemini",
  cannotResume: "it sends every result twice then (google-gemini/gemini-cli#29365), and Google refuses that",
  // It asks for summaries only between two questions. Within one it puts old results of tools into files.
  compaction: {
    by: "own count",
    words: "<tool_output_masked>",
    cannotBeSet: "its setting outputMasking isn't read by the program",
  },
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
  // It asks every few rounds whether the conversation goes in circles.
  jsonAnswer: {
    unproductive_state_analysis: "Each file is another one.",
    unproductive_state_confidence: 0.1,
  },
  // Such a question holds a piece of the conversation. It is cut between a call and its answer where the model said something
  // beside the call, and Google refuses it then.
  isInvalid({ contents }) {
    const [first, ...others] = contents as readonly Content[];
    const [called, asked] = others.slice(-2);
    const isQuestion = asked?.parts.some(({ text }) => text !== undefined) ?? false;
    return calls(first) || (isQuestion && calls(called));
  },
  readCall: (path) => ({ name: "read_file", args: { file_path: path } }),
};

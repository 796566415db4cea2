import { join } from "node:path";
import { CLIENT_KEY, type ClientProgram, installed, MACHINE } from "../client-program.ts";

export const copilot: ClientProgram = {
  name: "copilot",
  package: "@github/copilot",
  api: "chat",
  compaction: { by: "own count", words: "Please create a detailed summary of the conversation so far" },
  start: ({ url, prompt, resumes, ownWindow = 1_000_000 }) => ({
    command: installed(`@github/copilot-${MACHINE}/copilot`),
    args: [...(resumes ? ["--continue"] : []), "--allow-all-tools", "--prompt", prompt],
    env: {
      COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
      COPILOT_PROVIDER_TYPE: "openai",
      COPILOT_PROVIDER_API_KEY: CLIENT_KEY,
      COPILOT_MODEL: "any-model",
      COPILOT_OFFLINE: "true",
      // It compacts by its own count of the transcript, which the gateway can't change.
      COPILOT_PROVIDER_MAX_PROMPT_TOKENS: String(ownWindow),
    },
  }),
  readCall: (path, { work }) => ({ name: "view", args: { path: join(work, path) } }),
};

import { CLIENT_KEY, type ClientProgram, installed } from "../client-program.ts";

export const codex: ClientProgram = {
  name: "codex",
  package: "@openai/codex",
  api: "responses",
  compaction: { by: "usage", words: "CONTEXT CHECKPOINT COMPACTION" },
  start: ({ url, prompt, resumes, ownWindow }) => ({
    command: process.execPath,
    args: [
      installed("@openai/codex/bin/codex.js"),
      "exec",
      ...(resumes ? ["resume", "--last"] : []),
      "--skip-git-repo-check",
      "--dangerously-bypass-approvals-and-sandbox",
      "--model",
      "gpt-5",
      "-c",
      'model_provider="precis"',
      "-c",
      `model_providers.precis={name="precis",base_url="${url}/v1",env_key="OPENAI_API_KEY",wire_api="responses"}`,
      ...(ownWindow === undefined ? [] : ["-c", `model_context_window=${ownWindow}`]),
      "-c",
      "check_for_update_on_startup=false",
      "-c",
      "analytics.enabled=false",
      prompt,
    ],
    env: { OPENAI_API_KEY: CLIENT_KEY },
  }),
  readCall: (path) => ({ name: "exec_command", args: { cmd: `cat ${path}` } }),
};

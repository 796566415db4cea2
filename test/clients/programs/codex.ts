import { CLIENT_KEY, type ClientProgram, installed } from "../client-program.ts";

export const codex: ClientProgram = {
  name: "codex",
  package: "@openai/codex",
  api: "responses",
  start: ({ url, prompt, resumes }) => ({
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

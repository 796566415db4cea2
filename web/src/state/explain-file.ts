import { strings } from "../strings.ts";
import { ApiFailure, explain } from "./api-client.ts";

/** Advice for a terminal: it names an option. */
const FOR_TERMINAL = /(^|[\s`(])--[a-z]/;

/** What could be read instead: on the page the advice says it, in fewer words. */
const EXPECTED = / Expected a JSON or JSONL conversation:[^.]*\./;

/** Why a file can't be opened, in words for a person on this page. */
export function explainFile(
  name: string,
  error: unknown,
): { readonly message: string; readonly fix?: string } {
  const { message, fix } = explain(error);
  const advice = error instanceof ApiFailure ? error.fix : undefined;
  const what = `${name}: ${message.replace(/^precis: /, "").replace(EXPECTED, "")}`;
  if (advice === undefined || !FOR_TERMINAL.test(advice))
    return { message: what, ...(fix !== undefined && { fix }) };
  return { message: what.replace(advice, "").trim(), fix: strings.home.wrongFileFix };
}

import type { Diagnosis } from "../doctor.ts";
import { formatCount } from "../format.ts";
import type { Look } from "../paint.ts";
import { wrap } from "../wrap.ts";

const MAX_WIDTH = 100;
const INDENT = "  ";
/** Models of a server that are named before the rest is counted. */
const NAMED_MODELS = 4;

/** The diagnosis as people read it. */
export function doctorText(diagnosis: Diagnosis, { columns, paint }: Look): string {
  const width = Math.min(columns, MAX_WIDTH);
  const lines: string[] = [];
  const title = (text: string): void =>
    void lines.push(...(lines.length === 0 ? [] : [""]), paint("strong", text));
  const item = (mark: string, text: string): void => {
    const [first = "", ...rest] = wrap(text, width - 4);
    lines.push(`${INDENT}${mark} ${first}`, ...rest.map((line) => `${INDENT.repeat(2)}${line}`));
  };
  const good = paint("good", "✓");
  const bad = paint("bad", "✗");
  const none = paint("dim", "·");

  title("This machine");
  for (const check of diagnosis.checks)
    item(check.ok ? good : bad, check.fix === undefined ? check.found : `${check.found}. ${check.fix}`);

  title("Models on this machine");
  for (const server of diagnosis.servers) {
    const named = server.models.slice(0, NAMED_MODELS).join(", ");
    const more =
      server.models.length > NAMED_MODELS ? ` and ${server.models.length - NAMED_MODELS} more` : "";
    const window = server.window === undefined ? "" : `; window ${formatCount(server.window)} tokens`;
    item(
      good,
      `${server.name} at ${server.baseURL}: ${named === "" ? "running, but it has no model" : named + more}${window}`,
    );
  }
  if (diagnosis.servers.length === 0)
    item(none, "none: Ollama, LM Studio, llama.cpp and vLLM don't answer on their usual ports");

  title("Keys in the environment");
  for (const key of diagnosis.keys)
    item(
      key.problem === undefined ? good : bad,
      `${key.provider}: ${key.variable}${key.problem === undefined ? "" : ` ${key.problem}`}`,
    );
  if (diagnosis.keys.length === 0)
    item(none, `none of ${diagnosis.missing.map(({ variable }) => variable).join(", ")}`);
  if (diagnosis.settings.length > 0) item(none, `settings of precis: ${diagnosis.settings.join(", ")}`);
  for (const text of diagnosis.unknown) item(bad, text);

  title("What precis would use");
  for (const { part, uses, change } of diagnosis.uses) {
    item(none, `${paint("accent", part)}: ${uses}.`);
    if (change !== undefined)
      lines.push(...wrap(change, width - 4).map((line) => `${INDENT.repeat(2)}${line}`));
  }
  return `${lines.join("\n")}\n`;
}

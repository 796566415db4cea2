import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A request as a mailbox writes it for programs. */
export interface MailboxRequest {
  readonly name: string;
  readonly reply: string;
  readonly cap: number;
  readonly system?: string;
  readonly messages: readonly { readonly role: string; readonly text: string }[];
}

const LOOK_MS = 5;
const ENDING = ".request.json";

/** Is the model behind a mailbox until `stop` is called: answers every request that appears, each once. */
export function answerMailbox(dir: string, answer: (request: MailboxRequest) => string) {
  const requests: MailboxRequest[] = [];
  const seen = new Set<string>();
  const timer = setInterval(() => {
    if (!existsSync(dir)) return;
    for (const name of readdirSync(dir)) {
      if (!name.endsWith(ENDING) || seen.has(name)) continue;
      seen.add(name);
      const request = JSON.parse(readFileSync(join(dir, name), "utf8")) as MailboxRequest;
      requests.push(request);
      const draft = join(dir, `${name}.draft`);
      writeFileSync(draft, answer(request));
      renameSync(draft, join(dir, request.reply));
    }
  }, LOOK_MS);
  return { requests, stop: () => clearInterval(timer) };
}

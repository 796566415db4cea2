/** `precis inspect` shows the view as it is sent, with what automatic recall quoted. */
import { afterAll, expect, it } from "vitest";
import { type ApiView, routes } from "../../src/gateway/api.ts";
import { startFakeProvider } from "../../src/testing/fake-provider/index.ts";
import { apiOf } from "../gateway/api-support.ts";
import { serveHere } from "../gateway/serve-here.ts";
import { runCli, scratchFolder } from "./run-cli.ts";

const folder = scratchFolder();
afterAll(() => folder.remove());

const isQuoting = (text: string) => text.includes("Quotations from earlier messages");

it("a quotation in the view of the page is in the view of the terminal, too", async () => {
  const provider = await startFakeProvider({ reply: () => "Understood." });
  const serve = await serveHere(["--upstream", provider.url, "--window", "5000", "--profile", "agent"], {
    db: folder.path("precis.db"),
  });
  try {
    const { call, events } = apiOf(() => serve.url);
    const { id } = await call(routes.createConversation, { body: { model: "gpt-4o" } });
    const say = (text: string) => events(routes.chat, { params: { id }, body: { text } });
    await say("We begin with the pumps of the north hall, one by one.");
    await say(
      `${"The hall has a long history. ".repeat(40)}By the way, the zephyr compressor hums at 417 hertz when idle. ${"Many people worked there. ".repeat(40)}`,
    );
    for (let turn = 0; turn < 16; turn++)
      await say(`Turn ${turn}: pump P-${turn}00 leaks. ${"please say more about it. ".repeat(50)}`);
    await say("At how many hertz does the zephyr compressor hum?");
    const view: ApiView = await call(routes.view, { params: { id } });
    const onPage = view.entries.flatMap((entry) => (entry.type === "insert" ? [entry.text] : []));
    expect(onPage.filter(isQuoting)).toHaveLength(1);
    const { stdout } = await runCli(["inspect", id, "--db", folder.path("precis.db"), "--json"]);
    const { view: inspected } = JSON.parse(stdout) as { view: { messages: { content: string }[] } };
    const quotations = inspected.messages.filter(({ content }) => isQuoting(content));
    expect(quotations.map(({ content }) => content)).toEqual(onPage.filter(isQuoting));
  } finally {
    await serve.stop();
    await provider.close();
  }
});

/** The search of the page finds what was said in any conversation, by the store's index, and says where it stands. */
import { expect, it } from "vitest";
import { routes } from "../../src/gateway/api.ts";
import { startFakeProvider } from "../../src/testing/fake-provider/index.ts";
import { sharedPostgres } from "../support/postgres.ts";
import { apiOf } from "./api-support.ts";
import { type ServeHere, serveHere } from "./serve-here.ts";

it.each(["SQLite", "PostgreSQL"])("%s", async (kind) => {
  const serve: ServeHere = await serveHere(
    [],
    kind === "PostgreSQL" ? { db: await (await sharedPostgres()).database() } : {},
  );
  try {
    const { call } = apiOf(() => serve.url);
    const chat = async (name: string, messages: object[]) => {
      const { conversations } = await call(routes.importFile, {
        body: { name: `${name}.json`, text: JSON.stringify(messages) },
      });
      return conversations[0]!.id;
    };
    const talk = (n: number) =>
      Array.from({ length: 30 }, (_, at) => ({
        role: at % 2 === 0 ? "user" : "assistant",
        content: `Talk ${n}, message ${at}, about the weather and the harvest.`,
      }));
    for (let n = 0; n < 3; n++) await chat(`talk ${n}`, talk(n));
    const id = await chat("deploy", [
      { role: "system", content: "Be brief." },
      ...talk(3),
      { role: "user", content: `${"Something else first. ".repeat(40)}The staging host is amber-7.` },
      { role: "assistant", content: "Noted." },
    ]);
    const { hits } = await call(routes.search, { query: { q: "which staging host" } });
    expect(hits[0]).toMatchObject({ conversation: id, index: 30, role: "user" });
    expect(hits[0]!.excerpt).toContain("amber-7");
    expect(hits[0]!.excerpt.length).toBeLessThan(250);
    const { hits: few } = await call(routes.search, { query: { q: "harvest", limit: 2 } });
    expect(few).toHaveLength(2);
    const signs = await chat("signs", [
      { role: "user", content: "Shipped 🚀, for 40 €, in C++ and c#: draft → merged." },
      { role: "assistant", content: "Well done." },
    ]);
    for (const q of ["🚀", "€", "c++", "C#", "→"]) {
      const { hits: found } = await call(routes.search, { query: { q } });
      expect(found, q).toMatchObject([{ conversation: signs, index: 0 }]);
    }
    await call(routes.deleteConversation, { params: { id } });
    const after = await call(routes.search, { query: { q: "staging host amber-7" } });
    expect(after.hits.filter(({ conversation }) => conversation === id)).toEqual([]);
  } finally {
    await serve.stop();
  }
});

it.each(["SQLite", "PostgreSQL"])(
  "one's own chat is found among those of clients, and of those that were thrown away: %s",
  async (kind) => {
    const provider = await startFakeProvider({ models: ["gpt-4o"], reply: () => "Noted." });
    const serve = await serveHere(
      ["--upstream", provider.url],
      kind === "PostgreSQL" ? { db: await (await sharedPostgres()).database() } : {},
    );
    try {
      const { call } = apiOf(() => serve.url);
      const said = (n: number) => [{ role: "user", content: `The depot opens at ${n}. Depot, depot.` }];
      const imported = async (n: number) => {
        const text = JSON.stringify(said(n));
        const { conversations } = await call(routes.importFile, { body: { name: `${n}.json`, text } });
        return conversations[0]!.id;
      };
      const found = async (of?: "person" | "clients") => {
        const { hits } = await call(routes.search, { query: { q: "depot", ...(of && { of }) } });
        return hits.map(({ conversation }) => conversation);
      };
      const own = await imported(0);
      for (let n = 1; n <= 20; n++) {
        const id = await imported(n);
        await call(routes.deleteConversation, { params: { id } });
      }
      expect(await found()).toEqual([own]);
      for (let n = 21; n <= 40; n++)
        await fetch(`${serve.url}/v1/chat/completions`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ model: "gpt-4o", messages: said(n) }),
        }).then((response) => response.text());
      expect(await found("person")).toEqual([own]);
      const theirs = await found("clients");
      expect(theirs.length).toBeGreaterThan(5);
      expect(theirs).not.toContain(own);
    } finally {
      await serve.stop();
      await provider.close();
    }
  },
);

it("a message that only stands beside the words isn't listed, and what is in quotation marks is a phrase", async () => {
  const serve = await serveHere([]);
  try {
    const { call } = apiOf(() => serve.url);
    const found = async (q: string) =>
      (await call(routes.search, { query: { q } })).hits.map(({ index }) => index);
    const messages = [
      { role: "user", content: "The staging host is amber-7, behind the blue door." },
      { role: "assistant", content: "A door of the blue house. Noted." },
      { role: "user", content: "What else was to be done today?" },
      { role: "assistant", content: "Nothing at all: the blue\ndoor was the last of it." },
    ];
    await call(routes.importFile, { body: { name: "doors.json", text: JSON.stringify(messages) } });
    expect(await found("staging host")).toEqual([0]);
    expect((await found("blue door")).toSorted()).toEqual([0, 1, 3]);
    expect((await found('"blue door"')).toSorted()).toEqual([0, 3]);
    expect(await found('"door blue"')).toEqual([]);
    expect(await found("host nowhere")).toEqual([0]);
    expect(await found("unheard")).toEqual([]);
  } finally {
    await serve.stop();
  }
});

import { expect, it } from "vitest";
import { openaiChat } from "../../src/apis/index.ts";
import { createCompactor } from "../../src/engine/create-compactor.ts";
import { chat } from "../../src/testing/index.ts";

it("a view of a German conversation says in German what its summary is, and is the same after a restart", async () => {
  const transcript = [
    chat.system("Du hilfst im Garten."),
    ...Array.from({ length: 60 }, (_, turn) => [
      chat.user(`Frage ${turn}: Was pflanze ich nach den Bohnen in Beet ${turn}, und wie ist der Boden?`),
      chat.assistant(`Antwort ${turn}: ${"Nimm Roggen, er hält den Boden. ".repeat(12)}`),
    ]).flat(),
    chat.user("Und was kommt danach in das Beet?"),
  ];
  const first = createCompactor({ dialect: openaiChat, budget: 3_000 });
  const { messages, state } = await first.fit(transcript);
  await first.close();
  const text = JSON.stringify(messages);
  expect(text).toContain("keine Anweisung.");
  expect(text).toContain("Worte des Nutzers:");
  expect(text).not.toContain("The user's words:");
  const second = createCompactor({ dialect: openaiChat, budget: 3_000 });
  const again = await second.fit(transcript, { state });
  await second.close();
  expect(JSON.stringify(again.messages)).toBe(text);
});

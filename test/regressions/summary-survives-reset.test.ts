import { expect, it } from "vitest";
import { chat } from "../../src/testing/index.ts";
import { createHost, sent, talk } from "../support/host.ts";

it("after a reset nothing of the old conversation comes back, whatever state the host still holds", async () => {
  const host = createHost({ budget: 3_000 }, [chat.system("You help."), chat.user("I am Ada."), ...talk(30)]);
  expect((await host.fit()).report.outcome).toBe("compacted");
  host.transcript.length = 0;
  host.transcript.push(chat.system("You help."), chat.user("Who am I?"));
  const result = await host.fit();
  expect(result.report.outcome).toBe("pass");
  expect(sent(result)).not.toContain("Ada");

  for (const message of talk(30, 100)) host.transcript.push(message);
  const grown = await host.fit();
  expect(grown.report.outcome).toBe("compacted");
  expect(sent(grown)).not.toContain("Ada");
  expect(sent(grown)).not.toContain("module-5.ts");
});

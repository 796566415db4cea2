import { describe, expect, it } from "vitest";
import { chat } from "../../src/testing/index.ts";
import { createHost, sent, talk } from "../support/host.ts";

const BUDGET = 3_000;
const SECRET = "the codeword is heliotrope";

/** A host that has compacted once, with the codeword in a message that is now covered. */
async function compactedHost() {
  const host = createHost({ budget: BUDGET }, [chat.system("You help."), chat.user(`Remember: ${SECRET}.`)]);
  for (const message of talk(40)) {
    host.transcript.push(message);
    const { report } = await host.fit();
    if (report.outcome === "compacted") return { host, report };
  }
  throw new Error("It never compacted.");
}

describe("an edit", () => {
  it("of an early message leaves no trace of the old text", async () => {
    const { host } = await compactedHost();
    expect(sent(await host.fit())).toContain("heliotrope");
    host.transcript[1] = chat.user("Remember: the codeword is marigold.");
    host.transcript.push(chat.user("What is the codeword?"));
    const after = sent(await host.fit());
    expect(after).not.toContain("heliotrope");
    expect(after).toContain("marigold");
  });

  it("of a message newer than the compaction keeps the checkpoint", async () => {
    const { host, report } = await compactedHost();
    host.transcript.push(chat.user("One more."), chat.assistant("Yes."));
    await host.fit();
    host.transcript[host.transcript.length - 1] = chat.assistant("No.");
    const result = await host.fit();
    expect(result.report.outcome).toBe("view");
    expect(result.report.checkpoint).toBe(report.checkpoint);
    expect(sent(result)).toContain("No.");
  });

  it("of the system prompt keeps the checkpoint and sends the new prompt", async () => {
    const { host, report } = await compactedHost();
    host.transcript[0] = chat.system("You help in verse.");
    const result = await host.fit();
    expect(result.report.checkpoint).toBe(report.checkpoint);
    expect(result.messages[0]).toBe(host.transcript[0]);
    expect(result.report.prefixChanged).toBe(true);
    expect((await host.fit()).report.prefixChanged).toBe(false);
  });
});

describe("a fork", () => {
  it("shares the checkpoint and nothing else", async () => {
    const { host, report } = await compactedHost();
    const left = createHost({ budget: BUDGET }, [...host.transcript, chat.user("Left: add apples.")]);
    const right = createHost({ budget: BUDGET }, [...host.transcript, chat.user("Right: add pears.")]);
    left.state = host.state;
    right.state = host.state;
    const [a, b] = [await left.fit(), await right.fit()];
    expect(a.report.checkpoint).toBe(report.checkpoint);
    expect(b.report.checkpoint).toBe(report.checkpoint);
    expect(sent(a)).not.toContain("pears");
    expect(sent(b)).not.toContain("apples");
    expect(a.messages.slice(0, -1)).toEqual(b.messages.slice(0, -1));
  });

  it("from before the compaction doesn't see what came after the fork", async () => {
    const { host } = await compactedHost();
    const early = createHost({ budget: BUDGET }, [...host.transcript.slice(0, 6), chat.user("Another way.")]);
    early.state = host.state;
    const result = await early.fit();
    expect(result.report.outcome).toBe("pass");
    expect(result.messages).toEqual(early.transcript);
  });

  it("that deletes a covered message drops the summary that speaks for it", async () => {
    const { host } = await compactedHost();
    host.transcript.splice(1, 1);
    expect(sent(await host.fit())).not.toContain("heliotrope");
  });
});

it("messages that are taken back, down to the middle of the summary, leave a valid view each time", async () => {
  const { host } = await compactedHost();
  while (host.transcript.length > 2) {
    host.transcript.pop();
    // `createHost` judges the view.
    const result = await host.fit();
    expect(sent(result)).toContain("heliotrope");
  }
});

it("a regenerated answer replaces the old one", async () => {
  const { host, report } = await compactedHost();
  host.transcript.push(chat.user("Tell a joke."), chat.assistant("A bad joke."));
  await host.fit();
  host.transcript.pop();
  const again = await host.fit();
  expect(again.report.checkpoint).toBe(report.checkpoint);
  expect(sent(again)).not.toContain("A bad joke.");
  host.transcript.push(chat.assistant("A good joke."));
  expect(sent(await host.fit())).toContain("A good joke.");
});

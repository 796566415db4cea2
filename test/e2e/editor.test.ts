import { afterEach, beforeEach, expect, it } from "vitest";
import type { ChatMessage } from "../../src/apis/index.ts";
import { profiles } from "../../src/profiles/index.ts";
import { chat, type FakeProvider, startFakeProvider } from "../../src/testing/index.ts";
import { heedfulReply } from "../summaries/heedful-reply.ts";
import { compactions, createPlayer } from "../summaries/player.ts";
import { byProof } from "../support/proof.ts";
import { HANGS_AFTER_MS } from "../support/time-limits.ts";

/** A chat inside a game engine's editor: the user asks for actors and blueprints, tools do the work. */
const LONG = { window: 16_000, share: 1 };
/** A window of half the size is full after half of the turns. */
const { window: WINDOW, share: SHARE } = byProof({
  sample: { window: 8_000, share: 0.5 },
  more: LONG,
  all: LONG,
});
const SYSTEM = "You help inside the editor of a game engine. Tools create actors and blueprints.";
const ACTORS = ["Door", "Lamp", "Lift", "Crate", "Turret"];

function editing(turns: number, from = 0): ChatMessage[] {
  return Array.from({ length: turns }, (_, at) => {
    const turn = from + at;
    const name = `BP_${ACTORS[turn % ACTORS.length]}_${turn}`;
    return [
      chat.user(`Make a blueprint ${name} and place it at (${turn * 100}, 0, 50).`),
      ...chat.round(
        "create_blueprint",
        { name, parent: "Actor" },
        `Created /Game/Blueprints/${name}\n${`  component Mesh_${turn}: StaticMesh /Game/Meshes/SM_${turn}\n`.repeat(8)}`,
        `call_${turn}`,
      ),
      chat.assistant(`${name} is there, with its mesh SM_${turn}. ${"It casts a shadow. ".repeat(6)}`),
    ];
  }).flat();
}

let provider: FakeProvider;
beforeEach(async () => {
  provider = await startFakeProvider({ reply: heedfulReply() });
});
afterEach(() => provider.close());

const asked = () =>
  provider.requests.filter(({ messages }) => messages[0]?.text.includes("You write the record"));

it("editor: at 0.8 of nine tenths of the window the older messages become a tagged user message, the last ten stay", async () => {
  const player = createPlayer(provider, { profile: profiles.editor, window: WINDOW, patient: true });
  await player.play([chat.system(SYSTEM), ...editing(100 * SHARE)]);
  const applied = compactions(player).filter(({ report }) => report.rungs.at(-1)?.rung === "full");
  expect(applied.length).toBeGreaterThan(1);
  for (const { report, messages } of applied) {
    expect(report.budget.budget).toBe(WINDOW * 0.9);
    expect(report.pressure.before).toBeGreaterThanOrEqual(0.8);
    const at = messages.findIndex(({ content }) => String(content).includes("<conversation-summary"));
    expect(messages[at]?.role).toBe("user");
    // Snapped to whole rounds; what came while the summary was written stays, too.
    const tail = messages.slice(at + 1);
    expect(tail.length).toBeGreaterThanOrEqual(4);
    expect(tail.length).toBeLessThanOrEqual(16);
    for (const message of tail) expect(player.transcript).toContain(message);
  }
  await player.close();
});

it("editor: the same model, not streamed, temperature 0, with an analysis that nobody sees; the transcript stays as it was", async () => {
  await provider.close();
  const summary = heedfulReply();
  provider = await startFakeProvider({
    reply: async (request) => {
      const said = await summary(request);
      return request.messages[0]?.text.includes("You write the record")
        ? `<analysis>SECRET-NOTES about the order of things</analysis>\n<conversation-summary>${String(said)}</conversation-summary>`
        : said;
    },
  });
  const player = createPlayer(provider, { profile: profiles.editor, window: WINDOW, patient: true });
  const script = [chat.system(SYSTEM), ...editing(50 * SHARE)];
  await player.play(script);
  expect(player.transcript).toEqual(script);
  const [first] = asked();
  expect(first?.body).toMatchObject({ model: "test-model", temperature: 0 });
  expect(first?.streamed).toBe(false);
  // The one record may take all of the room that records have: all sections.
  for (const section of ["## Rules", "## Goal", "## Decisions", "## Changes", "## Open"])
    expect(first?.lastUser).toContain(section);
  expect(JSON.stringify(player.results.at(-1)?.messages)).not.toContain("SECRET-NOTES");
  expect(player.state?.summaries[0]?.text).not.toContain("SECRET-NOTES");
  await player.close();
});

it("editor: checked before sending, after a reply and after each tool result; a huge result begins the summary at once", async () => {
  const player = createPlayer(provider, { profile: profiles.editor, window: WINDOW, observes: true });
  await player.play([chat.system(SYSTEM), ...editing(36 * SHARE)]);
  await player.settle();
  const before = asked().length;
  const pressures: number[] = [];
  player.compactor.on("pressure", ({ pressure }) => pressures.push(pressure));
  // Nobody asks for a view here: the result alone is observed.
  await player.play([
    chat.user("List all the assets."),
    ...chat.round("list_assets", {}, "/Game/Meshes/SM_0 StaticMesh\n".repeat(500), "call_list").slice(0, 1),
  ]);
  const [, result] = chat.round("list_assets", {}, "/Game/Meshes/SM_0 StaticMesh\n".repeat(500), "call_list");
  await player.play([result!]);
  await player.settle();
  expect(Math.max(...pressures)).toBeGreaterThan(0.8);
  expect(asked().length).toBeGreaterThanOrEqual(before);
  const next = [chat.assistant("There are 500 of them.")];
  await player.play(next);
  expect(player.results.at(-1)?.report.pressure.after).toBeLessThanOrEqual(1);
  await player.close();
});

it("editor: full fails → simple; simple fails → no model, and the conversation isn't held up", async () => {
  for (const fails of [/<message index=/, /./]) {
    const flaky = await startFakeProvider({
      reply: heedfulReply(),
      faults: ({ messages, lastUser }) =>
        messages[0]?.text.includes("You write the record") && fails.test(lastUser)
          ? "server-error"
          : undefined,
    });
    const player = createPlayer(flaky, { profile: profiles.editor, window: WINDOW, patient: true });
    await player.play([chat.system(SYSTEM), ...editing(48 * SHARE)]);
    const rungs = compactions(player).map(({ report }) => report.rungs.at(-1)?.rung);
    expect(rungs).toContain(fails.source === "." ? "extractive" : "simple");
    await player.close();
    await flaky.close();
  }
});

it("editor: threshold, kept messages and the switch are settings; the meter shows tokens, budget and colour", async () => {
  const player = createPlayer(provider, {
    profile: profiles.editor,
    window: WINDOW,
    startAt: 0.5,
    tail: { messages: 6 },
    waitMs: HANGS_AFTER_MS,
  });
  await player.play([chat.system(SYSTEM), ...editing(46 * SHARE)]);
  const [first] = compactions(player);
  expect(first?.report.pressure.before).toBeLessThan(0.6);
  const shown =
    first!.messages.length -
    1 -
    first!.messages.findIndex(({ content }) => String(content).includes("<conversation-summary"));
  expect(shown).toBeLessThanOrEqual(8);
  const manual = createPlayer(provider, { profile: profiles.editor, window: WINDOW, auto: false });
  await manual.play([chat.system(SYSTEM), ...editing(40 * SHARE)]);
  expect(compactions(manual)).toEqual([]);
  const meter = await manual.compactor.pressure(manual.transcript);
  expect(meter).toMatchObject({
    budget: { budget: WINDOW * 0.9 },
    level: meter.pressure < 0.7 ? "green" : meter.pressure < 0.9 ? "yellow" : "red",
  });
  expect(meter.tokens / meter.budget.budget).toBeCloseTo(meter.pressure, 10);
  // "Summarise now" works all the same, with a focus.
  const now = await manual.compactor.compact(manual.transcript, { focus: "the doors" });
  expect(now.report.outcome).toBe("compacted");
  expect(asked().at(-1)?.lastUser).toContain("the doors");
  await player.close();
  await manual.close();
});

it("editor: the provider's own 'too long' compacts harder, and the retry is taken", async () => {
  const strict = await startFakeProvider({ window: 5_000, reply: heedfulReply() });
  const player = createPlayer(strict, { profile: profiles.editor, window: LONG.window, auto: false });
  const transcript = [chat.system(SYSTEM), ...editing(30), chat.user("And now?")];
  const send = async (messages: readonly ChatMessage[]) =>
    fetch(`${strict.url}/v1/chat/completions`, {
      method: "POST",
      body: JSON.stringify({ model: "test-model", messages, max_tokens: 50 }),
    });
  const first = await player.compactor.fit(transcript);
  const refused = await send(first.messages);
  expect(refused.status).toBe(400);
  const again = await player.compactor.fit(transcript, { state: first.state, rejected: true });
  expect(again.report).toMatchObject({ outcome: "compacted", reason: "rejected" });
  expect((await send(again.messages)).status).toBe(200);
  await player.close();
  await strict.close();
});

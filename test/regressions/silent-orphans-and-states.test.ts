import { describe, expect, it } from "vitest";
import { createCompactor } from "../../src/engine/create-compactor.ts";
import { BUILDERS, dialectOf } from "../support/dialects.ts";
import { talk } from "../support/host.ts";

const codes = ({
  report,
}: {
  readonly report: { readonly warnings: readonly { readonly code: string }[] };
}) => report.warnings.map(({ code }) => code);

describe.each(Object.keys(BUILDERS))("%s: a transcript's own orphans are told", (id) => {
  const b = BUILDERS[id]!;
  const dialect = dialectOf(id);
  const long = Array.from({ length: 40 }, (_, n) => [
    b.user(`Question ${n}: ${"what does it do? ".repeat(10)}`),
    b.assistant(`Answer ${n}: ${"it does its work. ".repeat(10)}`),
  ]).flat();

  it("in a pass-through, by the number of their message", async () => {
    const compactor = createCompactor<object>({ dialect, budget: 50_000 });
    const messages = [b.user("Hi."), b.assistant("Hello."), b.result("gone", "left over"), b.user("And?")];
    const result = await compactor.fit(messages);
    expect(result.messages).toEqual(messages);
    expect(result.report.warnings).toEqual([
      { code: "orphan-result", message: expect.stringContaining("(message 3)") as string },
    ]);
    const call = await compactor.fit([b.user("Hi."), b.call("read", { path: "a" }, "c1"), b.user("And?")]);
    expect(codes(call)).toEqual(["orphan-call"]);
    // A call that waits for its result is none.
    expect(codes(await compactor.fit([b.user("Hi."), b.call("read", { path: "a" }, "c1")]))).toEqual([]);
    expect(codes(await compactor.fit([b.user("Hi."), ...b.round("read", {}, "text", "c1")]))).toEqual([]);
  });

  it("in the tail of a view; not where they were dropped", async () => {
    const compactor = createCompactor<object>({ dialect, budget: 1_500 });
    const tail = [b.user("Go on."), b.result("gone", "left over"), b.assistant("Yes."), b.user("And now?")];
    const kept = await compactor.fit([...long, ...tail]);
    expect(kept.report.outcome).toBe("compacted");
    expect(kept.messages).toContain(tail[1]);
    expect(codes(kept)).toContain("orphan-result");
    const dropped = await compactor.fit([b.user("Hi."), b.result("gone", "x"), ...long, b.user("And now?")]);
    expect(dropped.report.outcome).toBe("compacted");
    expect(codes(dropped)).not.toContain("orphan-result");
  });
});

describe("a state that is of no use is told", () => {
  const dialect = dialectOf("openai-chat");
  const compactor = () => createCompactor<object>({ dialect, budget: 1_500 });
  const transcript = [...talk(30), { role: "user", content: "And now?" }];
  const made = () => compactor().fit(transcript);

  it.each([
    ["a text", "state"],
    ["a list", []],
    ["of another version", { version: 3, checkpoints: [] }],
    ["of something else", { messages: [] }],
  ])("%s", async (_, state) => {
    const result = await compactor().fit(transcript, { state });
    expect(codes(result)).toContain("state-unusable");
    expect(result.report.outcome).toBe("compacted");
  });

  it("damaged", async () => {
    const { state } = await made();
    const broken = { ...state, checkpoints: state.checkpoints.map(({ hash: _, ...one }) => one) };
    const result = await compactor().fit(transcript, { state: broken });
    expect(result.report.warnings).toContainEqual({
      code: "state-damaged",
      message: expect.stringContaining("One record in the given state was damaged") as string,
    });
  });

  it("of another conversation", async () => {
    const { state } = await made();
    const other = transcript.with(0, { role: "user", content: "Something else altogether." });
    expect(codes(await compactor().fit(other, { state }))).toContain("state-foreign");
  });

  it("but not one that fits, an older one, none at all, or one whose last messages were edited", async () => {
    const { state } = await made();
    const none = (result: Awaited<ReturnType<typeof made>>) =>
      expect(codes(result).filter((code) => code.startsWith("state"))).toEqual([]);
    none(await compactor().fit(transcript, { state }));
    none(
      await compactor().fit([...transcript, ...talk(2, 30)], { state: JSON.parse(JSON.stringify(state)) }),
    );
    none(await compactor().fit(transcript, { state: null }));
    none(await compactor().fit(transcript, {}));
    none(await compactor().fit([...transcript.slice(0, -1), { role: "user", content: "Edited" }], { state }));
    const { state: early } = await compactor().fit(transcript.slice(0, 2));
    none(await compactor().fit(transcript, { state: early }));
  });
});

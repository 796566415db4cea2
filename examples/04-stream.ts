/** An assistant watches a repair for an hour on a cache of 4,096 tokens. Run: node examples/04-stream.ts */

import { countingCache, createStreamSession, type StreamStrategyName } from "precis/stream";
import { exactCounter } from "precis/tokens";

const counter = await exactCounter("o200k_base");

/** What happens in the hour: a goal at the start, a remark every half minute, a question now and then. */
async function watch(strategy: StreamStrategyName) {
  const session = createStreamSession({
    // Counts what a real cache would hold. With a model on this machine: `(await openLlamaCpp({ model, window })).cache`.
    cache: countingCache({ counter }),
    window: 4_096,
    strategy,
    systemPrompt: "You watch a repair and help.",
    knowledge: "Task knowledge: 1. drain the water 2. open the pump 3. clean the sieve 4. test for leaks",
    tokensPerFrame: 10,
    speak: false, // The assistant's turns are pushed, as from a recording.
  });
  await session.push({
    type: "turn",
    role: "user",
    text: "The dishwasher leaves sand on glasses. It must run by 18:15.",
  });
  for (let second = 0; second < 3_600; second += 30) {
    await session.push({ type: "frames", count: 60 }); // Two frames a second.
    await session.push({
      type: "turn",
      role: "assistant",
      text: `Good. Now turn screw ${second / 30 + 1} of the pump.`,
    });
    if (second % 600 === 300)
      await session.push({
        type: "turn",
        role: "user",
        text: `Is ${second / 100} bar of pressure too much?`,
      });
  }
  return session;
}

for (const strategy of ["drop-all", "drop-middle", "summarize-and-drop"] as const) {
  const session = await watch(strategy);
  const { tokens, limit } = session.status();
  const shown = [...session.contents().map((entry) => entry.item), ...session.pending()]
    .map((item) => (item.type === "turn" ? item.text : ""))
    .join("\n");
  console.log(
    `${strategy}: managed ${session.trace.length} times, ${tokens} of ${limit} tokens in the cache`,
  );
  for (const fact of ["18:15", "Is 3 bar"])
    console.log(`  ${shown.includes(fact) ? "still known" : "forgotten"}: ${fact}`);
}

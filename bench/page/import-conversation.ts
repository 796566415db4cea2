const WORDS =
  "a pump that hums at night keeps the river garden dry while the old valve drips into its bucket and the key of the shed hangs behind the door".split(
    " ",
  );

/** A long talk with messages of 20 to 140 words, always the same. */
export async function importConversation(url: string, messages: number): Promise<string> {
  let seed = 1;
  const random = (below: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return seed % below;
  };
  const words = (count: number): string =>
    Array.from({ length: count }, () => WORDS[random(WORDS.length)]).join(" ");
  const lines = Array.from({ length: messages }, (_, n) =>
    JSON.stringify({
      role: n % 2 === 0 ? "user" : "assistant",
      content: `Message number ${n}. ${words(20 + random(120))}`,
    }),
  );
  const response = await fetch(`${url}/api/import`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ name: "long.jsonl", text: lines.join("\n") }),
  });
  const { conversations } = (await response.json()) as { conversations: { id: string }[] };
  return conversations[0]!.id;
}

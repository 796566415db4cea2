/** A coding agent's session log in the shape that Claude Code writes, with made-up content. */
export function agentLog(steps: number): string {
  const lines: object[] = [];
  let parent: string | null = null;
  const add = (type: "user" | "assistant", message: object): void => {
    const uuid = `00000000-0000-4000-8000-${String(lines.length).padStart(12, "0")}`;
    lines.push({
      parentUuid: parent,
      isSidechain: false,
      userType: "external",
      cwd: "/home/ada/greenhouse",
      sessionId: "11111111-2222-4333-8444-555555555555",
      version: "2.0.0",
      type,
      message,
      uuid,
      timestamp: new Date(1_760_000_000_000 + lines.length * 20_000).toISOString(),
    });
    parent = uuid;
  };
  add("user", {
    role: "user",
    content: "Make the greenhouse controller keep 21 °C, and never touch valve 7.",
  });
  for (let step = 0; step < steps; step += 1) {
    const id = `toolu_${step}`;
    add("assistant", {
      id: `msg_${step}`,
      type: "message",
      role: "assistant",
      model: "claude-sonnet-4-5",
      content: [
        { type: "text", text: `Reading sensor file ${step}.` },
        {
          type: "tool_use",
          id,
          name: "Read",
          input: { file_path: `/home/ada/greenhouse/sensor-${step}.py` },
        },
      ],
      stop_reason: "tool_use",
      usage: { input_tokens: 100, output_tokens: 20 },
    });
    const source = Array.from(
      { length: 30 },
      (_, line) => `${line + 1}\tdef read_${step}_${line}(bus): return bus.get(${step * 100 + line}) / 10`,
    );
    add("user", {
      role: "user",
      content: [{ type: "tool_result", tool_use_id: id, content: source.join("\n") }],
    });
    add("assistant", {
      id: `msg_${step}_end`,
      type: "message",
      role: "assistant",
      model: "claude-sonnet-4-5",
      content: [{ type: "text", text: `Step ${step} is done.` }],
      stop_reason: "end_turn",
      usage: { input_tokens: 100, output_tokens: 20 },
    });
    if (step < steps - 1) add("user", { role: "user", content: `Go on with sensor ${step + 1}.` });
  }
  return `${lines.map((line) => JSON.stringify(line)).join("\n")}\n`;
}

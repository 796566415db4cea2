import { expect, test } from "vitest";
import { dialects } from "../apis/index.ts";
import { ARMS } from "../eval/judged/arms.ts";
import { JUDGE_QUESTIONS } from "../eval/judged/judge-views.ts";
import { LANGUAGE_CODES } from "../eval/rules/phrases.ts";
import { PLAY_DEFAULTS } from "../stream/recording.ts";
import { COMMANDS } from "./commands.ts";

/** What the table only names, because to load it would take longer than the help. */
test("the help names what there is", () => {
  const { dialect } = COMMANDS.compact.flags;
  for (const id of Object.keys(dialects)) expect(dialect.read("dialect", id)).toBe(id);
  const { arms, languages } = COMMANDS["eval rules"].flags;
  for (const { id } of ARMS) expect(arms.help.split(/[ ,]+/)).toContain(id);
  expect(languages.help).toContain(LANGUAGE_CODES.join(", "));
  expect(COMMANDS.replay.flags.questions.help).toContain(`default: ${JUDGE_QUESTIONS}`);
  const { strategy, window, tokensPerFrame } = COMMANDS.stream.flags;
  expect(strategy.help).toContain(`default: ${PLAY_DEFAULTS.strategy}`);
  expect(window.help).toContain(`default: ${PLAY_DEFAULTS.window}`);
  expect(tokensPerFrame.help).toContain(`otherwise ${PLAY_DEFAULTS.tokensPerFrame}`);
});

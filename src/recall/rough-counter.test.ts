import { expect, it } from "vitest";
import { openaiChat } from "../apis/index.ts";
import { exactCounter } from "../tokens/index.ts";
import { openRecall } from "./open-recall.ts";

const ALLOWED = 2_000;
/** Counting roughly may be off by so much. */
const MARGIN = 1.1;

it.each([
  [
    "Chinese",
    "我们昨天讨论了数据库迁移的计划，并且决定在下周一开始执行。备份服务器的名称是琥珀七号，请记住它。",
  ],
  [
    "Japanese",
    "昨日、データベースの移行計画を話し合い、来週の月曜日に始めることにしました。予備のサーバーの名前は琥珀です。",
  ],
  [
    "Korean",
    "어제 데이터베이스 이전 계획을 논의했고 다음 주 월요일에 시작하기로 했습니다. 백업 서버의 이름은 호박입니다.",
  ],
  [
    "Russian",
    "Вчера мы обсуждали план переноса базы данных и решили начать в понедельник. Сервер копий называется янтарь.",
  ],
  [
    "English",
    "Yesterday we discussed the plan to move the database and decided to begin on Monday. The server is called amber.",
  ],
])("hits in %s take no more tokens than they may", async (_, words) => {
  const { count } = await exactCounter("o200k_base");
  const transcript = Array.from({ length: 300 }, (_, n) => ({
    role: n % 2 === 0 ? "user" : "assistant",
    content: `${n} ${words.repeat(3)}`,
  }));
  const recall = openRecall({ dialect: openaiChat, transcript });
  const { hits } = await recall.search(words.slice(0, 30), { tokens: ALLOWED, limit: transcript.length });
  expect(hits.length).toBeGreaterThan(3);
  expect(count(hits.map(({ text }) => text).join("\n"))).toBeLessThan(ALLOWED * MARGIN);
});

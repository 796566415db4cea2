/** Who reads, marks and writes in tests: plain code that knows the conversations of `houseTalk`. */

const COLOURS = ["red", "green", "blue", "white", "black"] as const;

/** A talk in which each message tells the colour of one house, or asks for nothing. */
export function houseTalk(count: number): { role: string; content: string }[] {
  return Array.from({ length: count }, (_, i) => ({
    role: i % 2 === 0 ? "user" : "assistant",
    content: `Note ${i}: house number ${100 + i} is ${colourOf(i)}, and ${"the fence beside it stands. ".repeat(4)}`,
  }));
}

export const colourOf = (i: number): string => COLOURS[i % COLOURS.length] ?? "";

/** Questions about some of the houses. */
export function houseItems(houses: readonly number[]) {
  return houses.map((i, n) => ({
    n,
    type: n % 2 === 0 ? "early" : "late",
    q: `Which colour has house number ${100 + i}?`,
    expected: `${100 + i} is ${colourOf(i)}`,
    rubric: [`Says ${colourOf(i)}`],
  }));
}

/** Answers whatever an exam asks: as its reader, its judge, its writer, or the writer of summaries. */
export function examReply(prompt: string): string {
  if (prompt.includes("<questions>")) return readerReply(prompt);
  if (prompt.includes("<rubric>")) return judgeReply(prompt);
  if (prompt.includes('"expected"')) return writerReply(prompt);
  return "The user and the assistant talked about houses and their colours; house number 100 is red.";
}

function readerReply(prompt: string): string {
  const context = between(prompt, "<context>", "</context>");
  const questions = [...between(prompt, "<questions>", "</questions>").matchAll(/(\d+)\. .*?number (\d+)/g)];
  const answers = questions.map(([, n, house]) => {
    const colour = new RegExp(`house number ${house} is (\\w+)`).exec(context)?.[1];
    return { n: Number(n), answer: colour === undefined ? "That isn't there." : `It is ${colour}.` };
  });
  return `Here it is:\n\`\`\`json\n${JSON.stringify(answers)}\n\`\`\``;
}

function judgeReply(prompt: string): string {
  const questions = prompt.split(/(?=<question number=)/).filter((part) => part.startsWith("<question"));
  const marks = questions.flatMap((part, question) => {
    const wanted = /Says (\w+)/.exec(part)?.[1] ?? "?";
    return [...part.matchAll(/<answer number="(\d+)">\n(.*?)\n<\/answer>/gs)].map(
      ([, number, text = ""]) => ({
        question: question + 1,
        answer: Number(number),
        points: [text.includes(wanted) ? 1 : 0],
        misleading: text.startsWith("It is") && !text.includes(wanted),
      }),
    );
  });
  return JSON.stringify(marks);
}

function writerReply(prompt: string): string {
  const houses = [...prompt.matchAll(/house number (\d+) is (\w+)/g)];
  const count = Number(/Write (\d+) questions/.exec(prompt)?.[1]);
  const items = houses.slice(0, count).map(([, house, colour]) => ({
    type: "fact",
    q: `Which colour has house number ${house}?`,
    expected: `It is ${colour}.`,
    rubric: [`Says ${colour}`],
  }));
  return JSON.stringify(items);
}

const between = (text: string, start: string, end: string): string =>
  text.slice(text.indexOf(start) + start.length, text.lastIndexOf(end));

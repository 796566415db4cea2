export const judge = {
  title: "Ask a judge",
  help: (questions: number) =>
    `A model writes ${questions} questions about the conversation, answers them from each strategy's last view, and marks the answers without knowing whose they are.`,
  model: "Judge",
  cost: "What does it cost?",
  costs: (requests: string, tokens: string, price: string) =>
    `${requests} requests, about ${tokens} tokens: ${price}.`,
  unknown: "price unknown",
  start: "Start",
  running: "Readers answer, the judge marks…",
  done: (requests: string, price: string) => `Judged with ${requests} requests: ${price}.`,
};

import type { PromptInput } from "./prompt.ts";

/** What is to be written, by what the model is shown beside the transcript. */
export function intro({ previous, notes, earlier }: PromptInput): string {
  if (notes !== undefined)
    return "The notes are of the messages before the transcript, which goes on where they end. Write one record of all of it.";
  if (previous !== undefined)
    return "The transcript goes on where the previous summary ends. Write one record of both: carry over what still holds of the previous summary, its lines as they are where nothing changed, correct what the transcript has overtaken, and add what is new.";
  if (earlier !== undefined)
    return "Write the record of the messages in the transcript. The earlier record says what came before them and stays as it is: don't repeat it. Say where the transcript changes, finishes or takes back something in it.";
  return "Write the record of the messages in the transcript.";
}

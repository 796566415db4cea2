/** What the record of an agent's work consists of: shared by the prompt of its own and by the continuation. */

export const AGENT_ANALYSIS =
  "go through the messages in order; list what the user wanted and how that changed; list the files, commands and names that matter; check what is really finished, what was verified and how, and what the last steps were about.";

export const AGENT_SECTIONS = `Write the record in these eight sections, each a heading and short lines. A section about which the conversation says nothing is left out.
1. Overview: what the user wants in the end, the rules and wishes that hold for all of the work, and how the request changed.
2. Foundations: languages, libraries, services, environment, conventions and decisions that the work rests on, with the reasons given.
3. Code state: each file, document or other object that was read, made or changed: what it is for, what was done to it, what it is like now. A line of code only where its wording matters.
4. Problems: what went wrong, with the error message; the cause, as far as it was found; what solved it; what was tried in vain.
5. Progress: what is done (and how it was checked), what is half done, what hasn't been begun. Done means done: nobody should do it again.
6. Active work: what was being worked on when the messages end, at which place, and why.
7. Recent operations: the last commands and calls with what they returned, as far as the next steps build on it.
8. Next steps: what the user asked for that is still open, in order; the step that was about to be taken. Nothing that the user didn't ask for.`;

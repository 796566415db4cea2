/** What a model should look at in its notes before a long record. */

/** What the notes before a record of work look at. */
export const WORK_ANALYSIS =
  "go through the messages in order; list what the user wanted and how that changed, and every restriction; list what was decided and why, what was changed where, and what failed; check what is really finished, how it was verified, and what the last steps were about.";

/** What the notes before a record of talk look at. */
export const TALK_ANALYSIS =
  "go through the messages in order; list the user's rules; list people, dates, sums, plans and tastes, and where a later message changed an earlier one; look for statements that contradict each other; note what the assistant advised and what the last topic was.";

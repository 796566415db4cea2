/**
 * Is this text, which looks like a summary message, one that we wrote? Only then its titles and pointers are believed.
 * Anybody can write such a text, and hosts store what tools said.
 */
export type IsOurs = (text: string) => boolean;

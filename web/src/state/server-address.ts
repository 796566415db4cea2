/** Can this be the address of a server of models? */
export const isAddress = (text: string): boolean => /^https?:\/\/./i.test(text) && URL.canParse(text);

/** Can something be typed behind this that makes it an address? Whoever is still typing isn't told that it is wrong so far. */
export function isBegunAddress(text: string): boolean {
  const typed = text.toLowerCase();
  return ["http://", "https://"].some((scheme) => scheme.startsWith(typed) || typed.startsWith(scheme));
}

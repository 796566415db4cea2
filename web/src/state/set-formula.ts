import temml from "temml";
import "temml/dist/Temml-Local.css";

/** Longer ones stay text (characters), and so does what repeats itself more often than this. */
const MOST_CHARS = 5_000;
const MOST_EXPANSIONS = 300;

/** Sets a formula as MathML in an element. False of one that can't be set: nothing is in the element then. */
export function setFormula(element: HTMLElement, tex: string, isBlock: boolean): boolean {
  if (tex.length > MOST_CHARS) return false;
  try {
    // Without trust: nothing in a formula loads or links anything.
    temml.render(tex, element, {
      displayMode: isBlock,
      throwOnError: true,
      trust: false,
      maxExpand: MOST_EXPANSIONS,
    });
    return true;
  } catch {
    element.replaceChildren();
    return false;
  }
}

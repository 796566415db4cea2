/** A long text in slices of about so many characters, none of which ends within a surrogate pair. */
export function* textSlices(text: string, chars: number): Generator<string> {
  for (let from = 0; from < text.length; ) {
    const to = cutBefore(text, from + chars);
    yield text.slice(from, to);
    from = to;
  }
}

/** `index`, or one less where it would split a surrogate pair. */
export function cutBefore(text: string, index: number): number {
  const unit = text.charCodeAt(index);
  return unit >= 0xdc00 && unit <= 0xdfff ? index - 1 : Math.min(index, text.length);
}

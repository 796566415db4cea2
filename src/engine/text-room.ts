/** Characters that remembered transcripts take together: several of a million tokens. */
const MAX_CHARS = 64_000_000;

/** Room for texts that are remembered in several places: those that were used longest ago leave first, wherever they are. */
export interface TextRoom {
  /** Takes room, as the one that was used last. `forget` is called when others need it; it must let go of the texts and `leave`. */
  take(owner: object, chars: number, forget: () => void): void;
  leave(owner: object): void;
}

export function createTextRoom(maxChars = MAX_CHARS): TextRoom {
  const taken = new Map<object, { readonly chars: number; forget(): void }>();
  let total = 0;
  const leave = (owner: object): void => {
    total -= taken.get(owner)?.chars ?? 0;
    taken.delete(owner);
  };
  return {
    take(owner, chars, forget) {
      leave(owner);
      taken.set(owner, { chars, forget });
      total += chars;
      for (const oldest of taken.values()) {
        if (total <= maxChars) break;
        oldest.forget();
      }
    },
    leave,
  };
}

import type { Virtualizer } from "@tanstack/react-virtual";
import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from "react";
import type { Rows } from "../state/transcript.ts";

/** Closer to the end than this (pixels): the list follows what is added. */
const NEAR_END = 120;

/** A place in the list that somebody was taken to. */
export type Place = { readonly message: number } | { readonly checkpoint: string };

/** What stays in sight while rows come and are measured. */
type Followed = "end" | Place | undefined;

/**
 * Keeps the end of the list, or the place that somebody was taken to, in sight while rows come and are measured. Where a
 * person scrolls, the person decides: only at the end does the list follow again.
 */
export function useFollow(
  list: {
    readonly scroller: RefObject<HTMLDivElement | null>;
    readonly virtual: Virtualizer<HTMLDivElement, Element>;
    readonly rows: Rows;
  },
  /** Another value whenever the list has become longer or shorter. */
  grown: string,
) {
  const { scroller, virtual, rows } = list;
  const [followed, setFollowed] = useState<Followed>("end");
  const isAtPlace = typeof followed === "object";

  const toEnd = () => {
    if (scroller.current) scroller.current.scrollTop = scroller.current.scrollHeight;
  };
  const toPlace = (place: Place) => {
    const isMessage = "message" in place;
    const row = isMessage ? rows.rowOfMessage(place.message) : rows.rowOfDivider(place.checkpoint);
    if (row !== undefined) virtual.scrollToIndex(row, { align: isMessage ? "start" : "center" });
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: follows whatever makes the list longer
  useLayoutEffect(() => {
    if (followed === "end") toEnd();
    else if (followed !== undefined) toPlace(followed);
  }, [followed, grown]);

  // A notice takes room from the list, and what isn't sent yet stands behind it: neither is a row.
  const isFollowing = useRef(true);
  isFollowing.current = followed === "end";
  useEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => {
      if (isFollowing.current) element.scrollTop = element.scrollHeight;
    });
    observer.observe(element);
    for (const child of element.children) observer.observe(child);
    return () => observer.disconnect();
  }, [scroller]);

  /** How far down the list was when it last told. */
  const reached = useRef(0);
  const letGo = () => {
    // It may still be on its way, correcting itself as rows are measured.
    virtual.cancelScroll();
    if (isAtPlace) setFollowed(undefined);
  };
  return {
    isAtEnd: followed === "end",
    goTo: setFollowed as (to: "end" | Place) => void,
    /** For the element that scrolls. */
    listeners: {
      onWheel: letGo,
      onTouchMove: letGo,
      onPointerDown: letGo,
      onKeyDown: letGo,
      onScroll: () => {
        // On the way to a place the list scrolls by itself, and what it reports may be where it came from.
        if (isAtPlace || !scroller.current) return;
        const { scrollTop, scrollHeight, clientHeight } = scroller.current;
        const isUpwards = scrollTop < reached.current;
        reached.current = scrollTop;
        // The end moves away from a list that follows it, too: a notice that comes takes more room than counts as near.
        if (scrollHeight - scrollTop - clientHeight < NEAR_END) setFollowed("end");
        else if (followed !== "end" || isUpwards) setFollowed(undefined);
        else toEnd();
      },
    },
  };
}

import { type Node, refused } from "./parse.ts";

/** One step of a compiled pattern. */
export type Step =
  | { readonly type: "character"; readonly test: (character: string) => boolean }
  | { readonly type: "assert"; readonly kind: "start" | "end" | "border" | "no-border" }
  | { readonly type: "split"; readonly ways: number[] }
  | { readonly type: "match" };

/** A pattern of more steps is refused: the time that a text takes grows with them. */
const MAX_STEPS = 2_000;

/** The steps of a pattern. Each but `split` goes on with the one behind it. */
export function compilePattern(tree: Node): readonly Step[] {
  const steps: Step[] = [];
  const add = (step: Step): number => {
    if (steps.length >= MAX_STEPS) throw refused("it is too long, with its repetitions written out.");
    return steps.push(step) - 1;
  };
  const split = (): number[] => {
    const ways: number[] = [];
    add({ type: "split", ways });
    return ways;
  };
  const write = (node: Node): void => {
    switch (node.type) {
      case "character":
      case "assert":
        add(node);
        return;
      case "sequence":
        for (const one of node.nodes) write(one);
        return;
      case "choice": {
        const ends: number[][] = [];
        for (const [place, one] of node.nodes.entries()) {
          const isLast = place === node.nodes.length - 1;
          const ways = isLast ? undefined : split();
          ways?.push(steps.length);
          write(one);
          if (!isLast) ends.push(split());
          ways?.push(steps.length);
        }
        for (const end of ends) end.push(steps.length);
        return;
      }
      case "repeat": {
        for (let times = 0; times < node.least; times++) write(node.node);
        if (node.most === Infinity) {
          const from = steps.length;
          const ways = split();
          ways.push(steps.length);
          write(node.node);
          split().push(from);
          ways.push(steps.length);
          return;
        }
        const optional: number[][] = [];
        for (let times = node.least; times < node.most; times++) {
          const ways = split();
          ways.push(steps.length);
          optional.push(ways);
          write(node.node);
        }
        for (const ways of optional) ways.push(steps.length);
        return;
      }
      default:
        node satisfies never;
    }
  };
  write(tree);
  add({ type: "match" });
  return steps;
}

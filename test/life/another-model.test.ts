import { expect, it } from "vitest";
import { DIALECT_IDS } from "../support/dialects.ts";
import { createHost, session } from "../support/host.ts";
import { byProof } from "../support/proof.ts";

it.each(DIALECT_IDS)(
  "%s: a switch to a smaller model compacts further, to a larger one shows all again",
  async (id) => {
    const { messages, system } = session(byProof({ sample: 40, more: 60, all: 60 }), id);
    const input = system === undefined ? {} : { system };
    const middle = createHost({ id, budget: 6_000 });
    for (const message of messages) {
      middle.transcript.push(message);
      await middle.fit(input);
    }

    const small = createHost({ id, budget: 2_000 }, middle.transcript);
    small.state = middle.state;
    const shrunk = await small.fit(input);
    expect(shrunk.report.tokens.after).toBeLessThanOrEqual(2_000);

    const large = createHost({ id, budget: 200_000 }, middle.transcript);
    large.state = small.state;
    const whole = await large.fit(input);
    expect(whole.messages).toEqual(middle.transcript);
    expect(whole.report.outcome).toBe("pass");

    // A little larger isn't reason enough: the checkpoint stays.
    const similar = createHost({ id, budget: 6_500 }, middle.transcript);
    similar.state = middle.state;
    const stays = await similar.fit(input);
    expect(stays.report.outcome).toBe("view");
  },
);

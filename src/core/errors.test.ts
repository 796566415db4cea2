import { expect, it } from "vitest";
import { BudgetImpossibleError, ConfigError, PrecisError, StoreError } from "./errors.ts";

const config = () => new ConfigError({ option: "budget", message: "0 is too little.", fix: "Raise it." });

/** What another copy of precis would throw: the same mark and code, another class. */
function fromAnotherCopy(error: PrecisError): Error {
  return Object.assign(
    new Error(error.message),
    Object.fromEntries(Reflect.ownKeys(error).map((key) => [key, Reflect.get(error, key)])),
  );
}

it("errors are known by their class, also if another copy of precis threw them", () => {
  for (const error of [config(), fromAnotherCopy(config())]) {
    expect(ConfigError.isInstance(error)).toBe(true);
    expect(PrecisError.isInstance(error)).toBe(true);
    expect(StoreError.isInstance(error)).toBe(false);
    expect(BudgetImpossibleError.isInstance(error)).toBe(false);
  }
  expect(fromAnotherCopy(config())).not.toBeInstanceOf(ConfigError);
});

it("nothing else is taken for one", () => {
  for (const value of [
    undefined,
    null,
    "config",
    { code: "config" },
    Object.assign(new Error("x"), { code: "config" }),
  ])
    expect(ConfigError.isInstance(value)).toBe(false);
});

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { loadConfig, unknownVariables } from "./load-config.ts";

const nobody = () => false;

it.each([
  ["PRECIS_PROT", "Did you mean PRECIS_PORT?"],
  ["PRECIS_UPSTEAM", "Did you mean PRECIS_UPSTREAM?"],
  ["PRECIS_CLIENT_KEY", "Did you mean PRECIS_CLIENT_KEYS?"],
  ["PRECIS_UPSTREAMS", "Set upstreams in the config file instead."],
  ["PRECIS_STRATEGY", "Set strategy in the config file instead."],
  ["PRECIS_LAND_AT", "Set landAt in the config file instead."],
  ["PRECIS_FUZZ", "Known variables: PRECIS_CONFIG, "],
])("%s is told of: %s", (name, advice) => {
  const told = unknownVariables({ [name]: "secret", PATH: "/bin" }, nobody);
  expect(told).toEqual([expect.stringContaining(`${name} isn't a known variable`)]);
  expect(told[0]).toContain(advice);
  expect(told[0]).not.toContain("secret");
});

it("nothing is told of what is known, empty, somebody else's, or Kubernetes's own", () => {
  const env = {
    PRECIS_PORT: "1",
    PRECIS_CLIENT_KEYS: "a:b",
    PRECIS_PROT: "",
    PRECISION: "9",
    PRECIS_SERVICE_HOST: "10.0.0.1",
    PRECIS_SERVICE_PORT_HTTP: "80",
    PRECIS_PORT_8787_TCP_ADDR: "10.0.0.1",
  };
  expect(unknownVariables(env, nobody)).toEqual([]);
});

it("a variable that the config names is no unknown one", async () => {
  const folder = await mkdtemp(join(tmpdir(), "precis-config-"));
  try {
    const file = join(folder, "precis.config.json");
    const upstream = { name: "a", baseURL: "https://a.example/v1", apiKey: "env:PRECIS_A_KEY" };
    await writeFile(file, JSON.stringify({ upstreams: [upstream] }));
    const told: string[] = [];
    const env = { PRECIS_A_KEY: "k", PRECIS_B_KEY: "k" };
    await loadConfig({ file, env, warn: (text) => told.push(text) });
    expect(told).toEqual([expect.stringContaining("PRECIS_B_KEY")]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

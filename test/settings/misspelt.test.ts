import { expect, test } from "vitest";
import { groups } from "../../settings/document.ts";
import { nearestSetting, refuseMisspelt } from "../../settings/misspelt.ts";

test.each([
  ["DATABASE_SHEMA", "DATABASE_SCHEMA"],
  ["DATABASE_URI", "DATABASE_URL"],
  ["RPC_URL1", "RPC_URL_1"],
  ["RPC_ULR_8453", "RPC_URL_8453"],
  ["RPC_URL", "RPC_URL_1"],
  ["LOG_SORCE", "LOG_SOURCE"],
  ["LOG_SORCE_8453", "LOG_SOURCE_8453"],
  ["INDEXER", "INDEXERS"],
  ["ACCES", "ACCESS"],
  ["MAX_LAG_SECOND", "MAX_LAG_SECONDS"],
])("%s was meant as %s", (name, setting) => {
  expect(nearestSetting(name)).toBe(setting);
});

test.each([
  "PATH",
  "SORT",
  "HOST",
  "DATABASE_URL_2",
  "DATABASE_PORT",
  "GATEWAY_SERVICE_HOST",
  "PGPASSWORD",
  "NODE_ENV",
])("%s is another program's", (name) => {
  expect(nearestSetting(name)).toBeNull();
});

test("no setting is mistaken for another one", () => {
  const names = groups.flatMap(({ variables }) => Object.keys(variables));
  const env = Object.fromEntries(
    [...names, "RPC_URL_1", "RPC_URL_59144", "LOG_SOURCE_1"].map((name) => [name, "x"]),
  );
  expect(() =>
    refuseMisspelt({ ...env, "RPC_URL_<chain id>": "", "LOG_SOURCE_<chain id>": "" }),
  ).not.toThrow();
});

test("an empty one has no effect anywhere, and is not an error", () => {
  expect(() => refuseMisspelt({ DATABASE_SHEMA: "" })).not.toThrow();
  expect(() => refuseMisspelt({ DATABASE_SHEMA: "x" })).toThrow("did you mean DATABASE_SCHEMA?");
});

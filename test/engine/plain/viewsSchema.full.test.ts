import { afterEach, expect, test, vi } from "vitest";
import { viewsSchema } from "../../../engine/changes/viewsSchema.ts";
import { expectFault } from "./fault.ts";
import { openBuild } from "./openBuild.ts";

afterEach(() => void vi.unstubAllEnvs());

test("a build takes the views as soon as it is ready", async () => {
  vi.stubEnv("DATABASE_VIEWS_SCHEMA", "views");
  const { build, close } = await openBuild({ schema: "new" });
  const { status, result } = build.namespaceCompile();
  await close();
  expect([status, result.schema]).toEqual(["success", "new"]);
  expectFault(viewsSchema, result.viewsSchema === "views");
});

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { quietLogger } from "../../../engine/ponderModule.ts";
import { ponderModule } from "../ponders.ts";

/** Ponder's build (build/index.js) of a project with an API of two files. */
export async function openBuild(cliOptions: Record<string, string | number> = {}) {
  const [{ createBuild }, { buildOptions }, { createShutdown }] = await Promise.all(
    ["build/index.js", "internal/options.js", "internal/shutdown.js"].map(ponderModule),
  );
  const root = mkdtempSync(join(tmpdir(), "namedex-build-"));
  const part = join(root, "src/api/part.ts");
  mkdirSync(join(root, "src/api"), { recursive: true });
  writeFileSync(part, "export const part = 1;\n");
  writeFileSync(join(root, "src/api/index.ts"), 'export { part } from "./part.ts";\n');
  const buildShutdown = createShutdown();
  const options = buildOptions({
    cliOptions: { command: "dev", root, config: "ponder.config.ts", ...cliOptions },
  });
  const build = await createBuild({ common: { options, logger: quietLogger, buildShutdown }, cliOptions });
  const close = async () => {
    await buildShutdown.kill();
    rmSync(root, { recursive: true, force: true });
  };
  return { build, part, close };
}

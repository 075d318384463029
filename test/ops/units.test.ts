import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { root } from "../support/projectFiles.ts";

const read = (file: string) => readFileSync(join(root, file), "utf8");

describe("image and units", () => {
  test("never ask Ponder whether names are answered", () => {
    const files = ["Dockerfile", "compose.yaml"].concat(
      readdirSync(join(root, "docs/deploy")).map((name) => `docs/deploy/${name}`),
    );
    for (const file of files) expect(read(file), file).not.toMatch(/\/ready\b/);
  });

  test("take the same steps, as a user without rights, and stop by SIGINT", () => {
    const image = read("Dockerfile");
    for (const line of [
      "RUN ./docs/deploy/install.sh",
      "USER node",
      "STOPSIGNAL SIGINT",
      'ENTRYPOINT ["./docs/deploy/run.sh"]',
      'CMD ["./docs/deploy/health.sh"]',
    ]) {
      expect(image).toContain(line);
    }
    for (const [unit, program] of [
      ["namedex-indexer", "start"],
      ["namedex-api@", "serve"],
      ["namedex-gateway", "gateway"],
    ]) {
      const text = read(`docs/deploy/${unit}.service`);
      expect(text).toMatch(new RegExp(`^ExecStart=/opt/namedex/docs/deploy/run.sh ${program}$`, "m"));
      expect(text).toMatch(/^KillSignal=SIGINT$/m);
      expect(text).toMatch(/^User=namedex$/m);
      expect(text).toMatch(/^MemoryMax=/m);
    }
    expect(read("compose.yaml")).toContain("stop_signal: SIGINT");
  });

  test("the image holds no tests, no settings and nothing of git", () => {
    expect(read(".dockerignore").split("\n")).toEqual(
      expect.arrayContaining(["test", ".git", ".env", ".env.*", "node_modules"]),
    );
  });
});

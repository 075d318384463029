import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { projectFiles, root } from "../support/projectFiles.ts";

/** Whether the machine has a program. */
const has = (program: string) => spawnSync("which", [program]).status === 0;

const read = (file: string) => readFileSync(join(root, file), "utf8");

/** A variable in compose.yaml, with its default. */
const variable = (name: string, unset = ""): string => `\${${name}:-${unset}}`;

/** The text of each service in compose.yaml, by name. */
function servicesOf(text: string): Map<string, string> {
  const [, rest = ""] = text.split(/^services:$/m);
  const [services = ""] = rest.split(/^\w/m);
  const found = services.split(/^ {2}(?=[a-z0-9-]+:)/m).slice(1);
  return new Map(found.map((one) => [one.split(":", 1)[0] ?? "", one]));
}

describe("image and units", () => {
  test("never ask Ponder whether names can be answered", () => {
    const files = ["Dockerfile", "compose.yaml"].concat(
      projectFiles.filter((name) => name.startsWith("docs/deploy/")),
    );
    for (const file of files) expect(read(file), file).not.toMatch(/\/ready\b/);
  });

  test("take the same steps, as an unprivileged user, and stop by SIGINT", () => {
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

  test("compose publishes only the gateway, on loopback, and its programs have no more rights than they need", () => {
    const services = servicesOf(read("compose.yaml"));
    expect([...services.keys()]).toEqual(["database", "roles", "indexer", "api", "api-2", "gateway"]);
    const published = [...services].filter(([, text]) => text.includes("ports:")).map(([name]) => name);
    expect(published).toEqual(["gateway"]);
    const [, address] = services.get("gateway")?.match(/ports: \["(.*):42080:42080"\]/) ?? [];
    expect(address).toBe(variable("PUBLISH", "127.0.0.1"));
    const owners = [...services].filter(([, text]) => text.includes("DATABASE_URL: postgresql://namedex:"));
    expect(owners.map(([name]) => name)).toEqual(["roles"]);
    expect(services.get("roles")).toMatch(/^ {4}profiles: \[roles\]$/m);
    expect(services.get("indexer")).toContain(`DATABASE_URL: ${variable("INDEXER_DATABASE_URL")}`);
    const [replica = ""] = read("compose.yaml").match(/^x-replica:[\s\S]*?^services:/m) ?? [];
    expect(replica).toContain("command: [serve]");
    expect(replica).toContain(`DATABASE_URL: ${variable("API_DATABASE_URL")}`);
    for (const name of ["api", "api-2"]) expect(services.get(name)).toContain("*replica");
    const asked = services.get("gateway")?.match(/http:\/\/[a-z0-9-]+:42069/g) ?? [];
    expect(asked).toEqual(["http://api:42069", "http://api-2:42069"]);
  });

  test.skipIf(!has("systemd-analyze"))("systemd knows everything in the units", () => {
    const units = mkdtempSync(join(tmpdir(), "namedex-units-"));
    for (const name of readdirSync(join(root, "docs/deploy")).filter((one) => one.endsWith(".service"))) {
      writeFileSync(join(units, name), read(`docs/deploy/${name}`).replaceAll("/opt/namedex", root));
    }
    const files = readdirSync(units).map((name) => join(units, name));
    const { stderr } = spawnSync("systemd-analyze", ["verify", ...files], { encoding: "utf8" });
    rmSync(units, { recursive: true, force: true });
    expect(stderr).toBe("");
  });

  test("a Node.js that cannot run the program is named, with the required one", () => {
    const folder = mkdtempSync(join(tmpdir(), "namedex-node-"));
    cpSync(join(root, "docs/deploy/run.sh"), join(folder, "docs/deploy/run.sh"));
    writeFileSync(join(folder, "node"), "#!/bin/sh\necho 20.20.2\n", { mode: 0o755 });
    const { status, stderr } = spawnSync(join(folder, "docs/deploy/run.sh"), ["start"], {
      encoding: "utf8",
      env: { PATH: `${folder}:${process.env.PATH}` },
    });
    rmSync(folder, { recursive: true, force: true });
    expect(status).toBe(78);
    expect(stderr).toContain("Node.js 24 or later is needed, and this machine has 20.20.2");
  });

  const runScript = (words: string[], env: Record<string, string> = {}) =>
    spawnSync(join(root, "docs/deploy/run.sh"), words, { encoding: "utf8", env: { ...process.env, ...env } });

  test("run.sh runs every operator's program, and nothing else", () => {
    const programs = readdirSync(join(root, "ops")).filter((name) => name.endsWith(".ts"));
    const { status, stderr } = runScript(["relese"]);
    expect(status).toBe(64);
    for (const name of programs) expect(stderr).toMatch(new RegExp(`[ ]${name.slice(0, -3)}[,;]`));
    expect(runScript(["webhooks", "--help"])).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/deliveries <id>/),
    });
    expect(runScript(["../settings/gateway"]).status).toBe(64);
  });

  test("a Node.js that does not start is quoted", () => {
    const { status, stderr } = runScript(["webhooks"], { NODE_OPTIONS: "--max-old-space=3000" });
    expect([status, stderr]).toEqual([
      78,
      expect.stringMatching(/does not start: .*--max-old-space= is not allowed in NODE_OPTIONS/),
    ]);
  });

  test("the image contains no tests, no settings and nothing of git", () => {
    expect(read(".dockerignore").split("\n")).toEqual(
      expect.arrayContaining(["test", ".git", ".env", ".env.*", "node_modules"]),
    );
  });
});

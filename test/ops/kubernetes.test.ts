import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { groups } from "../../settings/document.ts";
import { readGatewaySettings } from "../../settings/gateway.ts";
import { readSettings } from "../../settings/settings.ts";
import { root } from "../support/projectFiles.ts";

const folder = join(root, "docs/deploy/kubernetes");
const files = readdirSync(folder);
const read = (file: string) => readFileSync(join(folder, file), "utf8");
const all = files.map(read).join("\n---\n");

const settings = groups.flatMap(({ variables }) => Object.keys(variables));
const isSetting = (name: string) => settings.includes(name) || /^RPC_URL_\d+$/.test(name);

/** Name and value of each variable in a file. */
const variablesOf = (text: string): [name: string, value: string][] => [
  ...[...text.matchAll(/- \{ name: ([A-Z_0-9]+), value: "?([^"}]*?)"? \}/g)].map(pair),
  ...[...text.matchAll(/- name: ([A-Z_0-9]+)\n +value: (.*)/g)].map(pair),
  ...[...text.matchAll(/^ {2}([A-Z_0-9]+): "?([^"\n]*)"?$/gm)].map(pair),
];
const pair = ([, name = "", value = ""]: RegExpMatchArray): [string, string] => [name, value];

describe("the manifests", () => {
  test("set only existing settings", () => {
    const secrets = [...all.matchAll(/--from-literal=([A-Z_0-9]+)/g)].map(([, name = ""]) => name);
    const names = [...variablesOf(all).map(([name]) => name), ...secrets];
    expect(names.length).toBeGreaterThan(10);
    expect(names.filter((name) => !isSetting(name))).toEqual([]);
  });

  test("set them to values that the programs accept", () => {
    const shared = Object.fromEntries(variablesOf(read("settings.yaml")));
    const secrets = {
      DATABASE_URL: "postgresql://a:b@database/namedex",
      RPC_URL_1: "https://rpc.example.org",
    };
    for (const file of ["indexer.yaml", "api.yaml"]) {
      const { port, metrics } = readSettings({
        ...shared,
        ...secrets,
        ...Object.fromEntries(variablesOf(read(file))),
      });
      expect(read(file)).toContain(`containerPort: ${port} `);
      expect(metrics.host).toBe("0.0.0.0");
      expect(read(file)).toContain(`prometheus.io/port: "${metrics.port}"`);
    }
    const gateway = readGatewaySettings(Object.fromEntries(variablesOf(read("gateway.yaml"))));
    expect(read("gateway.yaml")).toContain(`containerPort: ${gateway.port} `);
    expect(gateway.metrics.host).toBe("0.0.0.0");
    expect(read("gateway.yaml")).toContain(`prometheus.io/port: "${gateway.metrics.port}"`);
    const services = [...all.matchAll(/kind: Service\nmetadata: \{ name: ([\w-]+),/g)].map(
      ([, name]) => name,
    );
    for (const url of gateway.indexers) {
      const { hostname, port } = new URL(url);
      const [, set, number, service] = /^(?:([\w-]+)-(\d+)\.)?([\w-]+)$/.exec(hostname) ?? [];
      expect(services).toContain(service);
      const file = read(service === "namedex-api" ? "api.yaml" : "indexer.yaml");
      expect(file).toContain(`containerPort: ${port} `);
      if (set === undefined) continue;
      expect(file).toContain(`metadata: { name: ${set},`);
      expect(Number(number)).toBeLessThan(Number(/replicas: (\d+)/.exec(file)?.[1]));
    }
  });

  test("request paths that exist, at open ports", () => {
    const paths = [...all.matchAll(/(?:path: |\/path: )(\/[\w/-]+)/g)].map(([, path = ""]) => path);
    expect(paths.length).toBeGreaterThan(5);
    const sources = ["src/api/core/metrics.ts", "ops/gateway/server.ts"].map((file) =>
      readFileSync(join(root, file), "utf8"),
    );
    const ponder = readFileSync(
      new URL(import.meta.resolve("ponder").replace(/index\.js$/, "server/index.js")),
      "utf8",
    );
    for (const path of paths) {
      expect(
        [...sources, ponder].some((text) => text.includes(`"${path}"`)),
        path,
      ).toBe(true);
    }
    const open = [...all.matchAll(/name: (\w+), containerPort: \d+/g)].map(([, name]) => name);
    for (const [, port] of all.matchAll(/port: (http)\b/g)) expect(open).toContain(port);
    for (const [, port = ""] of all.matchAll(/prometheus\.io\/port: "(\d+)"/g)) {
      expect(all).toContain(`containerPort: ${port} `);
    }
    for (const [, script = ""] of all.matchAll(/command: \["\.\/(.*?)"/g))
      expect(existsSync(join(root, script))).toBe(true);
  });

  test("run the programs of run.sh, unprivileged, and stop as they do", () => {
    const pods = all.split("\n---\n").filter((text) => text.includes("containers:"));
    expect(pods).toHaveLength(4);
    for (const pod of pods) {
      const [, program = ""] = /args: \[(\w+)\]/.exec(pod) ?? [];
      expect(existsSync(join(root, `ops/${program}.ts`)), program).toBe(true);
      expect(pod).toContain("runAsNonRoot: true");
      expect(pod).toContain("allowPrivilegeEscalation: false");
      expect(pod).toMatch(/limits: \{ memory: /);
    }
    for (const file of ["api.yaml", "gateway.yaml"]) {
      expect(read(file)).toContain("readinessProbe:");
      expect(read(file)).toContain("kind: PodDisruptionBudget");
    }
  });

  test("keep secrets out of shared parts", () => {
    expect(read("settings.yaml")).not.toMatch(/^ {2}(DATABASE_URL|RPC_URL_\d+|MPP_SECRET_KEY):/m);
  });
});

import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { secretHider } from "../../settings/hideSecrets.ts";

const hide = secretHider({
  RPC_URL_1:
    "https://me:pass%40word@node.example.org/v2/mainnet/K3y-in-path?apikey=k3yInQuery, wss://w.example/S3cretPath",
  LIVE_RPC_URL: "http://plain.example.org",
  DATABASE_URL: "postgresql://namedex:hunter22@db.example.org:5432/namedex",
  MPP_SECRET_KEY: 'quoted"secret'.repeat(3),
});

test.each([
  [
    "https://me:pass%40word@node.example.org/v2/mainnet/K3y-in-path?apikey=k3yInQuery",
    "https://node.example.org",
  ],
  [
    "URL: https://node.example.org/v2/mainnet/K3y-in-path?apikey=k3yInQuery\nBody",
    "URL: https://node.example.org\nBody",
  ],
  ["GET /v2/mainnet/K3y-in-path?apikey=k3yInQuery HTTP/1.1", "GET [hidden] HTTP/1.1"],
  ["the key k3yInQuery, or K3y-in-path", "the key [hidden], or [hidden]"],
  ["with pass%40word or pass@word", "with [hidden] or [hidden]"],
  [`Basic ${Buffer.from("me:pass@word").toString("base64")}`, "Basic [hidden]"],
  ["wss://w.example/S3cretPath closed", "wss://w.example closed"],
  ["postgresql://namedex:hunter22@db.example.org:5432/namedex", "postgresql://db.example.org:5432"],
  ['user "namedex", password hunter22', 'user "namedex", password [hidden]'],
  [JSON.stringify('quoted"secret'.repeat(3)), '"[hidden]"'],
])("%s", (text, shown) => {
  expect(hide(text)).toBe(shown);
});

test.each(["mainnet at http://plain.example.org/x", "https://other.example.org/v2/path?a=b", ""])(
  "leaves text that is not secret: %s",
  (text) => {
    expect(hide(text)).toBe(text);
  },
);

test.each([
  ["localhost:42069", "localhost:42069"],
  ["localhost:42069/", "localhost:42069/"],
  ["me:hunter22@node.example.org", "node.example.org"],
  ["node.example.org:8545/v2/K3y-in-path", "node.example.org:8545"],
])("%s, a setting without its scheme, is quoted as %s", (text, shown) => {
  const hideIt = secretHider({ INDEXERS: text });
  expect(hideIt(`INDEXERS is "${text}": expected`)).toBe(`INDEXERS is "${shown}": expected`);
  expect(hideIt("http://localhost:42069/ and off")).toBe("http://localhost:42069/ and off");
});

test("nothing is hidden without settings", () => {
  expect(secretHider({})("https://a:b@c/d")).toBe("https://a:b@c/d");
});

test("is not revealed by an error that ends the process, by its causes, or by either stream", async () => {
  const module = fileURLToPath(new URL("../../settings/hideSecrets.ts", import.meta.url));
  const program = `
    const { hideSecrets } = await import(${JSON.stringify(module)});
    const key = "s3cret-of-the-test";
    hideSecrets({ RPC_URL_1: "https://node.example.org/" + key }, [process.stdout, process.stderr]);
    console.log("out", key); console.error("err", key); process.stdout.write(Buffer.from(key + "\\n"));
    throw Object.assign(new Error("ended " + key, { cause: new Error("for " + key) }), { url: key });`;
  const run = promisify(execFile)(process.execPath, ["--input-type=module", "--eval", program]);
  const { stdout, stderr } = await run.then(
    () => ({ stdout: "", stderr: "" }),
    (error: { stdout: string; stderr: string }) => error,
  );
  expect(stdout).toBe("out [hidden]\n[hidden]\n");
  expect(stderr).toContain("err [hidden]");
  expect(stderr).toContain("Error: ended [hidden]");
  expect(stderr).not.toMatch(/(ended|for) s3cret/);
});

import { inspect } from "node:util";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { createSiweMessage, type SiweMessage } from "viem/siwe";
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  type MockInstance,
  test,
  vi,
} from "vitest";
import { keysIn } from "../../src/api/server/serviceDb/keys.ts";
import { CHAIN_ID, type Signer, type SignupService, startSignupService } from "./signupService.ts";
import { today, unlessMidnight } from "./today.ts";

let service: SignupService;
beforeAll(async () => {
  service = await startSignupService();
});
afterAll(() => service?.close());

const written: string[] = [];
let spies: MockInstance[] = [];

/** Everything in the service's log. */
beforeEach(() => {
  spies = (["log", "info", "warn", "error", "debug"] as const).map((method) =>
    vi
      .spyOn(console, method)
      .mockImplementation((...words) => void written.push(words.map((word) => inspect(word)).join(" "))),
  );
});
afterEach(() => {
  for (const spy of spies) spy.mockRestore();
});

/** Whether some statement waits for another transaction's lock. */
const isWaiting = async () => {
  const rows = await service.store.query(
    "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
  );
  return rows.length > 0;
};

const newAccount = (): Signer => privateKeyToAccount(generatePrivateKey());

const refused = (message: RegExp) => ({
  status: 400,
  body: { error: { code: "INVALID_PARAMETER", message: expect.stringMatching(message) } },
});

const MINUTE = 60_000;
const fromNow = (ms: number): Date => new Date(Date.now() + ms);

/** A message with some fields replaced, correctly signed by the account it names. */
async function send(fields: Partial<SiweMessage>, account = newAccount()) {
  const message = await service.messageFor(account, fields);
  return service.post("/signup", { message, signature: await account.signMessage({ message }) });
}

describe("a sign-up", () => {
  test("returns the key once, with 1,000 credits, and the key works", async () => {
    const account = newAccount();
    const { status, headers, body } = await service.signUp(account);
    expect(status).toBe(200);
    expect(body).toEqual({
      address: account.address,
      credits: 1_000,
      is_first: true,
      key: expect.stringMatching(/^ens_[A-Za-z0-9_-]{32}$/),
    });
    expect(headers.get("cache-control")).toBe("private, no-store");
    const asked = await service.ask("/whois/alice.eth", { headers: { "X-API-Key": String(body.key) } });
    expect([asked.status, asked.headers.get("x-credits-remaining")]).toEqual([200, "999"]);
    const [listed] = (await service.keys.list()).filter(
      ({ owner }) => owner === account.address.toLowerCase(),
    );
    expect(listed).toMatchObject({ label: "sign-up", credits: 999, revokedAt: null });
  });

  test("accepts a message written by another program, and one without milliseconds", async () => {
    const account = newAccount();
    const message = (await service.messageFor(account, { statement: "Hello!", requestId: "7" })).replace(
      /\.\d{3}Z/,
      "Z",
    );
    const reply = await service.post("/signup", {
      message,
      signature: await account.signMessage({ message }),
    });
    expect(reply.status).toBe(200);
  });

  test("works across replicas and under both prefixes", async () => {
    const account = newAccount();
    const invited = await service.post(`${service.replicaUrl}/api/signup/nonce`, {
      address: account.address,
    });
    const message = await service.messageFor(account, { nonce: String(invited.body.nonce) });
    const signature = await account.signMessage({ message });
    expect((await service.post("/api/signup", { message, signature })).status).toBe(200);
    expect(await service.post(`${service.replicaUrl}/signup`, { message, signature })).toMatchObject(
      refused(/nonce/),
    );
  });

  test("of an address that has a key replaces it: the remaining credits move, and nothing is granted again", async () => {
    const account = newAccount();
    const first = (await service.signUp(account)).body;
    for (let i = 0; i < 3; i++) {
      await service.ask("/whois/a.eth", { headers: { "X-API-Key": String(first.key) } });
    }
    const second = (await service.signUp(account)).body;
    expect(second).toMatchObject({ credits: 997, is_first: false });
    expect(second.key).not.toBe(first.key);
    const old = await service.ask("/whois/a.eth", { headers: { "X-API-Key": String(first.key) } });
    expect([old.status, old.body.error?.message]).toEqual([401, "The API key is revoked."]);
    expect(await service.keys.find(String(second.key))).toMatchObject({ credits: 997 });
    expect(await service.keys.find(String(first.key))).toMatchObject({ credits: 0, isRevoked: true });
    expect((await service.signUp(account)).body).toMatchObject({ credits: 997, is_first: false });
  });

  test("grants nothing more to an address whose key is used up, or was revoked by the operator", async () => {
    const account = newAccount();
    const { key } = (await service.signUp(account)).body;
    const { id = 0 } = (await service.keys.find(String(key))) ?? {};
    await service.keys.charge(id, { credits: 1_000, operation: "GET /whois/{name}" });
    const next = (await service.signUp(account)).body;
    expect(next).toMatchObject({ credits: 0, is_first: false });
    await service.keys.revoke((await service.keys.find(String(next.key)))?.id ?? 0);
    const reply = await service.signUp(account);
    expect(reply).toMatchObject({ status: 401, body: { error: { code: "INVALID_API_KEY" } } });
    expect(reply.body.error?.message).toMatch(/operator revoked/);
  });

  test("leaves every balance equal to the sum of its ledger", async () => {
    const rows = await service.store.query(
      "SELECT k.id FROM api_keys k JOIN ledger l ON l.key_id = k.id GROUP BY k.id HAVING k.credits <> sum(l.credits)",
    );
    expect(rows).toEqual([]);
  });
});

describe("parallel sign-ups", () => {
  test("with one message give one key, on whichever replica they arrive", async () => {
    const account = newAccount();
    const message = await service.messageFor(account);
    const signature = await account.signMessage({ message });
    const replies = await Promise.all(
      Array.from({ length: 8 }, (_, i) =>
        service.post(`${i % 2 ? service.url : service.replicaUrl}/signup`, { message, signature }),
      ),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(400)]);
    const owned = (await service.keys.list()).filter(({ owner }) => owner === account.address.toLowerCase());
    expect(owned).toHaveLength(1);
  });

  test("of one address with separate messages give it 1,000 credits once, in one living key", async () => {
    const account = newAccount();
    const replies = await Promise.all(Array.from({ length: 6 }, () => service.signUp(account)));
    expect(replies.map(({ status }) => status)).toEqual(Array(6).fill(200));
    expect(replies.filter(({ body }) => body.is_first)).toHaveLength(1);
    const owned = (await service.keys.list()).filter(({ owner }) => owner === account.address.toLowerCase());
    const living = owned.filter(({ revokedAt }) => revokedAt === null);
    expect(owned).toHaveLength(6);
    expect(living.map(({ credits }) => credits)).toEqual([1_000]);
    expect(owned.reduce((sum, { credits }) => sum + credits, 0)).toBe(1_000);
  });

  test("wait for a debit in progress, and what it takes does not move", async () => {
    const account = newAccount();
    const { key } = (await service.signUp(account)).body;
    const { id = 0 } = (await service.keys.find(String(key))) ?? {};
    let moving: ReturnType<SignupService["signUp"]> | undefined;
    await service.store.transaction(async (queries) => {
      await keysIn(queries).charge(id, { credits: 300, operation: "GET /whois/{name}" });
      moving = service.signUp(account);
      await vi.waitUntil(isWaiting, { timeout: 20_000 }); // It reaches the key before the debit is done.
    });
    expect((await moving)?.body).toMatchObject({ credits: 700, is_first: false });
  });

  test("with requests of the old key charge or move each credit, never both", async () => {
    const account = newAccount();
    const { key } = (await service.signUp(account)).body;
    const asked = Array.from({ length: 40 }, () =>
      service.ask("/whois/a.eth", { headers: { "X-API-Key": String(key) } }),
    );
    const moved = await service.signUp(account);
    const answered = (await Promise.all(asked)).filter(({ status }) => status === 200).length;
    expect(Number(moved.body.credits) + answered).toBe(1_000);
  });
});

describe("a message is refused", () => {
  const faults: [what: string, fields: () => Partial<SiweMessage>, why: RegExp][] = [
    ["for another domain", () => ({ domain: "evil.example.com" }), /another domain/],
    ["for the domain with another port", () => ({ domain: "127.0.0.1:9" }), /another domain/],
    ["for another place", () => ({ uri: "https://evil.example.com/signup" }), /URI must be at http:\/\/127/],
    ["for another chain", () => ({ chainId: 1 }), /Chain ID must be 31337/],
    ["for another scheme", () => ({ scheme: "https" }), /scheme must be http/],
    ["that has expired", () => ({ expirationTime: fromNow(-1_000) }), /Expiration Time has passed/],
    ["that is not valid yet", () => ({ notBefore: fromNow(MINUTE) }), /Not Before is yet to come/],
    ["of the future", () => ({ issuedAt: fromNow(2 * MINUTE) }), /in the future/],
    ["of ten minutes ago", () => ({ issuedAt: fromNow(-10 * MINUTE) }), /more than 5 minutes ago/],
    ["with a nonce that we never gave", () => ({ nonce: "0123456789abcdef" }), /nonce is used, older/],
  ];

  test.each(faults)("%s", async (_, fields, why) => {
    expect(await send(fields())).toMatchObject(refused(why));
  });

  test("with an address that is not ours, whatever the Host and forwarding headers say", async () => {
    const account = newAccount();
    const message = await service.messageFor(account, {
      domain: "evil.example.com",
      uri: "http://evil.example.com",
    });
    const body = { message, signature: await account.signMessage({ message }) };
    const forged = { "X-Forwarded-Host": "evil.example.com", Origin: "http://evil.example.com" };
    expect(await service.post("/signup", body, forged)).toMatchObject(refused(/another domain/));
    const invited = await service.post("/signup/nonce", { address: account.address }, forged);
    expect(invited.body.domain).toBe("localhost:1");
    expect(invited.body.message).not.toContain("evil");
  });

  test("the second time", async () => {
    const account = newAccount();
    const message = await service.messageFor(account);
    const body = { message, signature: await account.signMessage({ message }) };
    expect((await service.post("/signup", body)).status).toBe(200);
    expect(await service.post("/signup", body)).toMatchObject(refused(/nonce is used/));
  });

  test("after its nonce has expired", async () => {
    const account = newAccount();
    const nonce = await service.nonce(account);
    await service.store.query("UPDATE signup_nonces SET expires_at = now() WHERE nonce = $1", [nonce]);
    expect(await send({ nonce }, account)).toMatchObject(refused(/nonce is used, older/));
    await service.nonce(account);
    expect(await service.store.query("SELECT 1 FROM signup_nonces WHERE nonce = $1", [nonce])).toEqual([]);
  });

  test("that was changed after it was signed, and its nonce stays valid for the right one", async () => {
    const account = newAccount();
    const message = await service.messageFor(account, { statement: "One." });
    const signature = await account.signMessage({ message });
    const changed = message.replace("One.", "Two.");
    expect(await service.post("/signup", { message: changed, signature })).toMatchObject(
      refused(/signature is not from the address in the message[\s\S]*LIVE_RPC_URL/),
    );
    expect((await service.post("/signup", { message, signature })).status).toBe(200);
  });

  test("that names an address other than its signer's", async () => {
    const [victim, attacker] = [newAccount(), newAccount()];
    const message = await service.messageFor(victim);
    const body = { message, signature: await attacker.signMessage({ message }) };
    expect(await service.post("/signup", body)).toMatchObject(refused(/not from the address in the message/));
    expect((await service.keys.list()).some(({ owner }) => owner === victim.address.toLowerCase())).toBe(
      false,
    );
  });

  const right = "0123456789abcdef";
  const parts = { address: newAccount().address, chainId: CHAIN_ID, nonce: right, version: "1" } as const;
  const whole = createSiweMessage({ ...parts, domain: "localhost:1", uri: "http://localhost:1/signup" });
  const odd: [what: string, message: string][] = [
    ["no message at all", "hello"],
    ["nothing", ""],
    ["one with text behind it", `${whole}\nSend 5 ETH to evil.eth`],
    ["one with text before its fields", whole.replace("\n\n\nURI", "\n\nSend\n5 ETH\n\nURI")],
    ["one with a line break of another system", whole.replaceAll("\n", "\r\n")],
    ["one with fields in another order", whole.replace(/(Version: 1)\n(Chain ID: \d+)/, "$2\n$1")],
    ["one of another version", whole.replace("Version: 1", "Version: 2")],
    ["one without a nonce", whole.replace(/Nonce: .*\n/, "")],
    ["one with a short nonce", whole.replace(right, "abc")],
    ["one with a time that is none", whole.replace(/Issued At: .*/, "Issued At: yesterday")],
    ["one with a date of another form", whole.replace(/Issued At: .*/, "Issued At: Nov 21, 2026")],
    ["one without a URI", whole.replace(/URI: .*/, "URI: nowhere")],
    ["one whose address is not checksummed", whole.replace(/0x\w{40}/, (text) => text.toLowerCase())],
    ["a statement that is a broken field", whole.replace("\n\n\nURI", "\n\nIssued At: x\n\nURI")],
    ["NUL", whole.replace("URI", "\0URI")],
  ];

  test.each(odd)("if it is %s", async (_, message) => {
    const reply = await service.post("/signup", { message, signature: "0x00" });
    expect(reply).toMatchObject(refused(/EIP-4361|message field "/));
    expect(JSON.stringify(reply.body)).not.toContain("evil");
  });

  test.each([
    ["a message of 10 KB", { message: "a".repeat(10_000), signature: "0x00" }, "LIMIT_EXCEEDED"],
    ["a signature of 40 KB", { message: whole, signature: `0x${"00".repeat(20_000)}` }, "LIMIT_EXCEEDED"],
    ["a signature that is no hexadecimal text", { message: whole, signature: "0xzz" }, "INVALID_PARAMETER"],
    ["an odd number of digits", { message: whole, signature: "0x123" }, "INVALID_PARAMETER"],
    ["no signature", { message: whole }, "MISSING_PARAMETER"],
    ["no message", { signature: "0x00" }, "MISSING_PARAMETER"],
    ["a message that is a list", { message: [whole], signature: "0x00" }, "INVALID_PARAMETER"],
    ["a list", [], "INVALID_PARAMETER"],
  ])("with %s", async (_, body, code) => {
    expect(await service.post("/signup", body)).toMatchObject({ status: 400, body: { error: { code } } });
  });

  test.each(["", "0x", "alice.eth", `0x${"1".repeat(41)}`, 7, null])(
    "without an address: %j",
    async (address) => {
      const { status, body } = await service.post("/signup/nonce", { address });
      expect([status, body.error?.code]).toEqual([
        400,
        expect.stringMatching(/^INVALID_(ADDRESS|PARAMETER)$/),
      ]);
    },
  );
});

describe("the message of /signup/nonce", () => {
  test("is complete, for the caller's own page, and valid for five minutes", async () => {
    const { address } = newAccount();
    const { body, headers } = await service.post(
      "/signup/nonce",
      { address: address.toLowerCase() },
      { Origin: service.url },
    );
    expect(headers.get("cache-control")).toBe("private, no-store");
    const lines = String(body.message).split("\n");
    expect(lines[0]).toBe(`${new URL(service.url).host} wants you to sign in with your Ethereum account:`);
    expect(lines[1]).toBe(address);
    expect(lines).toContain(`URI: ${service.url}/signup`);
    expect(lines).toContain(`Nonce: ${body.nonce}`);
    expect(lines).toContain(`Expiration Time: ${body.expires_at}`);
    const lifetime = Date.parse(String(body.expires_at)) - Date.now();
    expect(lifetime).toBeGreaterThan(4.5 * MINUTE);
    expect(lifetime).toBeLessThanOrEqual(5 * MINUTE + 1_000);
  });

  test("has a new nonce of 128 bits each time", async () => {
    const account = newAccount();
    const nonces = await Promise.all(Array.from({ length: 10 }, () => service.nonce(account)));
    expect(new Set(nonces).size).toBe(10);
    for (const nonce of nonces) expect(nonce).toMatch(/^[0-9a-f]{32}$/);
  });
});

describe("limits", () => {
  test("allow twenty sign-up requests an hour and address, and others are not affected", async () => {
    const from = "203.0.113.77";
    const ask = () =>
      service.ask("/signup/nonce", {
        from,
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ address: newAccount().address }),
      });
    const statuses = [];
    for (let i = 0; i < 20; i++) statuses.push((await ask()).status);
    expect(statuses).toEqual(Array(20).fill(200));
    const over = await ask();
    expect(over).toMatchObject({ status: 429, body: { error: { code: "RATE_LIMITED" } } });
    expect(Number(over.headers.get("retry-after"))).toBeGreaterThan(3_000);
    const signup = await service.ask("/signup", {
      from,
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ message: "x", signature: "0x00" }),
    });
    expect(signup.status).toBe(429);
    expect((await service.signUp(newAccount())).status).toBe(200);
  });
});

describe("the usage of a key", () => {
  const usage = (
    key: string | null,
    { path = "/signup/usage", from = undefined as string | undefined } = {},
  ) => service.ask(path, { headers: key === null ? {} : { "X-API-Key": key }, ...(from && { from }) });

  test(
    "shows the balance and the charges by day and operation, and costs nothing",
    unlessMidnight,
    async () => {
      const key = String((await service.signUp(newAccount())).body.key);
      expect((await usage(key)).body).toMatchObject({ credits: 1_000, usage: [] });
      for (let i = 0; i < 2; i++) await service.ask("/whois/a.eth", { headers: { "X-API-Key": key } });
      const { status, headers, body } = await usage(key, { path: "/api/signup/usage?days=1" });
      expect([status, headers.get("cache-control")]).toEqual([200, "private, no-store"]);
      expect(body).toMatchObject({
        credits: 998,
        usage: [
          {
            day: today(),
            operation: "GET /whois/{name}",
            requests: 2,
            credits: 2,
          },
        ],
      });
      expect((await usage(key)).body.credits).toBe(998);
    },
  );

  test("is shown only to the key's holder", async () => {
    const wrong = await usage(`ens_${"a".repeat(32)}`);
    expect(wrong).toMatchObject({ status: 401, body: { error: { code: "INVALID_API_KEY" } } });
    const none = await usage(null);
    expect(none).toMatchObject({ status: 401, body: { error: { code: "INVALID_API_KEY" } } });
    expect(none.headers.get("www-authenticate")).toBe('ApiKey realm="namedex"');
  });

  test("cannot be used to guess keys", async () => {
    const from = "203.0.113.78";
    const guesses = Array.from({ length: 25 }, (_, i) =>
      usage(`ens_${String(i).padStart(32, "0")}`, { from }),
    );
    const statuses = (await Promise.all(guesses)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 429)).toHaveLength(5);
    expect((await service.ask("/whois/a", { from, headers: { "X-API-Key": "wrong" } })).status).toBe(429);
  });

  test.each(["0", "91", "x"])("refuses days=%s", async (days) => {
    const { status, body } = await usage(null, { path: `/signup/usage?days=${days}` });
    expect([status, body.error?.code]).toEqual([400, "INVALID_PARAMETER"]);
  });
});

test("no key, signature or message reaches the log", async () => {
  const account = newAccount();
  const message = await service.messageFor(account);
  const signature = await account.signMessage({ message });
  const { key } = (await service.post("/signup", { message, signature })).body;
  await service.ask("/whois/a.eth", { headers: { "X-API-Key": String(key) } });
  for (const secret of [String(key), signature.slice(2, 40), message.slice(0, 40), "ens_"]) {
    expect(written.join("\n")).not.toContain(secret);
  }
});

test("without the database nobody gets a key, and the log names no secret", async () => {
  const account = newAccount();
  const message = await service.messageFor(account);
  const signature = await account.signMessage({ message });
  await service.store.query("ALTER TABLE signups RENAME TO away");
  const reply = await service.post("/signup", { message, signature });
  await service.store.query("ALTER TABLE away RENAME TO signups");
  expect(reply).toMatchObject({ status: 500, body: { error: { code: "INTERNAL_ERROR" } } });
  expect(written.join("\n")).toContain('relation "signups" does not exist');
  expect(written.join("\n")).not.toContain(signature.slice(2, 40));
  expect(written.join("\n")).not.toContain("ens_");
  expect((await service.post("/signup", { message, signature })).status).toBe(200);
});

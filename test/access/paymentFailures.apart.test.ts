import { Credential } from "mppx";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { HELD_SECONDS } from "../../src/api/server/serviceDb/reservations.ts";
import { type RpcProxy, startRpcProxy } from "../live/rpcProxy.ts";
import { challengeOf, expectRefusal, type PaidService, startPaidService } from "./paidService.ts";
import { heldWork, type Reply } from "./service.ts";
import { altered, startTempo, type TempoChain } from "./tempo.ts";

let chain: TempoChain;
let node: RpcProxy;
let service: PaidService;
beforeAll(async () => {
  chain = await startTempo();
  node = await startRpcProxy(chain.url);
  service = await startPaidService({ chain, rpcUrl: `${node.url}/secret-path` });
});
afterAll(async () => {
  await service?.close();
  await node?.kill();
  await chain?.stop();
});

/** The service's console output as text. */
let console_: string[] = [];
beforeEach(() => {
  console_ = [];
  node.fault = () => undefined;
  for (const level of ["log", "warn", "error"] as const) {
    vi.spyOn(console, level).mockImplementation((...words: unknown[]) => {
      console_.push(words.map((word) => (word instanceof Error ? word.stack : String(word))).join(" "));
    });
  }
});
afterEach(() => {
  vi.restoreAllMocks();
});

const lose = (method: string, how: "close" | "deaf" | "hang") => {
  node.fault = (request) => (request.method === method ? ({ [how]: true } as never) : undefined);
};

const SEND = "eth_sendRawTransactionSync";
const RECEIPT = "eth_getTransactionReceipt";

const serverFault = (text: RegExp) => ({
  status: 500,
  body: { error: { code: "INTERNAL_ERROR", message: expect.stringMatching(text) } },
});

/** No output contains the payment, its transaction, the node's URL or the secret. */
function expectNoSecrets(credential: string, replies: Reply[]): void {
  const { payload } = Credential.deserialize<{ signature: string }>(credential);
  const said = [...console_, ...replies.map(({ body }) => JSON.stringify(body))].join("\n");
  for (const secret of [payload.signature.slice(4, 60), credential.slice(10, 60), "secret-path", node.url]) {
    expect(said).not.toContain(secret);
  }
  expect(said).not.toContain(service.settings.secretKey);
}

describe("a failed request costs nothing", () => {
  test.each([
    ["INVALID_NAME", 400],
    ["LIVE_RESOLUTION_FAILED", 502],
    ["nothing foreseen", 500],
  ])("with %s, and the payment stays valid", async (as, status) => {
    const path = `/fails?as=${encodeURIComponent(as)}`;
    const credential = await service.credentialFor(path);
    const amount = await service.earned(async () => {
      for (let i = 0; i < 2; i++) {
        const reply = await service.spend(path, credential);
        expect(reply.status).toBe(status);
        expect(reply.headers.get("payment-receipt")).toBeNull();
      }
      const marks = await service.store.query("SELECT key FROM payment_marks WHERE expires_at > now()");
      expect(marks).toEqual([]);
    });
    expect(amount).toBe(0n);
  });

  test("even if it is paid by a transaction that would suit another request", async () => {
    const credential = await service.credentialFor("/fails?as=INVALID_NAME");
    const amount = await service.earned(async () =>
      expectRefusal(await service.spend("/one/a", credential), "invalid-challenge"),
    );
    expect(amount).toBe(0n);
  });
});

describe("one payment is one answer", () => {
  test("if four requests bring it at once to two replicas", async () => {
    const second = await startPaidService({
      chain,
      settings: service.settings,
      databaseUrl: service.databaseUrl,
    });
    const credential = await service.credentialFor("/one/a");
    const amount = await service.earned(async () => {
      const replies = await Promise.all(
        [service, second, service, second].map((replica) => replica.spend("/one/a", credential)),
      );
      expect(replies.map(({ status }) => status).sort()).toEqual([200, 402, 402, 402]);
      for (const reply of replies) if (reply.status === 402) expectRefusal(reply, "verification-failed");
    });
    await second.close();
    expect(amount).toBe(1_000n);
  });

  test("and causes work once: neither concurrent nor later requests repeat it", async () => {
    const credential = await service.credentialFor("/held");
    let release = () => {};
    heldWork.until = new Promise((resolve) => {
      release = resolve;
    });
    heldWork.begun = 0;
    const amount = await service.earned(async () => {
      const first = service.spend("/held", credential);
      await expect.poll(() => heldWork.begun, { timeout: 30_000 }).toBe(1);
      const others = await Promise.all([1, 2, 3].map(() => service.spend("/held", credential)));
      for (const reply of others) expectRefusal(reply, "verification-failed");
      release();
      expect((await first).status).toBe(200);
      expectRefusal(await service.spend("/held", credential), "verification-failed");
    });
    expect(amount).toBe(1_000n);
    expect(heldWork.begun).toBe(1);
  });

  test("and a process that died does not keep it", async () => {
    const credential = await service.credentialFor("/held");
    heldWork.until = new Promise(() => {});
    heldWork.begun = 0;
    void service.spend("/held", credential).catch(() => {}); // Ends with the service.
    await expect.poll(() => heldWork.begun, { timeout: 30_000 }).toBe(1);
    await service.store.query(
      "UPDATE payment_marks SET expires_at = expires_at - make_interval(secs => $1) WHERE key LIKE 'held:%' AND expires_at < now() + make_interval(secs => $1)",
      [HELD_SECONDS + 1],
    );
    heldWork.until = Promise.resolve();
    expect((await service.spend("/held", credential)).status).toBe(200);
  });
});

describe("when the node of the payments' chain", () => {
  test("is away, the answer is a 500, nothing is charged, and the payment is valid later", async () => {
    const credential = await service.credentialFor("/one/a");
    await node.kill();
    const replies: Reply[] = [];
    expect(
      await service.earned(async () => {
        replies.push(await service.spend("/one/a", credential));
        expect(replies[0]).toMatchObject(serverFault(/nothing was charged.*same credential/));
      }),
    ).toBe(0n);
    expectNoSecrets(credential, replies);
    expect(console_.join()).toMatch(/Payments on chain \d+ fail: /);
    await node.start();
    expect(
      await service.earned(async () => expect((await service.spend("/one/a", credential)).status).toBe(200)),
    ).toBe(1_000n);
  });

  test.each([429, 503])("answers %i, it also counts as away", async (status) => {
    const credential = await service.credentialFor("/one/a");
    node.fault = () => ({ status });
    const amount = await service.earned(async () => {
      expect(await service.spend("/one/a", credential)).toMatchObject(serverFault(/nothing was charged/));
    });
    expect(amount).toBe(0n);
  });

  test("is not needed because the challenge alone proves the payment wrong, it is not asked", async () => {
    const credential = await service.credentialFor("/one/a");
    const asked = node.recorded.length;
    const forged = altered(credential, (one) => ({ ...one, challenge: { ...one.challenge, id: "forged" } }));
    expectRefusal(await service.spend("/one/a", forged), "invalid-challenge");
    expectRefusal(await service.ask("/one/a"), "malformed-credential");
    expect(node.recorded.length).toBe(asked);
  });

  test("takes the transaction but its answer gets lost, the payer still gets the answer", async () => {
    const credential = await service.credentialFor("/one/a");
    lose(SEND, "deaf");
    const amount = await service.earned(async () => {
      const reply = await service.spend("/one/a", credential);
      expect([reply.status, reply.body]).toEqual([200, { name: "a", as_of: [] }]);
      expect(reply.headers.get("payment-receipt")).toBeTruthy();
      node.fault = () => undefined;
      expectRefusal(await service.spend("/one/a", credential), "verification-failed");
    });
    expect(amount).toBe(1_000n);
  });

  test.each([
    ["the same credential", (credential: string) => credential],
    ["the transaction's hash", (credential: string) => hashFrom(credential)],
  ])(
    "takes it and then falls silent, the hash is logged, and %s is valid for one answer",
    async (_, again) => {
      const credential = await service.credentialFor("/one/a");
      node.fault = ({ method }) =>
        method === SEND ? { deaf: true } : method === RECEIPT ? { close: true } : undefined;
      const replies: Reply[] = [];
      const amount = await service.earned(async () => {
        replies.push(await service.spend("/one/a", credential));
        expect(replies[0]).toMatchObject(serverFault(/do not pay again/));
        expectNoSecrets(credential, replies);
        expect(console_.join()).toMatch(/Payment 0x[0-9a-f]{64} on chain \d+ was sent/);
        node.fault = () => undefined;
        const later = await Promise.all(
          Array.from({ length: 4 }, () => service.spend("/one/a", again(credential))),
        );
        expect(later.map(({ status }) => status).sort()).toEqual([200, 402, 402, 402]);
      });
      expect(amount).toBe(1_000n);
    },
  );

  test("never got the transaction, the same credential sends it again", async () => {
    const credential = await service.credentialFor("/one/a");
    lose(SEND, "close");
    const amount = await service.earned(async () => {
      expect(await service.spend("/one/a", credential)).toMatchObject(serverFault(/do not pay again/));
      node.fault = () => undefined;
      expect((await service.spend("/one/a", credential)).status).toBe(200);
      expectRefusal(await service.spend("/one/a", credential), "verification-failed");
    });
    expect(amount).toBe(1_000n);
  });
});

test("when the service's database is away, nothing is charged, and the payment stays valid", async () => {
  const credential = await service.credentialFor("/one/a");
  await service.store.query("ALTER TABLE payment_marks RENAME TO hidden");
  const replies: Reply[] = [];
  expect(
    await service.earned(async () => {
      replies.push(await service.spend("/one/a", credential));
      expect(replies[0]).toMatchObject(serverFault(/nothing was charged/));
    }),
  ).toBe(0n);
  await service.store.query("ALTER TABLE hidden RENAME TO payment_marks");
  expectNoSecrets(credential, replies);
  expect(
    await service.earned(async () => expect((await service.spend("/one/a", credential)).status).toBe(200)),
  ).toBe(1_000n);
});

test("a challenge is created without node or database", async () => {
  await node.kill();
  expect(challengeOf(await service.ask("/one/a")).request.amount).toBe("1000");
  await node.start();
});

const hashFrom = (credential: string): string =>
  altered(credential, (one) => {
    const hash = /0x[0-9a-f]{64}/.exec(console_.join())?.[0];
    return { ...one, payload: { type: "hash", hash } };
  });

import { randomBytes } from "node:crypto";
import { Credential } from "mppx";
import { Mppx, tempo } from "mppx/client";
import { type Account, type Client, createClient, http } from "viem";
import { generatePrivateKey, mnemonicToAccount, privateKeyToAccount } from "viem/accounts";
import { tempo as tempoChain } from "viem/chains";
import { Actions } from "viem/tempo";
import { type Anvil, startAnvil } from "../../devnet/anvil.ts";
import type { PaymentSettings } from "../../settings/payments.ts";

/** The token that every Tempo chain has. */
const PATH_USD = "0x20c0000000000000000000000000000000000000";

/** One dollar, in the token's base units. */
const DOLLAR = 1_000_000n;

const faucet = mnemonicToAccount("test test test test test test test test test test test junk");

/** A local Tempo chain with people who can pay. */
export type TempoChain = {
  url: string;
  client: Client;
  /**
   * Settings for a service paid on this chain, at an address that had nothing before. A credit is
   * 0.001.
   */
  settings: () => PaymentSettings;
  /** An address's balance, in base units. */
  balanceOf: (address: `0x${string}`) => Promise<bigint>;
  /** A new payer with a dollar, because the local chain mines only one payment of each. */
  createPayer: () => Promise<Account>;
  /** Takes most of a payer's balance. */
  spendMost: (account: Account) => Promise<void>;
  stop: () => Promise<void>;
};

export async function startTempo(): Promise<TempoChain> {
  const anvil = await startAnvil({ network: "tempo", blockSeconds: null });
  const client = clientOf(anvil);
  const createPayer = async () => {
    const payer = privateKeyToAccount(generatePrivateKey());
    const transfer = { token: PATH_USD, to: payer.address, amount: DOLLAR } as const;
    await Actions.token.transferSync(client, { account: faucet, ...transfer });
    return payer;
  };
  return {
    url: anvil.url,
    client,
    createPayer,
    stop: anvil.stop,
    spendMost: async (account) => {
      const transfer = { token: PATH_USD, to: faucet.address, amount: (DOLLAR * 6n) / 10n } as const;
      await Actions.token.transferSync(client, { account, ...transfer, feeToken: PATH_USD });
    },
    settings: () => ({
      recipient: privateKeyToAccount(generatePrivateKey()).address,
      secretKey: randomBytes(32).toString("hex"),
      realm: "api.example.org",
      currency: PATH_USD,
      pricePerCredit: "0.001",
      chainId: anvil.chainId,
      rpcUrl: anvil.url,
    }),
    balanceOf: async (account) =>
      (await Actions.token.getBalance(client, { token: PATH_USD, account })).amount,
  };
}

function clientOf({ chainId, url }: Pick<Anvil, "chainId" | "url">) {
  const chain = { ...tempoChain, id: chainId, rpcUrls: { default: { http: [url] } } };
  return createClient({ chain, transport: http(url) });
}

type Paying = { account: Account; mode?: "pull" | "push" };

/** A client of the payment library. `fetch` pays when asked to. */
export const walletOf = ({ client }: TempoChain, { account, mode = "pull" }: Paying) =>
  Mppx.create({
    polyfill: false,
    methods: [tempo.charge({ account, mode, getClient: () => client })],
  });

/** A signed credential for a challenge, in the form of the `Authorization` header. */
export const pay = (
  chain: TempoChain,
  { headers, ...paying }: Paying & { headers: Headers },
): Promise<string> => walletOf(chain, paying).createCredential(new Response(null, { status: 402, headers }));

/** The credential with another challenge or payload. */
export function altered(
  authorization: string,
  change: (credential: Credential.Credential) => Credential.Credential,
): string {
  return Credential.serialize(change(Credential.deserialize(authorization)));
}

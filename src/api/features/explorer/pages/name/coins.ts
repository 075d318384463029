import { layer2s } from "../../../../../../abis/layer2/list.ts";

/** Coins and chains by coin type. Sources: SLIP-44, ENSIP-9, ENSIP-11, ENSIP-19. */
const coins: Record<string, string> = {
  0: "Bitcoin",
  2: "Litecoin",
  3: "Dogecoin",
  22: "Monacoin",
  60: "Ethereum",
  61: "Ethereum Classic",
  118: "Cosmos",
  144: "XRP",
  145: "Bitcoin Cash",
  283: "Algorand",
  354: "Polkadot",
  434: "Kusama",
  501: "Solana",
  1729: "Tezos",
};

/** EVM chains by chain id; their coin type has the highest bit of 32. */
const chains: Record<string, string> = {
  0: "every EVM chain",
  56: "BNB Chain",
  100: "Gnosis",
  137: "Polygon",
  324: "ZKsync Era",
  43114: "Avalanche",
  ...Object.fromEntries(layer2s.map(({ chainId, title }) => [chainId, title])),
};

const EVM_BIT = 0x80000000;

/** The name of a coin type, or its number. */
export function coinName(coinType: string): string {
  const known = coins[coinType];
  if (known !== undefined) return known;
  const number = Number(coinType);
  if (number < EVM_BIT || number >= EVM_BIT * 2) return `coin type ${coinType}`;
  return chains[number - EVM_BIT] ?? `chain ${number - EVM_BIT}`;
}

/** Whether a value is an account as the explorer has pages for: 20 bytes. */
export const isAccountAddress = (value: string): boolean => /^0x[0-9a-fA-F]{40}$/.test(value);

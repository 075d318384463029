import type { Layer2 } from "./descriptor.ts";

/** Arbitrum One, with primary names. Source: deployment receipts in ensdomains/ens-contracts. */
export const arbitrum: Layer2 = {
  network: "mainnet",
  title: "Arbitrum One",
  name: "arbitrum",
  chainId: 42161,
  multicall3: "0xcA11bde05977b3631167028862bE2a173976CA11",
  contracts: [
    {
      role: "l2-reverse-registrar",
      generation: 1,
      address: "0x0000000000D8e504002cC26E3Ec46D81971C1664",
      startBlock: 349263357,
      title: "L2 Reverse Registrar",
    }, // L2ReverseRegistrar
    {
      role: "agent-registry",
      generation: 1,
      address: "0x8004A169FB4a3325136EB29fA0ceB6D2e539a432",
      startBlock: 428895443,
      title: "ERC-8004 Identity Registry",
    }, // ERC8004IdentityRegistry
  ],
};

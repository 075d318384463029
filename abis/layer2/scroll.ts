import type { Layer2 } from "./descriptor.ts";

/** Scroll, with primary names. Source: deployment receipts in ensdomains/ens-contracts. */
export const scroll: Layer2 = {
  network: "mainnet",
  title: "Scroll",
  name: "scroll",
  chainId: 534352,
  multicall3: "0xcA11bde05977b3631167028862bE2a173976CA11",
  contracts: [
    {
      role: "l2-reverse-registrar",
      generation: 1,
      address: "0x0000000000D8e504002cC26E3Ec46D81971C1664",
      startBlock: 16604272,
      title: "L2 Reverse Registrar",
    }, // L2ReverseRegistrar
  ],
};

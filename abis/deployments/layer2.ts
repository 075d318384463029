import type { Deployment } from "../deployments.ts";

/**
 * Layer 2 chains whose reverse registrars give primary names (ENSIP-19), each indexed where an RPC URL for it is set.
 * Sources: deployment receipts in ensdomains/ens-contracts; npm @ensnode/datasources 1.17.0.
 */
export const layer2: Deployment["layer2"] = [
  {
    name: "base",
    chainId: 8453,
    multicall3: "0xcA11bde05977b3631167028862bE2a173976CA11",
    contracts: [
      {
        role: "l2-reverse-registrar",
        generation: 1,
        address: "0x0000000000D8e504002cC26E3Ec46D81971C1664",
        startBlock: 31808582,
      }, // L2ReverseRegistrar
      {
        role: "agent-adapter",
        generation: 1,
        address: "0x270d25D2c59A8bcA1B0f40ad95fF7806c0025c27",
        startBlock: 44347671,
      }, // Adapter8004
      {
        role: "agent-registry",
        generation: 1,
        address: "0x8004A169FB4a3325136EB29fA0ceB6D2e539a432",
        startBlock: 41663783,
      }, // ERC8004IdentityRegistry
    ],
  },
  {
    name: "optimism",
    chainId: 10,
    multicall3: "0xcA11bde05977b3631167028862bE2a173976CA11",
    contracts: [
      {
        role: "l2-reverse-registrar",
        generation: 1,
        address: "0x0000000000D8e504002cC26E3Ec46D81971C1664",
        startBlock: 137403854,
      }, // L2ReverseRegistrar
      {
        role: "agent-registry",
        generation: 1,
        address: "0x8004A169FB4a3325136EB29fA0ceB6D2e539a432",
        startBlock: 147514947,
      }, // ERC8004IdentityRegistry
    ],
  },
  {
    name: "arbitrum",
    chainId: 42161,
    multicall3: "0xcA11bde05977b3631167028862bE2a173976CA11",
    contracts: [
      {
        role: "l2-reverse-registrar",
        generation: 1,
        address: "0x0000000000D8e504002cC26E3Ec46D81971C1664",
        startBlock: 349263357,
      }, // L2ReverseRegistrar
      {
        role: "agent-registry",
        generation: 1,
        address: "0x8004A169FB4a3325136EB29fA0ceB6D2e539a432",
        startBlock: 428895443,
      }, // ERC8004IdentityRegistry
    ],
  },
  {
    name: "scroll",
    chainId: 534352,
    multicall3: "0xcA11bde05977b3631167028862bE2a173976CA11",
    contracts: [
      {
        role: "l2-reverse-registrar",
        generation: 1,
        address: "0x0000000000D8e504002cC26E3Ec46D81971C1664",
        startBlock: 16604272,
      }, // L2ReverseRegistrar
    ],
  },
  {
    name: "linea",
    chainId: 59144,
    multicall3: "0xcA11bde05977b3631167028862bE2a173976CA11",
    contracts: [
      {
        role: "l2-reverse-registrar",
        generation: 1,
        address: "0x0000000000D8e504002cC26E3Ec46D81971C1664",
        startBlock: 20173340,
      }, // L2ReverseRegistrar
    ],
  },
];

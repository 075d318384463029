import type { Layer2 } from "./descriptor.ts";

/**
 * OP Mainnet, with names of the DNS that are tokens of 3DNS. `.box` has a resolver on the main chain that asks there. 3DNS
 * sells below other top-level names, too: those are resolved by what the DNS says, which no chain knows.
 * Sources: 3dns-xyz/contracts, src/regcontrol/modules/RegistrarController.sol; npm @ensnode/datasources 1.17.0.
 */
export const optimism: Layer2 = {
  network: "mainnet",
  title: "OP Mainnet",
  name: "optimism",
  chainId: 10,
  multicall3: "0xcA11bde05977b3631167028862bE2a173976CA11",
  names: {
    parent: "box",
    called: "names of 3DNS",
    keeper: "tokens",
    bridges: ["0xF97aAc6C8dbaEBCB54ff166d79706E3AF7a813c8"],
  },
  contracts: [
    {
      role: "dns-token",
      generation: 1,
      address: "0xBB7B805B257d7C76CA9435B3ffe780355E4C4B17",
      startBlock: 110393959,
      title: "3DNS Domain Token",
    }, // ThreeDNSToken, a proxy
    {
      role: "resolver",
      generation: 6,
      address: "0xF97aAc6C8dbaEBCB54ff166d79706E3AF7a813c8",
      startBlock: 110393959,
      title: "3DNS Resolver",
    }, // ThreeDNSResolver; whether it can be upgraded is not known to us: the chain answers
    {
      role: "l2-reverse-registrar",
      generation: 1,
      address: "0x0000000000D8e504002cC26E3Ec46D81971C1664",
      startBlock: 137403854,
      title: "L2 Reverse Registrar",
    }, // L2ReverseRegistrar
    {
      role: "agent-registry",
      generation: 1,
      address: "0x8004A169FB4a3325136EB29fA0ceB6D2e539a432",
      startBlock: 147514947,
      title: "ERC-8004 Identity Registry",
    }, // ERC8004IdentityRegistry
  ],
};

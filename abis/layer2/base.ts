import type { Layer2 } from "./descriptor.ts";

/**
 * Base, with Basenames. The name's node is in the contracts' code (base/basenames, src/util/Constants.sol), and the price
 * oracle has a premium (src/L2/ExponentialPremiumPriceOracle.sol).
 * Addresses: base/basenames, README.md; npm @ensnode/datasources 1.17.0; deployment receipts in ensdomains/ens-contracts.
 */
export const base: Layer2 = {
  network: "mainnet",
  title: "Base",
  name: "base",
  chainId: 8453,
  multicall3: "0xcA11bde05977b3631167028862bE2a173976CA11",
  names: {
    parent: "base.eth",
    called: "Basenames",
    keeper: "registrar",
    hasPremium: true,
    bridges: ["0xde9049636F4a1dfE0a64d1bFe3155C0A14C54F31"],
  },
  contracts: [
    {
      role: "registry",
      generation: 2,
      address: "0xB94704422c2a1e396835A571837Aa5AE53285a95",
      startBlock: 17571480,
      title: "Basenames Registry",
    }, // Registry
    {
      role: "registrar",
      generation: 3,
      address: "0x03c4738Ee98aE44591e1A4A4F3CaB6641d95DD9a",
      startBlock: 17571486,
      title: "Basenames Registrar",
    }, // BaseRegistrar
    {
      role: "controller",
      generation: 6,
      address: "0xd3e6775Ed9B7dC12B205C8E608Dc3767B9e5eFdA",
      startBlock: 17575699,
      title: "Basenames Early Access Controller",
    }, // EARegistrarController: early access
    {
      role: "controller",
      generation: 6,
      address: "0x4cCb0BB02FCABA27e82a56646E81d8c5bC4119a5",
      startBlock: 18619035,
      title: "Basenames Controller (2024)",
    }, // RegistrarController; no controller since block 35936564
    {
      role: "controller",
      generation: 6,
      address: "0xa7d2607c6BD39Ae9521e514026CBB078405Ab322",
      startBlock: 35286620,
      title: "Basenames Controller (2025)",
    }, // UpgradeableRegistrarController, a proxy
    {
      role: "resolver",
      generation: 4,
      address: "0xC6d566A56A1aFf6508b41f6c90ff131615583BCD",
      startBlock: 17575714,
      static: true,
      title: "Basenames Resolver (2024)",
    }, // L2Resolver
    {
      role: "resolver",
      generation: 5,
      address: "0x426fA03fB86E510d0Dd9F70335Cf102a98b10875",
      startBlock: 35286620,
      static: true,
      title: "Basenames Resolver (2025)",
    }, // UpgradeableL2Resolver, a proxy
    {
      role: "reverse-registrar",
      generation: 4,
      address: "0x79ea96012eea67a83431f1701b3dff7e37f9e282",
      startBlock: 17571480,
      title: "Basenames Reverse Registrar",
    }, // ReverseRegistrar before ENSIP-19; start unknown: the registry's
    {
      role: "l2-reverse-registrar",
      generation: 1,
      address: "0x0000000000D8e504002cC26E3Ec46D81971C1664",
      startBlock: 31808582,
      title: "L2 Reverse Registrar",
    }, // L2ReverseRegistrar
    {
      role: "agent-adapter",
      generation: 1,
      address: "0x270d25D2c59A8bcA1B0f40ad95fF7806c0025c27",
      startBlock: 44347671,
      title: "ERC-8004 Adapter",
    }, // Adapter8004
    {
      role: "agent-registry",
      generation: 1,
      address: "0x8004A169FB4a3325136EB29fA0ceB6D2e539a432",
      startBlock: 41663783,
      title: "ERC-8004 Identity Registry",
    }, // ERC8004IdentityRegistry
  ],
};

/** The same on the test network. */
export const baseSepolia: Layer2 = {
  network: "sepolia",
  title: "Base Sepolia",
  name: "base-sepolia",
  chainId: 84532,
  multicall3: "0xcA11bde05977b3631167028862bE2a173976CA11",
  names: {
    parent: "basetest.eth",
    called: "Basenames",
    keeper: "registrar",
    hasPremium: true,
    bridges: ["0x084D10C07EfEecD9fFc73DEb38ecb72f9eEb65aB"],
  },
  contracts: [
    {
      role: "registry",
      generation: 2,
      address: "0x1493b2567056c2181630115660963E13A8E32735",
      startBlock: 13012458,
      title: "Basenames Registry",
    }, // Registry
    {
      role: "registrar",
      generation: 3,
      address: "0xa0c70ec36c010b55e3c434d6c6ebeec50c705794",
      startBlock: 13012465,
      title: "Basenames Registrar",
    }, // BaseRegistrar
    {
      role: "controller",
      generation: 6,
      address: "0x3a0e8c2a0a28f396a5e5b69edb2e630311f1517a",
      startBlock: 13041164,
      title: "Basenames Early Access Controller",
    }, // EARegistrarController
    {
      role: "controller",
      generation: 6,
      address: "0x49ae3cc2e3aa768b1e5654f5d3c6002144a59581",
      startBlock: 13298580,
      title: "Basenames Controller (2024)",
    }, // RegistrarController
    {
      role: "controller",
      generation: 6,
      address: "0x82c858CDF64b3D893Fe54962680edFDDC37e94C8",
      startBlock: 29896051,
      title: "Basenames Controller (2025)",
    }, // UpgradeableRegistrarController, a proxy
    {
      role: "resolver",
      generation: 4,
      address: "0x6533C94869D28fAA8dF77cc63f9e2b2D6Cf77eBA",
      startBlock: 13012458,
      static: true,
      title: "Basenames Resolver (2024)",
    }, // L2Resolver; start unknown: the registry's
    {
      role: "resolver",
      generation: 5,
      address: "0x85C87e548091f204C2d0350b39ce1874f02197c6",
      startBlock: 13012458,
      static: true,
      title: "Basenames Resolver (2025)",
    }, // UpgradeableL2Resolver, a proxy; start unknown
    {
      role: "reverse-registrar",
      generation: 4,
      address: "0x876eF94ce0773052a2f81921E70FF25a5e76841f",
      startBlock: 13012458,
      title: "Basenames Reverse Registrar",
    }, // ReverseRegistrar before ENSIP-19; start unknown
    {
      role: "l2-reverse-registrar",
      generation: 1,
      address: "0x00000beef055f7934784d6d81b6bc86665630dba",
      startBlock: 21788010,
      title: "L2 Reverse Registrar",
    }, // L2ReverseRegistrar
  ],
};

import type { Deployment } from "../deployments.ts";

/**
 * Layer 2 chains of mainnet, with reverse registrars that give primary names (ENSIP-19), and on Base and Linea with names.
 * Each is indexed where an RPC URL for it is set.
 * Sources: deployment receipts in ensdomains/ens-contracts; npm @ensnode/datasources 1.17.0; base/basenames, README.md;
 * Consensys/linea-ens, packages/linea-ens-contracts/deployments. A bridge is a resolver that the managed name has on
 * mainnet; Linea's first was replaced by the second.
 */
export const layer2: Deployment["layer2"] = [
  {
    name: "base",
    chainId: 8453,
    multicall3: "0xcA11bde05977b3631167028862bE2a173976CA11",
    managedName: { name: "base.eth", bridges: ["0xde9049636F4a1dfE0a64d1bFe3155C0A14C54F31"] },
    contracts: [
      {
        role: "registry",
        generation: 2,
        address: "0xB94704422c2a1e396835A571837Aa5AE53285a95",
        startBlock: 17571480,
      }, // Registry
      {
        role: "registrar",
        generation: 3,
        address: "0x03c4738Ee98aE44591e1A4A4F3CaB6641d95DD9a",
        startBlock: 17571486,
      }, // BaseRegistrar
      {
        role: "controller",
        generation: 6,
        address: "0xd3e6775Ed9B7dC12B205C8E608Dc3767B9e5eFdA",
        startBlock: 17575699,
      }, // EARegistrarController: early access
      {
        role: "controller",
        generation: 6,
        address: "0x4cCb0BB02FCABA27e82a56646E81d8c5bC4119a5",
        startBlock: 18619035,
      }, // RegistrarController; no controller since block 35936564
      {
        role: "controller",
        generation: 6,
        address: "0xa7d2607c6BD39Ae9521e514026CBB078405Ab322",
        startBlock: 35286620,
      }, // UpgradeableRegistrarController, a proxy
      {
        role: "resolver",
        generation: 4,
        address: "0xC6d566A56A1aFf6508b41f6c90ff131615583BCD",
        startBlock: 17575714,
        static: true,
      }, // L2Resolver
      {
        role: "resolver",
        generation: 5,
        address: "0x426fA03fB86E510d0Dd9F70335Cf102a98b10875",
        startBlock: 35286620,
        static: true,
      }, // UpgradeableL2Resolver, a proxy
      {
        role: "reverse-registrar",
        generation: 4,
        address: "0x79ea96012eea67a83431f1701b3dff7e37f9e282",
        startBlock: 17571480,
      }, // ReverseRegistrar before ENSIP-19; start unknown: the registry's
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
    managedName: { name: "box", bridges: ["0xF97aAc6C8dbaEBCB54ff166d79706E3AF7a813c8"] },
    contracts: [
      {
        role: "dns-token",
        generation: 1,
        address: "0xBB7B805B257d7C76CA9435B3ffe780355E4C4B17",
        startBlock: 110393959,
      }, // ThreeDNSToken, a proxy
      {
        role: "resolver",
        generation: 6,
        address: "0xF97aAc6C8dbaEBCB54ff166d79706E3AF7a813c8",
        startBlock: 110393959,
      }, // ThreeDNSResolver; whether it can be upgraded is not known to us: the chain answers
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
    managedName: {
      name: "linea.eth",
      bridges: ["0xde16ee87B0C019499cEBDde29c9F7686560f679a", "0x1507cE9421232FDBd302f5EbE4590F8D77FeBBFF"],
    },
    contracts: [
      {
        role: "registry",
        generation: 2,
        address: "0x50130b669B28C339991d8676FA73CF122a121267",
        startBlock: 6682888,
      }, // ENSRegistry
      {
        role: "registrar",
        generation: 2,
        address: "0x6e84390dCc5195414eC91A8c56A5c91021B95704",
        startBlock: 6682892,
      }, // BaseRegistrarImplementation
      {
        role: "controller",
        generation: 7,
        address: "0xDb75Db974B1F2bD3b5916d503036208064D18295",
        startBlock: 6682978,
      }, // ETHRegistrarController
      {
        role: "wrapper",
        generation: 1,
        address: "0xA53cca02F98D590819141Aa85C891e2Af713C223",
        startBlock: 6682956,
      }, // NameWrapper
      {
        role: "resolver",
        generation: 4,
        address: "0x86c5AED9F27837074612288610fB98ccC1733126",
        startBlock: 6682994,
        static: true,
      }, // PublicResolver
      {
        role: "l2-reverse-registrar",
        generation: 1,
        address: "0x0000000000D8e504002cC26E3Ec46D81971C1664",
        startBlock: 20173340,
      }, // L2ReverseRegistrar
    ],
  },
];

/**
 * Layer 2 chains of Sepolia with names. Sources: as above, of the test networks.
 */
export const sepoliaLayer2: Deployment["layer2"] = [
  {
    name: "base-sepolia",
    chainId: 84532,
    multicall3: "0xcA11bde05977b3631167028862bE2a173976CA11",
    managedName: { name: "basetest.eth", bridges: ["0x084D10C07EfEecD9fFc73DEb38ecb72f9eEb65aB"] },
    contracts: [
      {
        role: "registry",
        generation: 2,
        address: "0x1493b2567056c2181630115660963E13A8E32735",
        startBlock: 13012458,
      }, // Registry
      {
        role: "registrar",
        generation: 3,
        address: "0xa0c70ec36c010b55e3c434d6c6ebeec50c705794",
        startBlock: 13012465,
      }, // BaseRegistrar
      {
        role: "controller",
        generation: 6,
        address: "0x3a0e8c2a0a28f396a5e5b69edb2e630311f1517a",
        startBlock: 13041164,
      }, // EARegistrarController
      {
        role: "controller",
        generation: 6,
        address: "0x49ae3cc2e3aa768b1e5654f5d3c6002144a59581",
        startBlock: 13298580,
      }, // RegistrarController
      {
        role: "controller",
        generation: 6,
        address: "0x82c858CDF64b3D893Fe54962680edFDDC37e94C8",
        startBlock: 29896051,
      }, // UpgradeableRegistrarController, a proxy
      {
        role: "resolver",
        generation: 4,
        address: "0x6533C94869D28fAA8dF77cc63f9e2b2D6Cf77eBA",
        startBlock: 13012458,
        static: true,
      }, // L2Resolver; start unknown: the registry's
      {
        role: "resolver",
        generation: 5,
        address: "0x85C87e548091f204C2d0350b39ce1874f02197c6",
        startBlock: 13012458,
        static: true,
      }, // UpgradeableL2Resolver, a proxy; start unknown
      {
        role: "reverse-registrar",
        generation: 4,
        address: "0x876eF94ce0773052a2f81921E70FF25a5e76841f",
        startBlock: 13012458,
      }, // ReverseRegistrar before ENSIP-19; start unknown
      {
        role: "l2-reverse-registrar",
        generation: 1,
        address: "0x00000beef055f7934784d6d81b6bc86665630dba",
        startBlock: 21788010,
      }, // L2ReverseRegistrar
    ],
  },
  {
    name: "linea-sepolia",
    chainId: 59141,
    multicall3: "0xcA11bde05977b3631167028862bE2a173976CA11",
    managedName: {
      name: "linea-sepolia.eth",
      bridges: ["0x64884ED06241c059497aEdB2C7A44CcaE6bc7937", "0xb4b2748f543265e7e0d471f5d1bda81da4e74624"],
    },
    contracts: [
      {
        role: "registry",
        generation: 2,
        address: "0x5B2636F0f2137B4aE722C01dd5122D7d3e9541f7",
        startBlock: 2395094,
      }, // ENSRegistry
      {
        role: "registrar",
        generation: 2,
        address: "0x83475a84C0ea834F06c8e636A62631e7d2e07A44",
        startBlock: 2395099,
      }, // BaseRegistrarImplementation
      {
        role: "controller",
        generation: 7,
        address: "0x0f81E3B3A32DFE1b8A08d3C0061d852337a09338",
        startBlock: 2395231,
      }, // ETHRegistrarController
      {
        role: "wrapper",
        generation: 1,
        address: "0xF127De9E039a789806fEd4C6b1C0f3aFfeA9425e",
        startBlock: 2395202,
      }, // NameWrapper
      {
        role: "resolver",
        generation: 4,
        address: "0xA2008916Ed2d7ED0Ecd747a8a5309267e42cf1f1",
        startBlock: 2395249,
        static: true,
      }, // PublicResolver
      {
        role: "l2-reverse-registrar",
        generation: 1,
        address: "0x00000beef055f7934784d6d81b6bc86665630dba",
        startBlock: 9267966,
      }, // L2ReverseRegistrar
    ],
  },
];

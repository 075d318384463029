import type { Layer2 } from "./descriptor.ts";

/**
 * Linea, with Lineanames. The name's node is an argument of the deployed registrar (Consensys/linea-ens,
 * packages/linea-ens-contracts/deploy), and the price oracle has no premium (contracts/ethregistrar/FixedPriceOracle.sol,
 * deployments/lineaMainnet). The managed name's first bridge was replaced by the second.
 * Addresses: Consensys/linea-ens, packages/linea-ens-contracts/deployments; npm @ensnode/datasources 1.17.0.
 */
export const linea: Layer2 = {
  network: "mainnet",
  title: "Linea",
  name: "linea",
  chainId: 59144,
  multicall3: "0xcA11bde05977b3631167028862bE2a173976CA11",
  names: {
    parent: "linea.eth",
    called: "Lineanames",
    keeper: "registrar",
    hasPremium: false,
    bridges: ["0xde16ee87B0C019499cEBDde29c9F7686560f679a", "0x1507cE9421232FDBd302f5EbE4590F8D77FeBBFF"],
  },
  contracts: [
    {
      role: "registry",
      generation: 2,
      address: "0x50130b669B28C339991d8676FA73CF122a121267",
      startBlock: 6682888,
      title: "Lineanames Registry",
    }, // ENSRegistry
    {
      role: "registrar",
      generation: 2,
      address: "0x6e84390dCc5195414eC91A8c56A5c91021B95704",
      startBlock: 6682892,
      title: "Lineanames Registrar",
    }, // BaseRegistrarImplementation
    {
      role: "controller",
      generation: 7,
      address: "0xDb75Db974B1F2bD3b5916d503036208064D18295",
      startBlock: 6682978,
      title: "Lineanames Controller",
    }, // ETHRegistrarController
    {
      role: "wrapper",
      generation: 1,
      address: "0xA53cca02F98D590819141Aa85C891e2Af713C223",
      startBlock: 6682956,
      title: "Lineanames NameWrapper",
    }, // NameWrapper
    {
      role: "resolver",
      generation: 4,
      address: "0x86c5AED9F27837074612288610fB98ccC1733126",
      startBlock: 6682994,
      static: true,
      title: "Lineanames Resolver",
    }, // PublicResolver
    {
      role: "l2-reverse-registrar",
      generation: 1,
      address: "0x0000000000D8e504002cC26E3Ec46D81971C1664",
      startBlock: 20173340,
      title: "L2 Reverse Registrar",
    }, // L2ReverseRegistrar
  ],
};

/** The same on the test network. */
export const lineaSepolia: Layer2 = {
  network: "sepolia",
  title: "Linea Sepolia",
  name: "linea-sepolia",
  chainId: 59141,
  multicall3: "0xcA11bde05977b3631167028862bE2a173976CA11",
  names: {
    parent: "linea-sepolia.eth",
    called: "Lineanames",
    keeper: "registrar",
    hasPremium: false,
    bridges: ["0x64884ED06241c059497aEdB2C7A44CcaE6bc7937", "0xb4b2748f543265e7e0d471f5d1bda81da4e74624"],
  },
  contracts: [
    {
      role: "registry",
      generation: 2,
      address: "0x5B2636F0f2137B4aE722C01dd5122D7d3e9541f7",
      startBlock: 2395094,
      title: "Lineanames Registry",
    }, // ENSRegistry
    {
      role: "registrar",
      generation: 2,
      address: "0x83475a84C0ea834F06c8e636A62631e7d2e07A44",
      startBlock: 2395099,
      title: "Lineanames Registrar",
    }, // BaseRegistrarImplementation
    {
      role: "controller",
      generation: 7,
      address: "0x0f81E3B3A32DFE1b8A08d3C0061d852337a09338",
      startBlock: 2395231,
      title: "Lineanames Controller",
    }, // ETHRegistrarController
    {
      role: "wrapper",
      generation: 1,
      address: "0xF127De9E039a789806fEd4C6b1C0f3aFfeA9425e",
      startBlock: 2395202,
      title: "Lineanames NameWrapper",
    }, // NameWrapper
    {
      role: "resolver",
      generation: 4,
      address: "0xA2008916Ed2d7ED0Ecd747a8a5309267e42cf1f1",
      startBlock: 2395249,
      static: true,
      title: "Lineanames Resolver",
    }, // PublicResolver
    {
      role: "l2-reverse-registrar",
      generation: 1,
      address: "0x00000beef055f7934784d6d81b6bc86665630dba",
      startBlock: 9267966,
      title: "L2 Reverse Registrar",
    }, // L2ReverseRegistrar
  ],
};

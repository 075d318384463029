import type { z } from "zod";
import type { deploymentShape } from "../deployments.ts";
import { layer2Of } from "./layer2.ts";

/**
 * Ethereum mainnet: all generations of ENS.
 * Sources: deployment receipts in ensdomains/ens-contracts; npm @ensnode/datasources 1.17.0; ENS's public records for
 * 2017 to 2019. Where the block of creation is not known, a block before it stands: it costs scan time only.
 */
export const mainnet: z.input<typeof deploymentShape> = {
  name: "mainnet",
  chainId: 1,
  universalResolver: "0xeEeEEEeE14D718C2B47D9923Deab1335E144EeEe",
  multicall3: "0xcA11bde05977b3631167028862bE2a173976CA11",
  contracts: [
    {
      role: "registry",
      generation: 1,
      address: "0x314159265dD8dbb310642f98f50C066173C1259b",
      startBlock: 3327417,
      title: "ENS Registry (2017)",
    }, // ENSRegistryOld
    {
      role: "registry",
      generation: 2,
      address: "0x00000000000C2E074eC69A0dFb2997BA6C7d2e1e",
      startBlock: 9380380,
      title: "ENS Registry",
    }, // ENSRegistry
    {
      role: "registrar",
      generation: 0,
      address: "0x6090A6e47849629b7245Dfa1Ca21D94cd15878Ef",
      startBlock: 3605331,
      title: "Auction Registrar (2017)",
    }, // AuctionRegistrar
    {
      role: "registrar",
      generation: 1,
      address: "0xFaC7BEA255a6990f749363002136aF6556b31e04",
      startBlock: 7173574,
      title: ".eth Registrar (2019)",
    }, // BaseRegistrarOld; deployed in spring 2019; a safe lower bound
    {
      role: "registrar",
      generation: 2,
      address: "0x57f1887a8BF19b14fC0dF6Fd9B2acc9Af147eA85",
      startBlock: 9380410,
      title: ".eth Registrar",
    }, // BaseRegistrar
    {
      role: "controller",
      generation: 1,
      address: "0xF0AD5cAd05e10572EfcEB849f6Ff0c68f9700455",
      startBlock: 7666495,
      title: ".eth Controller (April 2019)",
    }, // LegacyController1; deployed 2019-04-30; a safe lower bound
    {
      role: "controller",
      generation: 2,
      address: "0xB22c1C159d12461EA124b0deb4b5b93020E6Ad16",
      startBlock: 8659893,
      title: ".eth Controller (November 2019)",
    }, // LegacyController2; deployed 2019-11-04; a safe lower bound
    {
      role: "controller",
      generation: 3,
      address: "0x283Af0B28c62C092C9727F1Ee09c02CA627EB7F5",
      startBlock: 9380471,
      title: ".eth Controller (2020)",
    }, // Controller3Legacy
    {
      role: "controller",
      generation: 4,
      address: "0x253553366Da8546fC250F225fe3d25d0C782303b",
      startBlock: 16925618,
      title: ".eth Controller (2023)",
    }, // Controller4Wrapped
    {
      role: "controller",
      generation: 5,
      address: "0x59E16fcCd424Cc24e280Be16E11Bcd56fb0CE547",
      startBlock: 22764821,
      title: ".eth Controller (2025)",
    }, // Controller5Unwrapped
    {
      role: "dns-registrar",
      generation: 1,
      address: "0xa2F428617a523837d4adC81C67a296d42FD95e86",
      startBlock: 9380528,
      title: "DNS Registrar (2020)",
    }, // DNSRegistrar of 2020
    {
      role: "dns-registrar",
      generation: 1,
      address: "0x58774Bb8acD458A640aF0B88238369A167546ef2",
      startBlock: 13040372,
      title: "DNS Registrar (2021)",
    }, // DNSRegistrar of 2021
    {
      role: "dns-registrar",
      generation: 2,
      address: "0xB32cB5677a7C971689228EC835800432B339bA2B",
      startBlock: 19027588,
      title: "DNS Registrar",
    }, // DNSRegistrar
    {
      role: "subdomain-registrar",
      generation: 1,
      address: "0xC32659651D137A18b79925449722855aA327231d",
      startBlock: 7173574,
      title: "Subdomain Registrar (2019)",
    }, // SubdomainRegistrar of 2019; a safe lower bound
    {
      role: "subdomain-registrar",
      generation: 1,
      address: "0xe65d8AAF34CB91087D1598e0A15B582F57F217d9",
      startBlock: 9380380,
      title: "Subdomain Registrar (2020)",
    }, // MigrationSubdomainRegistrar of 2020; a safe lower bound
    {
      role: "short-name-claims",
      generation: 1,
      address: "0xf7C83Bd0c50e7A72b55a39FE0DABF5e3A330d749",
      startBlock: 7666495,
      title: "Short Name Claims",
    }, // ShortNameClaims; open from July 2019, before the registrar added it; a safe lower bound
    {
      role: "renewal-referrer",
      generation: 1,
      address: "0xf55575Bde5953ee4272d5CE7cdD924c74d8fA81A",
      startBlock: 23784217,
      title: "Renewal Referrer",
    }, // UniversalRegistrarRenewalWithReferrer
    {
      role: "wrapper",
      generation: 1,
      address: "0xD4416b13d2b3a9aBae7AcD5D6C2BbDBE25686401",
      startBlock: 16925608,
      title: "NameWrapper",
    }, // NameWrapper
    {
      role: "reverse-registrar",
      generation: 1,
      address: "0x9062C0A6Dbd6108336BcBe4593a3D1cE05512069",
      startBlock: 3327417,
      title: "Reverse Registrar (2017)",
    }, // ReverseRegistrarV1; start unknown: the registry's
    {
      role: "reverse-registrar",
      generation: 2,
      address: "0x084b1c3C81545d370f3634392De611CaaBFf8148",
      startBlock: 3327417,
      title: "Reverse Registrar (2020)",
    }, // ReverseRegistrarV2; start unknown: the registry's
    {
      role: "reverse-registrar",
      generation: 3,
      address: "0xa58E81fe9b61B5c3fE2AFD33CF304c454AbFc7Cb",
      startBlock: 16925606,
      title: "Reverse Registrar",
    }, // ReverseRegistrar
    {
      role: "default-reverse-registrar",
      generation: 1,
      address: "0x283F227c4Bd38ecE252C4Ae7ECE650B0e913f1f9",
      startBlock: 22764819,
      title: "Default Reverse Registrar",
    }, // DefaultReverseRegistrar
    {
      role: "reverse-resolver",
      generation: 1,
      address: "0x5fBb459C49BB06083C33109fA4f14810eC2Cf358",
      startBlock: 3327417,
      title: "Default Reverse Resolver (2017)",
    }, // DefaultReverseResolver of 2017, of ReverseRegistrarV1; emits no events; start unknown: the registry's
    {
      role: "reverse-resolver",
      generation: 1,
      address: "0xA2C122BE93b0074270ebeE7f6b7292C7deB45047",
      startBlock: 9380501,
      title: "Default Reverse Resolver",
    }, // DefaultReverseResolver1; emits no events
    {
      role: "resolver",
      generation: 0,
      address: "0x1da022710dF5002339274AaDEe8D58218e9D6AB5",
      startBlock: 3648359,
      static: true,
      title: "Public Resolver (May 2017)",
    }, // PublicResolver0
    {
      role: "resolver",
      generation: 1,
      address: "0x5FfC014343cd971B7eb70732021E26C35B744cc4",
      startBlock: 3733668,
      static: true,
      title: "Public Resolver (2017)",
    }, // PublicResolver1
    {
      role: "resolver",
      generation: 2,
      address: "0xD3ddcCDD3b25A8a7423B5bEe360a42146eb4Baf3",
      startBlock: 3327417,
      title: "Public Resolver (2019)",
    }, // PublicResolver2019; not on the static list: its ABI is not confirmed
    {
      role: "resolver",
      generation: 2,
      address: "0x226159d592E2b063810a10Ebf6dcbADA94Ed68b8",
      startBlock: 8659893,
      static: true,
      title: "Public Resolver (October 2019)",
    }, // PublicResolver2
    {
      role: "resolver",
      generation: 3,
      address: "0xDaaF96c344f63131acadD0Ea35170E7892d3dfBA",
      startBlock: 9380380,
      static: true,
      title: "Public Resolver (2020)",
    }, // PublicResolver2020; start unknown: the registry's of 2020
    {
      role: "resolver",
      generation: 3,
      address: "0x4976fb03C32e5B8cfe2b6cCB31c09Ba78EBaBa41",
      startBlock: 9412610,
      static: true,
      title: "Public Resolver (2020)",
    }, // PublicResolver3Legacy
    {
      role: "resolver",
      generation: 4,
      address: "0x231b0Ee14048e9dCcD1d247744d114a4EB5E8E63",
      startBlock: 16925619,
      static: true,
      title: "Public Resolver (2023)",
    }, // PublicResolver4
    {
      role: "resolver",
      generation: 5,
      address: "0xF29100983E058B709F3D539b0c765937B804AC15",
      startBlock: 22764828,
      static: true,
      title: "Public Resolver (2025)",
    }, // PublicResolver5
    {
      role: "resolver",
      generation: 3,
      address: "0xDa1756Bb923Af5d1a05E277CB1E54f1D0A127890",
      startBlock: 7173574,
      static: true,
      title: "Argent Resolver",
    }, // ArgentResolver; third party
    {
      role: "resolver",
      generation: 3,
      address: "0xF58D55F06bB92f083E78bb5063A2DD3544f9B6a3",
      startBlock: 10170681,
      static: true,
      title: "Loopring Resolver",
    }, // LoopringResolver; third party
    {
      role: "agent-adapter",
      generation: 1,
      address: "0xde152AfB7db5373F34876E1499fbD893A82dD336",
      startBlock: 24821152,
      title: "ERC-8004 Adapter",
    }, // Adapter8004
    {
      role: "agent-registry",
      generation: 1,
      address: "0x8004A169FB4a3325136EB29fA0ceB6D2e539a432",
      startBlock: 24339871,
      title: "ERC-8004 Identity Registry",
    }, // ERC8004IdentityRegistry
    {
      role: "price-feed",
      generation: 5,
      address: "0x37bC7498f4FF12C19678ee8fE19d713b87F6a9e6",
      startBlock: 12460000,
      title: "ETH/USD Price Feed, phase 5",
    }, // Phase 5 of the feed ETH/USD; in force since about 12,453,812
    {
      role: "price-feed",
      generation: 6,
      address: "0xE62B71cf983019BFf55bC83B48601ce8419650CC",
      startBlock: 17190000,
      title: "ETH/USD Price Feed, phase 6",
    }, // Phase 6; its answers begin before it takes over
    {
      role: "price-feed",
      generation: 7,
      address: "0x7d4E742018fb52E48b08BE73d041C18B21de6Fb5",
      startBlock: 20790000,
      title: "ETH/USD Price Feed, phase 7",
    }, // Phase 7
  ],
  // The oracle of controllers 4 and 5, 0x7542565191d074cE84fBfA92cAE13AcB84788CA9: its constructor's arguments.
  priceFeed: {
    proxy: "0x5f4eC3Df9cbd43714FE2740f5E3616155c5b8419",
    rents: [0, 0, 20_294_266_869_609, 5_073_566_717_402, 158_548_959_919],
    takeovers: [
      { phase: 6, after: 17_212_057, by: 17_219_173 },
      { phase: 7, after: 20_816_703, by: 20_823_767 },
    ],
    lastSeen: 26_072_207,
  },
  layer2: layer2Of("mainnet"),
};

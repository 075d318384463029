import type { z } from "zod";
import type { deploymentShape } from "../deployments.ts";
import { layer2Of } from "./layer2.ts";

/**
 * Sepolia, its ENSv1 contracts.
 * Sources: deployment receipts in ensdomains/ens-contracts; npm @ensnode/datasources 1.17.0; ENS's public records for
 * 2017 to 2019. Where the block of creation is not known, a block before it stands: it costs scan time only.
 */
export const sepolia: z.input<typeof deploymentShape> = {
  name: "sepolia",
  chainId: 11155111,
  universalResolver: "0xeEeEEEeE14D718C2B47D9923Deab1335E144EeEe",
  multicall3: "0xcA11bde05977b3631167028862bE2a173976CA11",
  contracts: [
    {
      role: "registry",
      generation: 1,
      address: "0x94f523b8261B815b87EFfCf4d18E6aBeF18d6e4b",
      startBlock: 3702721,
      title: "ENS Registry (2017)",
    }, // ENSRegistryOld
    {
      role: "registry",
      generation: 2,
      address: "0x00000000000C2E074eC69A0dFb2997BA6C7d2e1e",
      startBlock: 3702728,
      title: "ENS Registry",
    }, // ENSRegistry
    {
      role: "registrar",
      generation: 2,
      address: "0x57f1887a8BF19b14fC0dF6Fd9B2acc9Af147eA85",
      startBlock: 3702731,
      title: ".eth Registrar",
    }, // BaseRegistrar
    {
      role: "controller",
      generation: 3,
      address: "0x7e02892cfc2Bfd53a75275451d73cF620e793fc0",
      startBlock: 3790197,
      title: ".eth Controller (2020)",
    }, // ControllerLegacy
    {
      role: "controller",
      generation: 4,
      address: "0xFED6a969AaA60E4961FCD3EBF1A2e8913ac65B72",
      startBlock: 3790244,
      title: ".eth Controller (2023)",
    }, // ControllerWrapped
    {
      role: "controller",
      generation: 5,
      address: "0xfb3cE5D01e0f33f41DbB39035dB9745962F1f968",
      startBlock: 8579988,
      title: ".eth Controller (2025)",
    }, // ControllerUnwrapped
    {
      role: "renewal-referrer",
      generation: 1,
      address: "0x7AB2947592C280542e680Ba8f08A589009da8644",
      startBlock: 9447519,
      title: "Renewal Referrer",
    }, // UniversalRegistrarRenewalWithReferrer
    {
      role: "wrapper",
      generation: 1,
      address: "0x0635513f179D50A207757E05759CbD106d7dFcE8",
      startBlock: 3790153,
      title: "NameWrapper",
    }, // NameWrapper
    {
      role: "reverse-registrar",
      generation: 3,
      address: "0xA0a1AbcDAe1a2a4A2EF8e9113Ff0e02DD81DC0C6",
      startBlock: 3789411,
      title: "Reverse Registrar",
    }, // ReverseRegistrar
    {
      role: "default-reverse-registrar",
      generation: 1,
      address: "0x4F382928805ba0e23B30cFB75fC9E848e82DFD47",
      startBlock: 8579966,
      title: "Default Reverse Registrar",
    }, // DefaultReverseRegistrar
    {
      role: "resolver",
      generation: 3,
      address: "0x0CeEC524b2807841739D3B5E161F5bf1430FFA48",
      startBlock: 3790166,
      title: "Public Resolver (2020)",
    }, // PublicResolverLegacy; not on the static list: not confirmed
    {
      role: "resolver",
      generation: 4,
      address: "0x8FADE66B79cC9f707aB26799354482EB93a5B7dD",
      startBlock: 3790251,
      static: true,
      title: "Public Resolver (2023)",
    }, // PublicResolver3
    {
      role: "resolver",
      generation: 4,
      address: "0x8948458626811dd0c23EB25Cc74291247077cC51",
      startBlock: 7035086,
      static: true,
      title: "Public Resolver (2024)",
    }, // PublicResolver4
    {
      role: "resolver",
      generation: 5,
      address: "0xE99638b40E4Fff0129D56f03b55b6bbC4BBE49b5",
      startBlock: 8580001,
      static: true,
      title: "Public Resolver (2025)",
    }, // PublicResolver5
    {
      role: "agent-adapter",
      generation: 1,
      address: "0x7621630cB63a73a194f45A3E6801B8C6A7eC2f92",
      startBlock: 10597910,
      title: "ERC-8004 Adapter",
    }, // Adapter8004
    {
      role: "agent-registry",
      generation: 1,
      address: "0x8004A818BFB912233c491871b3d84c89A494BD9e",
      startBlock: 9980000,
      title: "ERC-8004 Identity Registry",
    }, // ERC8004IdentityRegistry
  ],
  layer2: layer2Of("sepolia"),
};

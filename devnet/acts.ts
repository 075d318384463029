/**
 * The acts: everything that people do with ENS, as functions over a {@link Chain}, by the contracts' official
 * ABIs. Each sends its transactions, one block each, and gives the receipt of the last; a revert is thrown with
 * the contract's reason ({@link ActReverted}), or reported as a value by {@link attempt}. Secrets come from the
 * label and the chain's time, so the same acts on the same start give the same blocks.
 */
export * from "./acts/agents.ts";
export * from "./acts/auction.ts";
export * from "./acts/basenames.ts";
export * from "./acts/chain.ts";
export * from "./acts/controllers.ts";
export * from "./acts/dnsTokens.ts";
export * from "./acts/ensv2.ts";
export * from "./acts/ensv2Migration.ts";
export * from "./acts/ensv2Phases.ts";
export * from "./acts/ensv2Registrar.ts";
export * from "./acts/ensv2Resolver.ts";
export * from "./acts/lineanames.ts";
export * from "./acts/multicall.ts";
export * from "./acts/names.ts";
export * from "./acts/priceFeed.ts";
export * from "./acts/registrar.ts";
export * from "./acts/registry.ts";
export * from "./acts/resolver.ts";
export * from "./acts/reverse.ts";
export * from "./acts/wrapper.ts";

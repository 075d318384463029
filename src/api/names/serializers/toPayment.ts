import type { Address } from "viem";
import type { z } from "zod";
import type { Contracts } from "../../../../abis/contracts.ts";
import type * as schemas from "../schemas/answers.ts";
import { toAddress } from "./hex.ts";

/** An ERC-20 token accepted as payment. Symbol and decimals come from the deployment. */
export function toPaymentToken(token: Address, { ensv2 }: Contracts): PaymentToken {
  const known = ensv2?.paymentTokens.find(({ address }) => address === token);
  return { token: toAddress(token), symbol: known?.symbol ?? null, decimals: known?.decimals ?? null };
}

type PaymentToken = Omit<z.infer<typeof schemas.payment>, "amount">;

/** The token price in a log; undefined for a log without one. */
export const toPayment = (
  { paymentToken, tokenAmount }: { paymentToken: Address | null; tokenAmount: bigint | null },
  contracts: Contracts,
): z.infer<typeof schemas.payment> | undefined =>
  paymentToken === null || tokenAmount === null
    ? undefined
    : { ...toPaymentToken(paymentToken, contracts), amount: tokenAmount.toString() };

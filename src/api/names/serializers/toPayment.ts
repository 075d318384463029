import type { Address } from "viem";
import type { z } from "zod";
import type { Contracts } from "../../../../abis/contracts.ts";
import type * as schemas from "../schemas/answers.ts";
import { toAddress } from "./hex.ts";

/** An ERC-20 token in which names are paid; symbol and decimals are those of the deployment. */
export function toPaymentToken(token: Address, { ensv2 }: Contracts): PaymentToken {
  const known = ensv2?.paymentTokens.find(({ address }) => address === token);
  return { token: toAddress(token), symbol: known?.symbol ?? null, decimals: known?.decimals ?? null };
}

type PaymentToken = Omit<z.infer<typeof schemas.payment>, "amount">;

/** A price that a log has; undefined for a log without a price in tokens. */
export const toPayment = (
  { paymentToken, tokenAmount }: { paymentToken: Address | null; tokenAmount: bigint | null },
  contracts: Contracts,
): z.infer<typeof schemas.payment> | undefined =>
  paymentToken === null || tokenAmount === null
    ? undefined
    : { ...toPaymentToken(paymentToken, contracts), amount: tokenAmount.toString() };

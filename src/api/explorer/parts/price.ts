/** An amount of ether as people read it; more than six digits after the point say nothing to them. */
export const inEth = (ether: string): string => {
  const [whole, digits = ""] = ether.split(".");
  const shown = digits.slice(0, 6).replace(/0+$/, "");
  return `${whole}${shown === "" ? "" : `.${shown}`} ETH`;
};

/** An amount of a token as people read it; of a token that is not known, in its smallest units. */
export function inTokens({ amount, symbol, decimals, token }: Amount): string {
  if (symbol === null || decimals === null) return `${amount} units of ${token}`;
  const digits = amount.padStart(decimals + 1, "0");
  const whole = digits.slice(0, digits.length - decimals);
  const cents = digits.slice(whole.length, whole.length + 2).replace(/0+$/, "");
  return `${whole}${cents === "" ? "" : `.${cents}`} ${symbol}`;
}

type Amount = { amount: string; symbol: string | null; decimals: number | null; token: string };

/** An amount of ether as people read it; more than six digits after the point say nothing to them. */
export const inEth = (ether: string): string => {
  const [whole, digits = ""] = ether.split(".");
  const shown = digits.slice(0, 6).replace(/0+$/, "");
  return `${whole}${shown === "" ? "" : `.${shown}`} ETH`;
};

const ETHER = 10n ** 18n;

/** An amount of wei as people read it, rounded: with four digits after the point, a small one with six or three that count. */
export function weiInEth(wei: string): string {
  const amount = BigInt(wei);
  const zeros = 18 - wei.length;
  const digits = amount >= ETHER ? 4 : Math.min(18, Math.max(6, zeros + 3));
  const unit = 10n ** BigInt(18 - digits);
  const rounded = (amount + unit / 2n) / unit;
  const [whole, rest] = [rounded / 10n ** BigInt(digits), rounded % 10n ** BigInt(digits)];
  const fraction = rest.toString().padStart(digits, "0").replace(/0+$/, "");
  return `${whole.toLocaleString("en")}${fraction === "" ? "" : `.${fraction}`} ETH`;
}

/** An amount of dollars as an answer has it, with groups of digits; no cents from a thousand on. */
export function withGroups(dollars: string): string {
  const amount = Number(dollars);
  const digits = amount >= 1_000 ? 0 : 2;
  const format = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  return `$${amount.toLocaleString("en", format)}`;
}

/** A token amount as people read it; in its smallest units for unknown tokens. */
export function inTokens({ amount, symbol, decimals, token }: Amount): string {
  if (symbol === null || decimals === null) return `${amount} units of ${token}`;
  const digits = amount.padStart(decimals + 1, "0");
  const whole = digits.slice(0, digits.length - decimals);
  const cents = digits.slice(whole.length, whole.length + 2).replace(/0+$/, "");
  return `${whole}${cents === "" ? "" : `.${cents}`} ${symbol}`;
}

type Amount = { amount: string; symbol: string | null; decimals: number | null; token: string };

/** An amount of ether, with at most six decimals. */
export const inEth = (ether: string): string => {
  const [whole, digits = ""] = ether.split(".");
  const shown = digits.slice(0, 6).replace(/0+$/, "");
  return `${whole}${shown === "" ? "" : `.${shown}`} ETH`;
};

const ETHER = 10n ** 18n;

/** An amount of wei in ether, rounded to four decimals; small amounts to six decimals or three significant digits. */
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

/** A dollar amount from an answer, with thousands separators; without cents from 1,000 on. */
export function withGroups(dollars: string): string {
  const amount = Number(dollars);
  const digits = amount >= 1_000 ? 0 : 2;
  const format = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  return `$${amount.toLocaleString("en", format)}`;
}

/** A cost in dollars in parentheses, to follow the cost in ether; empty where it is unknown. */
export const inDollars = (dollars: string | undefined): string =>
  dollars === undefined ? "" : ` (${withGroups(dollars)})`;

/** A token amount for readers; in its smallest units for unknown tokens. */
export function inTokens({ amount, symbol, decimals, token }: Amount): string {
  if (symbol === null || decimals === null) return `${amount} units of ${token}`;
  const digits = amount.padStart(decimals + 1, "0");
  const whole = digits.slice(0, digits.length - decimals);
  const cents = digits.slice(whole.length, whole.length + 2).replace(/0+$/, "");
  return `${whole}${cents === "" ? "" : `.${cents}`} ${symbol}`;
}

type Amount = { amount: string; symbol: string | null; decimals: number | null; token: string };

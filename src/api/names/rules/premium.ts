import { DAY } from "./seconds.ts";
import { PREMIUM_DAYS } from "./stages.ts";

/** How a name's premium falls after its grace, in the units of its oracle. */
export type PremiumCurve = {
  /** The premium at the end of grace. */
  start: bigint;
  /** The value to which the start has decayed at the end of the premium. It is subtracted, so that the premium ends at 0. */
  end: bigint;
  /** Half-life in seconds. */
  halving: bigint;
  /** How the contract computes a fraction of the half-life. The two methods round differently. */
  by: "roots" | "exponential";
};

const ONE = 10n ** 18n;

/** One half to the power of 2^i / 65536, with 18 decimals, as in the contracts. */
const ROOTS_OF_ONE_HALF = [
  999989423469314432n,
  999978847050491904n,
  999957694548431104n,
  999915390886613504n,
  999830788931929088n,
  999661606496243712n,
  999323327502650752n,
  998647112890970240n,
  997296056085470080n,
  994599423483633152n,
  989228013193975424n,
  978572062087700096n,
  957603280698573696n,
  917004043204671232n,
  840896415253714560n,
  707106781186547584n,
];

/** Any start decays to nothing after this number of half-lives. */
const MAX_HALVINGS = 256n;

/** The decayed value of a start after a number of seconds. */
const halved = {
  roots: halvedByRoots,
  exponential: halvedByExponential,
} satisfies Record<PremiumCurve["by"], (start: bigint, halving: bigint, elapsed: bigint) => bigint>;

/** The premium some seconds after the end of grace; 0 before it. */
export function premiumAfter({ start, end, halving, by }: PremiumCurve, elapsed: bigint): bigint {
  if (elapsed < 0n || start === 0n) return 0n;
  const now = halved[by](start, halving, elapsed);
  return now > end ? now - end : 0n;
}

/** The number of seconds after the end of grace from which a premium is at most this amount. The curve never rises. */
export function secondsUntil(curve: PremiumCurve, amount: bigint): bigint {
  let [low, high] = [0n, curve.halving * MAX_HALVINGS];
  while (low < high) {
    const middle = (low + high) / 2n;
    if (premiumAfter(curve, middle) <= amount) high = middle;
    else low = middle + 1n;
  }
  return low;
}

/** A curve that ends some seconds after the end of grace. */
export const curveOf = (start: bigint, { halving, period }: { halving: bigint; period: bigint }) =>
  ({
    start,
    halving,
    by: "roots",
    end: start === 0n || halving === 0n ? 0n : halvedByRoots(start, halving, period),
  }) satisfies PremiumCurve;

/** Source: ExponentialPremiumPriceOracle, `decayedPremium`; ensdomains/contracts-v2, src/registrar/libraries/LibHalving.sol. */
function halvedByRoots(start: bigint, halving: bigint, elapsed: bigint): bigint {
  const halvings = (elapsed * ONE) / halving;
  if (halvings / ONE >= MAX_HALVINGS) return 0n;
  const fraction = ((halvings % ONE) << 16n) / ONE;
  return ROOTS_OF_ONE_HALF.reduce(
    (amount, root, bit) => ((fraction >> BigInt(bit)) & 1n ? (amount * root) / ONE : amount),
    start >> (halvings / ONE),
  );
}

/** The natural logarithm of one half with 18 decimals, as rounded by solady's `lnWad`. */
const LN_OF_ONE_HALF = -693147180559945310n;

/** Source: base/basenames, src/L2/ExponentialPremiumPriceOracle.sol; src/lib/EDAPrice.sol. */
function halvedByExponential(start: bigint, halving: bigint, elapsed: bigint): bigint {
  return (start * exponential((LN_OF_ONE_HALF * ((elapsed * ONE) / halving)) / ONE)) / ONE;
}

/** Below this power, the result is less than half a unit. */
const LEAST_POWER = -41446531673892822313n;

/** The natural logarithm of 2, as a fixed-point number with 96 binary places. */
const LN_2 = 54916777467707473351141471128n;

/** Coefficients of the denominator, the highest power first. */
const DENOMINATOR = [
  50020603652535783019961831881945n,
  -533845033583426703283633433725380n,
  3604857256930695427073651918689429n,
  -14423608567350463180887372962807573n,
  26449188498355588339934803723976023n,
];

/**
 * e to a non-positive power, both with 18 decimals: the contract's rational approximation, with its rounding.
 * Source: Vectorized/solady, src/utils/FixedPointMathLib.sol, `expWad` (method by Remco Bloemen, https://2π.com/22/exp-ln).
 */
function exponential(power: bigint): bigint {
  if (power <= LEAST_POWER) return 0n;
  const scaled = (power << 78n) / 5n ** 18n;
  const halvings = ((scaled << 96n) / LN_2 + (1n << 95n)) >> 96n;
  const x = scaled - halvings * LN_2;
  const y = (((x + 1346386616545796478920950773328n) * x) >> 96n) + 57155421227552351082224309758442n;
  const z = (((y + x - 94201549194550492254356042504812n) * y) >> 96n) + 28719021644029726153956944680412240n;
  const numerator = z * x + (4385272521454847904659076985693276n << 96n);
  const denominator = DENOMINATOR.reduce(
    (sum, coefficient) => ((sum * x) >> 96n) + coefficient,
    x - 2855989394907223263936484059900n,
  );
  return (
    ((numerator / denominator) * 3822833074963236453042738258902158003155416615667n) >> (195n - halvings)
  );
}

/**
 * The curve of .eth names in ENSv1, in attoUSD. Its contract does not expose the parameters, so these are those of its
 * deployment.
 * Source: ens-contracts, contracts/ethregistrar/ExponentialPremiumPriceOracle.sol; deploy/ethregistrar.
 */
export const premiumOfEth: PremiumCurve = curveOf(100_000_000n * ONE, {
  halving: BigInt(DAY),
  period: BigInt(PREMIUM_DAYS * DAY),
});

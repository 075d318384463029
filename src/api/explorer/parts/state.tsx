import type { LifeEnd } from "../../rules/lifeEnds.ts";
import { DAY } from "../../rules/seconds.ts";
import { PREMIUM_DAYS } from "../../rules/stages.ts";
import type { Availability } from "../replies.ts";
import { Time } from "./time.tsx";

const words: Record<Availability, string> = {
  registered: "Registered",
  grace: "Grace period",
  premium: "Premium",
  available: "Available",
  unknown: "Unknown",
};

/** The state of a name, in a word and a colour. */
export const StateBadge = ({ state }: { state: Availability }) => (
  <span class={`badge ${state}`}>{words[state]}</span>
);

/** What the price oracle asks at the end of grace, in dollars. It halves each day, less what would be left at the end. */
const FIRST_PREMIUM = 100_000_000;

/** The premium in dollars, some days after the end of grace. Source: ExponentialPremiumPriceOracle. */
export const premiumAfter = (days: number): number =>
  days >= PREMIUM_DAYS ? 0 : FIRST_PREMIUM * (0.5 ** days - 0.5 ** PREMIUM_DAYS);

const cents = new Intl.NumberFormat("en", { maximumFractionDigits: 2 });
const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

const inDollars = (amount: number): string => `$${(amount < 100 ? cents : whole).format(amount)}`;

type Life = { ends: readonly LifeEnd[]; state: Availability; now: number; hasPrices: boolean };

/** The life of a registrar's name: until when each state lasts, and in which one it is. */
export const Lifeline = ({ ends, state, now, hasPrices }: Life) => {
  const steps = [
    ...ends.map(({ phase, at }) => ({ state: phase as Availability, text: "until", at: Number(at) })),
    { state: "available" as const, text: "from", at: Number(ends.at(-1)?.at) },
  ];
  const present = steps.findIndex((step) => step.state === state);
  const grace = steps.find((step) => step.state === "grace");
  return (
    <>
      <ol class="life">
        {steps.map((step, i) => (
          <li
            class={i < present ? "past" : i === present ? `present ${step.state}` : "future"}
            {...(i === present && { "aria-current": "step" as const })}
          >
            <span class="step">{words[step.state]}</span>
            <span class="until">
              {step.text} <Time at={step.at} day />
            </span>
          </li>
        ))}
      </ol>
      {hasPrices && grace && (state === "grace" || state === "premium") && (
        <Premium graceEnd={grace.at} now={now} />
      )}
    </>
  );
};

/** The size of the picture, in its own units. */
const WIDTH = 440;
const HEIGHT = 200;
const LEFT = 56;
const BOTTOM = 28;
const TOP = 12;

/** The height of a price: each step of ten is as high. Below a dollar all is at the bottom. */
const yOf = (dollars: number): number => {
  const share = Math.log10(Math.max(dollars, 1)) / Math.log10(FIRST_PREMIUM);
  return HEIGHT - BOTTOM - share * (HEIGHT - BOTTOM - TOP);
};

const xOf = (days: number): number => LEFT + (days / PREMIUM_DAYS) * (WIDTH - LEFT - 12);

const prices = [1, 100, 10_000, 1_000_000, 100_000_000];
/** Days that the picture names: the weeks of the premium. */
const marks = [0, 1, 2, 3].map((week) => (week * PREMIUM_DAYS) / 3);

/** The falling price, with the present on it. */
const Premium = ({ graceEnd, now }: { graceEnd: number; now: number }) => {
  const days = (now - graceEnd) / DAY;
  const price = premiumAfter(Math.max(days, 0));
  const isNow = days >= 0 && days < PREMIUM_DAYS;
  const points = Array.from({ length: PREMIUM_DAYS * 8 + 1 }, (_, i) => i / 8);
  const line = points.map((day) => `${xOf(day).toFixed(1)},${yOf(premiumAfter(day)).toFixed(1)}`).join(" ");
  const says = isNow
    ? `The premium is ${inDollars(price)} now, and halves each day.`
    : `The premium starts at ${inDollars(FIRST_PREMIUM)} when grace ends, and halves each day.`;
  return (
    <figure class="curve">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} width={WIDTH} height={HEIGHT} role="img" aria-label={says}>
        {prices.map((dollars) => (
          <g>
            <line class="rule" x1={LEFT} x2={WIDTH - 12} y1={yOf(dollars)} y2={yOf(dollars)} />
            <text x={LEFT - 8} y={yOf(dollars) + 4} text-anchor="end">
              {`$${dollars.toLocaleString("en", { notation: "compact" })}`}
            </text>
          </g>
        ))}
        {marks.map((day) => (
          <text x={xOf(day)} y={HEIGHT - 8} text-anchor={day === 21 ? "end" : day === 0 ? "start" : "middle"}>
            {day === 0 ? "grace ends" : `day ${day}`}
          </text>
        ))}
        <polyline points={line} />
        {isNow && <circle cx={xOf(days)} cy={yOf(price)} r="6" />}
      </svg>
      <figcaption>
        {isNow && (
          <>
            <span class="faint">Premium now</span>
            <strong class="price">{inDollars(price)}</strong>
          </>
        )}
        <span>{isNow ? "It halves each day." : says} The yearly price comes on top.</span>
      </figcaption>
    </figure>
  );
};

import { endingExpiryOf, type LifeEnd } from "../../../names/rules/lifeEnds.ts";
import { premiumAfter as attoUsdAfter, premiumOfEth, secondsUntil } from "../../../names/rules/premium.ts";
import { DAY } from "../../../names/rules/seconds.ts";
import { PREMIUM_DAYS } from "../../../names/rules/stages.ts";
import type { Availability, Domain, PriceOffer } from "../replies.ts";
import { withGroups } from "./price.ts";
import { inBoth, paidIn } from "./prices.tsx";
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

/** When each state of a name ends; nothing of a name that does not expire. */
export function endsOf(domain: Domain): LifeEnd[] {
  const { grace_end_timestamp, premium_end_timestamp } = domain;
  const ends = [
    ["registered", endingExpiryOf(domain)],
    ["grace", grace_end_timestamp],
    ["premium", premium_end_timestamp],
  ] as const;
  return ends.flatMap(([phase, at]) => (at == null ? [] : [{ phase, at: BigInt(at) }]));
}

const ATTO = 10n ** 18n;

/** The premium in dollars, some days after the end of grace: the curve of .eth names, in ENSv2 too. */
export const premiumAfter = (days: number): number =>
  Number(attoUsdAfter(premiumOfEth, BigInt(Math.round(days * DAY))) / 10n ** 12n) / 1e6;

/** What the price oracle asks at the end of grace, in dollars. */
const FIRST_PREMIUM = Number(premiumOfEth.start / ATTO);

/** A premium from which on people begin to look. */
const LOW_PREMIUM = 1_000;

/** When the premium is as low, in seconds after the end of grace. */
const LOW_AFTER = Number(secondsUntil(premiumOfEth, BigInt(LOW_PREMIUM) * ATTO));

type Life = {
  ends: readonly LifeEnd[];
  state: Availability;
  now: number;
  /** Whether the premium of the name falls by the curve of .eth names. */
  hasCurve: boolean;
  /** The name's present price for one year; null if unknown. */
  price: PriceOffer["prices"][number] | null;
};

/** The life of a registrar's name: until when each state lasts, and in which one it is. */
export const Lifeline = ({ ends, state, now, hasCurve, price }: Life) => {
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
      {hasCurve && grace && state === "premium" && <Premium graceEnd={grace.at} now={now} price={price} />}
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

type Falling = { graceEnd: number; now: number; price: Life["price"] };

/** The falling price, with the present on it. */
const Premium = ({ graceEnd, now, price }: Falling) => {
  const days = (now - graceEnd) / DAY;
  const dollars = premiumAfter(Math.max(days, 0));
  const points = Array.from({ length: PREMIUM_DAYS * 8 + 1 }, (_, i) => i / 8);
  const line = points.map((day) => `${xOf(day).toFixed(1)},${yOf(premiumAfter(day)).toFixed(1)}`).join(" ");
  const says = `The premium is ${withGroups(String(dollars))} now and halves every day.`;
  return (
    <figure class="curve">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} width={WIDTH} height={HEIGHT} role="img" aria-label={says}>
        {prices.map((amount) => (
          <g>
            <line class="rule" x1={LEFT} x2={WIDTH - 12} y1={yOf(amount)} y2={yOf(amount)} />
            <text x={LEFT - 8} y={yOf(amount) + 4} text-anchor="end">
              {`$${amount.toLocaleString("en", { notation: "compact" })}`}
            </text>
          </g>
        ))}
        {marks.map((day) => (
          <text x={xOf(day)} y={HEIGHT - 8} text-anchor={day === 21 ? "end" : day === 0 ? "start" : "middle"}>
            {day === 0 ? "grace ends" : `day ${day}`}
          </text>
        ))}
        <polyline points={line} />
        {days >= 0 && days < PREMIUM_DAYS && <circle cx={xOf(days)} cy={yOf(dollars)} r="6" />}
      </svg>
      <figcaption>
        <span class="faint">Premium now</span>
        <strong class="price">
          {price?.usd ? withGroups(price.usd.premium) : withGroups(String(dollars))}
        </strong>
        {price && <span>{paidIn(price, "premium")}</span>}
        {price && <span>Total for one year: {inBoth(price)}.</span>}
        <span>
          {"Halves every day: "}
          {days * DAY < LOW_AFTER && (
            <>
              below {withGroups(String(LOW_PREMIUM))} on <Time at={graceEnd + LOW_AFTER} day />,{" "}
            </>
          )}
          zero from <Time at={graceEnd + PREMIUM_DAYS * DAY} day />.
        </span>
      </figcaption>
    </figure>
  );
};

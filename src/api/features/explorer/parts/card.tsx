import type { Child } from "hono/jsx";
import type { ApiError } from "../../../server/errors/errors.ts";
import { inWords } from "../errorWords.ts";
import type { Unresolved } from "../replies.ts";
import { Icon } from "./icon.tsx";

type CardProps = { id: string; title: Child; aside?: Child; children?: Child; isWide?: boolean };

/** A part of a page with a heading. */
export const Card = ({ id, title, aside, children, isWide }: CardProps) => (
  <section class={isWide ? "card wide" : "card"} aria-labelledby={id}>
    <div class="card-head">
      <h2 id={id}>{title}</h2>
      {aside}
    </div>
    {children}
  </section>
);

export type Fact = [label: Child, value: Child];

/** Labels with values; nothing without any. */
export const Facts = ({ facts }: { facts: readonly (Fact | null | false)[] }) => {
  const given = facts.filter((fact): fact is Fact => fact !== null && fact !== false);
  if (given.length === 0) return null;
  return (
    <dl class="facts">
      {given.map(([label, value]) => (
        <div>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
};

/** Figures in a row. */
export const Figures = ({ figures }: { figures: readonly [label: string, value: Child][] }) => (
  <dl class="figures">
    {figures.map(([label, value]) => (
      <div>
        <dt>{label}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
);

/** What stands where there is nothing. */
export const Empty = ({ children }: { children?: Child }) => <p class="empty">{children}</p>;

const partsInWords: Record<Unresolved[number]["part"], string> = {
  domain: "the name",
  display: "how its owner spells the name",
  resolver: "its resolver",
  "resolver.answered_by": "whether a parent's resolver answers for it",
  records: "its records",
  "records.texts": "some of its text records",
  value: "the value",
  primary_name: "the primary name",
};

/** A notice beside an answer with parts that the chain could not provide. */
export const NotFoundOut = ({ unresolved }: { unresolved: Unresolved }) => (
  <div class="notice warn">
    <Icon name="warning" />
    <p>
      {`The chain could not be read, so this is unknown: ${unresolved.map(({ part }) => partsInWords[part]).join(", ")}. `}
      {[...new Set(unresolved.map(({ message }) => message))].join(" ")}
    </p>
  </div>
);

/** A notice beside a list that may be incomplete. */
export const MayLack = () => (
  <div class="notice warn">
    <Icon name="warning" />
    <p>Entries may be missing. The index does not follow the ENSv2 registry of this name.</p>
  </div>
);

/** What stands where a part could not be answered. */
export const Unavailable = ({ error }: { error: ApiError }) => {
  const { title, advice, needsKey } = inWords(error);
  return (
    <div class="notice warn">
      <Icon name="warning" />
      <p>
        {title}. {advice}{" "}
        {needsKey && (
          <>
            <a href="signup">Get a key</a> or <a href="explore/key">use yours</a>
          </>
        )}
      </p>
    </div>
  );
};

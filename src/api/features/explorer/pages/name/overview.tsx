import type { Child } from "hono/jsx";
import { managedNames } from "../../../../../ens/managedNames.ts";
import { ETH_NODE } from "../../../../../ens/name.ts";
import { endingExpiryOf, endsOfPhases, type LifeEnd } from "../../../../names/rules/lifeEnds.ts";
import type { ApiError } from "../../../../server/errors/errors.ts";
import type { Visit } from "../../page.ts";
import { appOf } from "../../parts/apps.ts";
import { Card, type Fact, Facts, NotFoundOut, Unavailable } from "../../parts/card.tsx";
import { AddressLink, Whole } from "../../parts/hash.tsx";
import { Icon } from "../../parts/icon.tsx";
import { NameLink } from "../../parts/name.tsx";
import { AppLink, inBoth, LENGTHS, Prices } from "../../parts/prices.tsx";
import { endsOf, Lifeline } from "../../parts/state.tsx";
import { Time } from "../../parts/time.tsx";
import type { Domain, NamePrice, PriceOffer, Records } from "../../replies.ts";
import { isAccountAddress } from "./coins.ts";
import { Ensv2 } from "./ensv2.tsx";
import { Profile } from "./head.tsx";
import { Addresses, Texts } from "./records.tsx";
import type { NameView } from "./view.ts";

/** Owner, expiry and address first; then price, wrapper, resolver and records. */
export async function overviewOfName({ visit, domain, now, records: askRecords }: NameView): Promise<Child> {
  const [records, price, network] = await Promise.all([
    askRecords(),
    priceOfName(visit, domain),
    visit.network(),
  ]);
  const known = price === null || price instanceof Error ? null : price;
  const isRenewal = known !== null && known.registration === null && known.renewal !== null;
  const written = records instanceof Error ? undefined : records.records;
  return (
    <>
      <Card id="registration" title="Ownership" isWide>
        <Facts facts={ownershipFacts(domain, { now, address: addressFact(records) })} />
      </Card>
      {domain.availability_status === "grace" && (
        <RenewUntil domain={domain} now={now} price={known} network={network} />
      )}
      <Life domain={domain} now={now} price={known?.registration?.prices[0] ?? null} />
      {price !== null && !isRenewal && <Prices price={price} network={network} />}
      {written && <Profile records={written} />}
      <div class="columns">
        <div>
          {domain.wrapper && <Wrapper wrapper={domain.wrapper} now={now} />}
          <Ensv2 domain={domain} now={now} />
          {records instanceof Error ? (
            <Card id="records" title="Records">
              <Unavailable error={records} />
            </Card>
          ) : (
            <>
              {records.unresolved && (
                <Card id="records" title="Records">
                  <NotFoundOut unresolved={records.unresolved} />
                </Card>
              )}
              {written && <Texts {...records} records={written} now={now} />}
            </>
          )}
        </div>
        <div>
          {!(records instanceof Error) && written && <Addresses {...records} records={written} />}
          <Resolver domain={domain} />
          {price !== null && isRenewal && <Prices price={price} network={network} isFolded />}
          <details class="card fold">
            <summary>
              <h2 id="hashes">Hashes and token</h2>
            </summary>
            <Facts facts={hashFacts(domain)} />
          </details>
        </div>
      </div>
    </>
  );
}

/** The price of a name that a registrar keeps; null for others, whose price no contract says. */
const priceOfName = async (visit: Visit, domain: Domain): Promise<NamePrice | ApiError | null> =>
  domain.parent_node === ETH_NODE || managedNames.some(({ node }) => node === domain.parent_node)
    ? visit.tryAsk<NamePrice>("/domain/{name}/price", { name: domain.query, years: LENGTHS })
    : null;

type Grace = { domain: Domain; now: number; price: NamePrice | null; network: string | null };

/** The renewal deadline, its price, and where to renew. */
function RenewUntil({ domain, now, price, network }: Grace) {
  const { grace_end_timestamp: end, query } = domain;
  if (end === undefined) return null;
  const year = price?.renewal?.prices[0];
  const app = price && appOf(price, { network, isRenewal: true });
  return (
    <div class="notice warn">
      <Icon name="warning" />
      <div>
        <p>
          <strong>
            Renew until <Time at={Number(end)} now={now} />.
          </strong>{" "}
          {year && `One year costs ${inBoth(year)}. `}
          Anyone can renew it until then. Afterwards, anyone can register it.
        </p>
        <p class="actions">
          {app && <AppLink app={app} isRenewal />}
          <a class="button" href={`domain/${encodeURIComponent(query)}/expiry.ics`}>
            <Icon name="calendar" /> Add to calendar
          </a>
        </p>
      </div>
    </div>
  );
}

type LifeProps = { domain: Domain; now: number; price: PriceOffer["prices"][number] | null };

/** Nothing for names that no registrar sells. The curve of the premium is that of .eth names, in ENSv2 too. */
function Life({ domain, now, price }: LifeProps) {
  const { parent_node: parentNode, availability_status: state } = domain;
  const ends = endsOfSold(domain);
  if (ends.length === 0) return null;
  return <Lifeline ends={ends} state={state} now={now} price={price} hasCurve={parentNode === ETH_NODE} />;
}

/** The ends of a registrar's name; the answer has those of ENSv2, whose grace differs. */
function endsOfSold(domain: Domain): LifeEnd[] {
  const { chain, protocol, parent_node: parentNode, expiry_timestamp: expiry } = domain;
  if (protocol === "ensv2") return domain.premium_end_timestamp === undefined ? [] : endsOf(domain);
  const managed = managedNames.find(({ node }) => chain !== undefined && node === parentNode);
  if (expiry === null || (managed === undefined && (chain !== undefined || parentNode !== ETH_NODE)))
    return [];
  return endsOfPhases({ chainId: managed?.chainId ?? 0, parentNode, expiryTimestamp: BigInt(expiry) });
}

/** The coin type of Ethereum in SLIP-44. */
const ETHEREUM = "60";

/** The address that wallets pay to; nothing where it could not be read. */
function addressFact(records: Records | ApiError): Fact | false {
  if (records instanceof Error || records.records === undefined) return false;
  const address = records.records.addresses[ETHEREUM];
  const isAddress = address !== undefined && isAccountAddress(address);
  return ["Address", isAddress ? <AddressLink address={address} isWhole /> : <span class="faint">none</span>];
}

type FactsAt = { now: number; address: Fact | false };

function ownershipFacts(domain: Domain, { now, address: addressRow }: FactsAt): (Fact | false)[] {
  const { ownership, parent_name, chain, availability_status, grace_end_timestamp: graceEnd } = domain;
  const { owner, registry, registrar, wrapper, to_timestamp, ended_by } = ownership;
  const expiry = endingExpiryOf(domain);
  const layers: [string, string | undefined][] = [
    ["In the registry", registry],
    ["In the registrar", registrar],
    ["In the NameWrapper", wrapper],
  ];
  return [
    [
      labelOfOwner(ownership),
      owner === undefined ? (
        <span class="faint">none</span>
      ) : (
        <AddressLink address={owner} chain={chain} isWhole />
      ),
    ],
    ["Expiry", expiry === null ? <span class="faint">none</span> : <Time at={Number(expiry)} now={now} />],
    availability_status === "grace" &&
      graceEnd !== undefined && ["Renew until", <Time at={Number(graceEnd)} now={now} />],
    to_timestamp !== undefined && [
      "No owner since",
      <>
        <Time at={to_timestamp} now={now} />. Anyone can register it.
      </>,
    ],
    ended_by === "no_registration" && ["Registration", "None. Anyone can register it."],
    addressRow,
    ...layers.map(
      ([label, address]): Fact | false =>
        address !== undefined &&
        address !== owner && [label, <AddressLink address={address} chain={chain} isWhole />],
    ),
    parent_name !== null && parent_name !== "" && ["Parent", <NameLink name={parent_name} />],
  ];
}

/** Names of expired tokens are the NameWrapper's by contract, and their last owner's by history. */
function labelOfOwner({ owner, is_owner_current, last_owner }: Domain["ownership"]): string {
  if (owner === undefined || is_owner_current) return "Owner";
  return owner === last_owner?.address ? "Last holder" : "Held by";
}

const resolverWords: Record<Domain["resolver"]["status"], string> = {
  indexed: "All records come from the index.",
  unindexed: "Records are read from the chain on each request.",
  none: "This name has no resolver of its own.",
};

const Resolver = ({ domain: { resolver, live } }: { domain: Domain }) => (
  <Card id="resolver" title="Resolver">
    <Facts
      facts={[
        resolver.address !== undefined && [
          "Address",
          <AddressLink address={resolver.address} chain={resolver.chain} isWhole />,
        ],
        resolver.answered_by !== undefined && [
          "Resolver of a parent",
          <AddressLink address={resolver.answered_by} isWhole />,
        ],
        resolver.chain !== undefined && ["Chain", resolver.chain],
      ]}
    />
    <p class="faint">
      {resolverWords[resolver.status]}
      {live === "not_asked" &&
        " Records cannot be read from the chain because the text of the name is unknown."}
    </p>
  </Card>
);

/** What each burnt fuse of the NameWrapper means. */
const fusesInWords: Record<string, string> = {
  CANNOT_UNWRAP: "The owner cannot unwrap the name.",
  CANNOT_BURN_FUSES: "The owner cannot burn more fuses.",
  CANNOT_TRANSFER: "The name cannot be transferred.",
  CANNOT_SET_RESOLVER: "The resolver cannot be changed.",
  CANNOT_SET_TTL: "The TTL cannot be changed.",
  CANNOT_CREATE_SUBDOMAIN: "New subnames cannot be created.",
  CANNOT_APPROVE: "The approved account cannot be changed.",
  PARENT_CANNOT_CONTROL: "The parent has given up control of the name.",
  IS_DOT_ETH: "The name was issued by a registrar, directly under .eth or linea.eth.",
  CAN_EXTEND_EXPIRY: "The owner can extend the expiry.",
};

const Wrapper = ({ wrapper, now }: { wrapper: NonNullable<Domain["wrapper"]>; now: number }) => (
  <Card id="wrapper" title="NameWrapper" aside={wrapper.expired && <span class="badge">expired</span>}>
    <Facts facts={[["Wrapper expiry", <Time at={Number(wrapper.expiry_timestamp)} now={now} />]]} />
    {wrapper.fuse_names.length === 0 ? (
      <p class="faint">No fuses are burned.</p>
    ) : (
      <ul class="fuses">
        {wrapper.fuse_names.map((fuse) => (
          <li>
            {fusesInWords[fuse] ?? "Custom fuse."} <span class="mono faint">{fuse}</span>
          </li>
        ))}
      </ul>
    )}
  </Card>
);

/** The card of ENSv2 shows its own token. */
const hashFacts = ({ namehash, labelhash, token_id, token }: Domain): (Fact | false)[] => [
  ["Namehash", <Whole value={namehash} what="namehash" />],
  labelhash !== null && ["Labelhash", <Whole value={labelhash} what="labelhash" />],
  token_id !== null && token_id !== token?.id && ["Token id", <Whole value={token_id} what="token id" />],
];

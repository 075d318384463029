import { Card, type Fact, Facts } from "../../parts/card.tsx";
import { AddressLink, Whole } from "../../parts/hash.tsx";
import { Time } from "../../parts/time.tsx";
import type { Domain } from "../../replies.ts";

/** What each role in a registry of ENSv2 allows. */
const rolesInWords: Record<string, string> = {
  REGISTRAR: "may register names",
  REGISTER_RESERVED: "may register reserved names",
  SET_PARENT: "may set the parent",
  UNREGISTER: "may end the name",
  RENEW: "may renew the name",
  SET_SUBREGISTRY: "may set the registry of subnames",
  SET_RESOLVER: "may set the resolver",
  CAN_TRANSFER: "may transfer the token",
  WAS_RESERVED: "holds a name that was reserved for its owner in ENSv1",
  SET_URI: "may set the token's metadata",
  CAN_NAME: "may name the contract",
  UPGRADE: "may change the contract's code",
};

const ADMIN = "_ADMIN";

const inWords = (role: string): string => {
  if (!role.endsWith(ADMIN)) return rolesInWords[role] ?? "has a role without a name";
  const granted = rolesInWords[role.slice(0, -ADMIN.length)];
  return granted === undefined ? "may grant a role without a name" : `may let others: ${granted}`;
};

/** What ENSv2 says of a name: its registry and token, how it came there, and who may do what. */
export const Ensv2 = ({ domain, now }: { domain: Domain; now: number }) => {
  const { protocol, roles } = domain;
  if (protocol === undefined) return null;
  return (
    <Card id="ensv2" title="ENSv2" aside={<span class="badge">{protocol}</span>}>
      <p class="faint">{sayingOf(domain)}</p>
      <Facts facts={factsOf(domain, now)} />
      {roles !== undefined && roles.total > 0 && (
        <ul class="fuses">
          {roles.holders.map((holder) => (
            <li>
              <AddressLink address={holder.address} />{" "}
              {holder.roles.map((role, i) => (
                <>
                  {i > 0 && ", "}
                  {inWords(role)} <span class="mono faint">{role}</span>
                </>
              ))}
            </li>
          ))}
        </ul>
      )}
      {roles !== undefined && roles.total > roles.holders.length && (
        <p class="faint">
          The first {roles.holders.length} of {roles.total} accounts.
        </p>
      )}
    </Card>
  );
};

function sayingOf({ protocol, registry, reservation, ownership, availability_status }: Domain): string {
  if (reservation !== undefined) {
    if (ownership.is_owner_current) return "ENSv2 reserves the name for its owner in ENSv1.";
    return availability_status === "unknown"
      ? "ENSv2 reserves the name, and no one owns it. It cannot be registered now."
      : "ENSv2 reserved the name, and no one owns it.";
  }
  if (protocol === "ensv1") return "ENSv1 answers for the name.";
  return registry === undefined
    ? "A name above it is in ENSv2, where this one is not registered."
    : "A registry of ENSv2 answers for the name.";
}

const factsOf = ({ registry, token, reservation, migration }: Domain, now: number): (Fact | false)[] => [
  registry !== undefined && ["Registry", <AddressLink address={registry} isWhole />],
  token !== undefined && ["Token", token.standard],
  token !== undefined && ["Of contract", <AddressLink address={token.contract} isWhole />],
  token !== undefined && ["Token id", <Whole value={token.id} what="token id" />],
  reservation !== undefined && [
    "Reserved until",
    <Time at={Number(reservation.expiry_timestamp)} now={now} />,
  ],
  migration !== undefined && ["Came from ENSv1", <Time at={migration.block_timestamp} now={now} />],
  migration?.from_address != null && ["From", <AddressLink address={migration.from_address} isWhole />],
  migration?.to_address != null && ["To", <AddressLink address={migration.to_address} isWhole />],
];

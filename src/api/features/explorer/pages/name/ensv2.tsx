import { Card, type Fact, Facts } from "../../parts/card.tsx";
import { AddressLink, Whole } from "../../parts/hash.tsx";
import { Time } from "../../parts/time.tsx";
import type { Domain } from "../../replies.ts";

/** What each role in a registry of ENSv2 allows. */
const rolesInWords: Record<string, string> = {
  REGISTRAR: "can register names",
  REGISTER_RESERVED: "can register reserved names",
  SET_PARENT: "can set the parent",
  UNREGISTER: "can unregister the name",
  RENEW: "can renew the name",
  SET_SUBREGISTRY: "can set the subname registry",
  SET_RESOLVER: "can set the resolver",
  CAN_TRANSFER: "can transfer the token",
  WAS_RESERVED: "holds a name that was reserved for its ENSv1 owner",
  SET_URI: "can set the token metadata",
  CAN_NAME: "can name the contract",
  UPGRADE: "can upgrade the contract",
};

const ADMIN = "_ADMIN";

const inWords = (role: string): string => {
  if (!role.endsWith(ADMIN)) return rolesInWords[role] ?? "has an unnamed role";
  const granted = rolesInWords[role.slice(0, -ADMIN.length)];
  return granted === undefined ? "can grant an unnamed role" : `can grant: ${granted}`;
};

/** A name in ENSv2: its registry and token, how it got there, and who can do what. */
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
          Showing {roles.holders.length} of {roles.total} accounts.
        </p>
      )}
    </Card>
  );
};

function sayingOf({ protocol, registry, reservation, ownership, availability_status }: Domain): string {
  if (reservation !== undefined) {
    if (ownership.is_owner_current) return "ENSv2 reserves this name for its ENSv1 owner.";
    return availability_status === "unknown"
      ? "ENSv2 reserves this name and nobody owns it. It cannot be registered now."
      : "ENSv2 reserved this name and nobody owns it.";
  }
  if (protocol === "ensv1") return "This name is in ENSv1.";
  return registry === undefined
    ? "A parent of this name is in ENSv2, where this name is not registered."
    : "This name is in ENSv2.";
}

const factsOf = ({ registry, token, reservation, migration }: Domain, now: number): (Fact | false)[] => [
  registry !== undefined && ["Registry", <AddressLink address={registry} isWhole />],
  token !== undefined && ["Token", token.standard],
  token !== undefined && ["Token contract", <AddressLink address={token.contract} isWhole />],
  token !== undefined && ["Token id", <Whole value={token.id} what="token id" />],
  reservation !== undefined && [
    "Reserved until",
    <Time at={Number(reservation.expiry_timestamp)} now={now} />,
  ],
  migration !== undefined && ["Migrated from ENSv1", <Time at={migration.block_timestamp} now={now} />],
  migration?.from_address != null && ["From", <AddressLink address={migration.from_address} isWhole />],
  migration?.to_address != null && ["To", <AddressLink address={migration.to_address} isWhole />],
];

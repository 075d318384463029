import { createContext, useContext } from "hono/jsx";
import { Avatar } from "./avatar.tsx";
import { contractInWords } from "./contract.ts";
import { Identicon } from "./identicon.tsx";
import { listed } from "./name.tsx";
import { useContractTitle } from "./outside.ts";
import { visible } from "./text.tsx";

/** A primary name, and whether it has an avatar that a page may show. */
export type Named = { name: string; hasAvatar: boolean };

/** Reads primary names by lower-case address; addresses without one have no entry. */
export type ReadNames = (addresses: readonly string[]) => Promise<ReadonlyMap<string, Named>>;

/** The primary name of an address; undefined if it has none or is unknown. */
type NameOf = (address: string) => Promise<Named | undefined>;

/** Addresses per page whose names are read: the first ones. The others are shown as addresses. */
export const MAX_NAMED = 100;

/**
 * Gathers the addresses of a page while it renders, and reads their names at once. The whole page renders before the first
 * name is read, so each page makes one request, and a page without addresses none.
 */
export function gatherNames(read: ReadNames): NameOf {
  const gathered = new Set<string>();
  let names: Promise<ReadonlyMap<string, Named>> | undefined;
  return async (address) => {
    const key = address.toLowerCase();
    if (gathered.size < MAX_NAMED) gathered.add(key);
    names ??= Promise.resolve().then(() => read([...gathered]));
    return (await names).get(key);
  };
}

/** Provides the names for the page being rendered. Without it, addresses are shown as they are. */
export const NamesContext = createContext<NameOf | null>(null);

/** A name that could be mistaken for an address. */
const LIKE_AN_ADDRESS = /^0x/i;

type Props = { address: string; short: string };

/** An address in a list: the contract's title, the primary name with avatar, or the shortened address. */
export const Called = async ({ address, short }: Props) => {
  const title = useContractTitle(address);
  if (title !== undefined) return <Titled address={address} title={title} />;
  const named = await useContext(NamesContext)?.(address);
  return (
    <>
      <PictureOf address={address} named={named} />
      {named !== undefined && <bdi class="theirs name">{visible(listed(named.name))}</bdi>}
      {(named === undefined || LIKE_AN_ADDRESS.test(named.name)) && <span class="mono">{short}</span>}
    </>
  );
};

const Titled = ({ address, title }: { address: string; title: string }) => (
  <>
    <Identicon address={address} />
    <span class="contract">{contractInWords(title)}</span>
  </>
);

/** The title or primary name beside an address shown in full. */
export const CalledToo = async ({ address }: Pick<Props, "address">) => {
  const title = useContractTitle(address);
  if (title !== undefined) return <span class="called contract">{contractInWords(title)}</span>;
  const named = await useContext(NamesContext)?.(address);
  return named === undefined ? null : (
    <span class="called">
      {named.hasAvatar && <Avatar name={named.name} side={20} />}
      <bdi class="theirs name">{visible(listed(named.name))}</bdi>
    </span>
  );
};

const PictureOf = ({ address, named }: { address: string; named: Named | undefined }) =>
  named?.hasAvatar ? <Avatar name={named.name} side={20} /> : <Identicon address={address} />;

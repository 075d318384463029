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

/** Addresses of one page whose names are read: the first ones. The others stand as addresses. */
export const MAX_NAMED = 100;

/**
 * Gathers the addresses of a page while it is written, and reads their names at once. All of a page is written before the
 * first name is read, so there is one question for each page, and none for a page without addresses.
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

/** Who knows the names of the page that is being written. Without it addresses stand as they are. */
export const NamesContext = createContext<NameOf | null>(null);

/** A name that could be taken for an address itself. */
const LIKE_AN_ADDRESS = /^0x/i;

type Props = { address: string; short: string };

/** An address in a list: by the title of the contract, by its primary name and avatar, or in short. */
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

/** The title or the primary name of an address that stands whole. */
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

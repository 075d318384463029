import { Called, CalledToo } from "./called.tsx";
import { Icon } from "./icon.tsx";
import { Identicon } from "./identicon.tsx";
import { useBlockExplorer } from "./outside.ts";

/** `0x7099…79C8`. */
export const shortHash = (hash: string): string =>
  hash.length > 14 ? `${hash.slice(0, 6)}…${hash.slice(-4)}` : hash;

/** Copies a text to the clipboard. Hidden without JavaScript. */
export const Copy = ({ text, what }: { text: string; what: string }) => (
  <button type="button" class="copy" data-copy={text} aria-label={`Copy ${what}`}>
    <Icon name="copy" />
  </button>
);

/** An address or a hash of 32 bytes. */
export const HEXADECIMAL = /^0x(?:[0-9a-fA-F]{40}|[0-9a-fA-F]{64})$/;

/** A value that wraps in the middle or not at all, so that no few characters are left on a line. */
export const Halves = ({ value }: { value: string }) => {
  if (!HEXADECIMAL.test(value)) return <>{value}</>;
  const middle = value.length / 2;
  return (
    <span class="halves">
      {value.slice(0, middle)}
      <wbr />
      {value.slice(middle)}
    </span>
  );
};

/** A hash or another long value from the chain, in full. */
export const Whole = ({ value, what }: { value: string; what: string }) => (
  <span class="whole">
    <span class="mono">
      <Halves value={value} />
    </span>
    <Copy text={value} what={what} />
  </span>
);

type AddressProps = {
  address: string;
  isWhole?: true;
  /** The chain of the address, as named in answers; the main chain by default. */
  chain?: string | undefined;
};

/** A link to the page of an address: in full where it is the subject, in lists by name or shortened. */
export const AddressLink = ({ address, isWhole, chain }: AddressProps) =>
  isWhole ? (
    <>
      <CalledToo address={address} />
      <span class="whole">
        <Identicon address={address} />
        <a class="mono" href={`explore/address/${address}`}>
          <Halves value={address} />
        </a>
        <Copy text={address} what="address" />
        <OnBlockExplorer kind="address" of={address} chain={chain} />
      </span>
    </>
  ) : (
    <a class="account" href={`explore/address/${address}`} title={address}>
      <Called address={address} short={shortHash(address)} />
    </a>
  );

type OutProps = { kind: "tx" | "address"; of: string; chain: string | undefined };

/** A link to a block explorer, if one is configured for the chain. */
export const OnBlockExplorer = ({ kind, of, chain }: OutProps) => {
  const urlOf = useBlockExplorer(chain);
  if (urlOf === null) return null;
  const url = urlOf(kind, of);
  return (
    <a class="copy out" href={url} rel="noopener" referrerpolicy="no-referrer" title={new URL(url).hostname}>
      <Icon name="out" />
      <span class="unseen">
        {shortHash(of)} at {new URL(url).hostname}
      </span>
    </a>
  );
};

/** A transaction. The index has no page for it; the block explorer of its chain has. */
export const Transaction = ({ hash, chain }: { hash: string; chain?: string | undefined }) => {
  const url = useBlockExplorer(chain)?.("tx", hash);
  return (
    <span class="transaction">
      {url === undefined ? (
        <span class="mono short" title={hash}>
          {shortHash(hash)}
        </span>
      ) : (
        <a class="mono short" href={url} title={hash} rel="noopener" referrerpolicy="no-referrer">
          {shortHash(hash)}
        </a>
      )}
      <Copy text={hash} what="transaction hash" />
    </span>
  );
};

import { Called, CalledToo } from "./called.tsx";
import { Icon } from "./icon.tsx";
import { Identicon } from "./identicon.tsx";

/** `0x7099…79C8`. */
const shortHash = (hash: string): string =>
  hash.length > 14 ? `${hash.slice(0, 6)}…${hash.slice(-4)}` : hash;

/** Puts a text on the clipboard. Without JavaScript it is not there. */
export const Copy = ({ text, what }: { text: string; what: string }) => (
  <button type="button" class="copy" data-copy={text} aria-label={`Copy ${what}`}>
    <Icon name="copy" />
  </button>
);

/** A hash or other long value of the chain, whole. */
export const Whole = ({ value, what }: { value: string; what: string }) => (
  <span class="whole">
    <span class="mono">{value}</span>
    <Copy text={value} what={what} />
  </span>
);

/** An address, as a link to its page; whole where it is the subject, in lists by its primary name, or short. */
export const AddressLink = ({ address, isWhole }: { address: string; isWhole?: true }) =>
  isWhole ? (
    <>
      <CalledToo address={address} />
      <span class="whole">
        <Identicon address={address} />
        <a class="mono" href={`explore/address/${address}`}>
          {address}
        </a>
        <Copy text={address} what="address" />
      </span>
    </>
  ) : (
    <a class="account" href={`explore/address/${address}`} title={address}>
      <Called address={address} short={shortHash(address)} />
    </a>
  );

/** A transaction; the index has no page for it. */
export const Transaction = ({ hash }: { hash: string }) => (
  <span class="transaction">
    <span class="mono short" title={hash}>
      {shortHash(hash)}
    </span>
    <Copy text={hash} what="transaction hash" />
  </span>
);

import type { Hex } from "viem";
import { type Contract, contracts } from "./contracts.ts";
import { ADDR_REVERSE_NODE, input, type Name, reverseOf, type Scene } from "./scene.ts";
import { hashOf } from "./seeded.ts";

const { registry, reverseRegistrar2, reverseRegistrar3, silentResolver, resolver3, resolver4 } = contracts;

const keys =
  "avatar url description email com.twitter com.github org.telegram com.discord notice keywords".split(" ");

/** What is written; `texts` says how many text records. */
export type Records = { address?: Hex; texts?: number; contenthash?: boolean };

/** Writes records of a name at its resolver, in the transaction that was begun. */
export function writeRecords({ ledger, chance }: Scene, name: Name, records: Records): void {
  const { resolver, node } = name;
  if (resolver === null) return;
  if (records.address) {
    ledger.log(resolver, "AddressChanged", node, 60, records.address);
    ledger.log(resolver, "AddrChanged", node, records.address);
  }
  for (let i = 0; i < (records.texts ?? 0); i++) {
    const key = chance.pick(keys);
    const value = `https://${name.label}.example/${chance.whole(1e6).toString(36)}`;
    // The key stands twice: as a hash and as a text.
    const end = resolver.address === resolver3.address ? [] : [value];
    ledger.log(resolver, "TextChanged", node, key, key, ...end);
  }
  if (records.contenthash) {
    const hash: Hex = `0xe30101701220${hashOf(`content ${name.label} ${chance.next()}`).slice(2)}`;
    ledger.log(resolver, "ContenthashChanged", node, hash);
  }
}

/** An owner sets records of a name. */
export function setRecords(scene: Scene, block: number, name: Name, records: Records): void {
  if (name.resolver === null) return;
  const to = name.resolver.address;
  scene.ledger.begin(block, { from: name.owner, to, value: 0n, input: input("ac9650d8", 8) });
  writeRecords(scene, name, records);
}

/** An owner sets another resolver. */
export function setResolver({ ledger }: Scene, block: number, name: Name, resolver: Contract): void {
  if (name.resolver?.address === resolver.address || name.isOld) return;
  const to = name.isWrapped ? contracts.wrapper.address : registry.address;
  ledger.begin(block, { from: name.owner, to, value: 0n, input: input("1896f70a", 2) });
  ledger.log(registry, "NewResolver", name.node, resolver.address);
  name.resolver = resolver;
}

/** Names an address by the reverse registrar of 2023, in the transaction that was begun. */
export function writeReverse(scene: Scene, address: Hex, resolver: Contract, text: string): void {
  const { ledger } = scene;
  const { node, hash, resolver: before } = reverseOf(scene, address);
  ledger.log(reverseRegistrar3, "ReverseClaimed", address, node);
  ledger.log(registry, "NewOwner", ADDR_REVERSE_NODE, hash, address);
  if (before?.address !== resolver.address) ledger.log(registry, "NewResolver", node, resolver.address);
  ledger.log(resolver, "NameChanged", node, text);
  scene.reverse.set(address, { node, hash, resolver });
}

/** An account names its address; before 2023 by a resolver that logs nothing. */
export function setReverse(scene: Scene, block: number, name: Name): void {
  const { ledger } = scene;
  const address = name.owner;
  const isNew = block > 16_925_619;
  const to = isNew ? reverseRegistrar3 : reverseRegistrar2;
  ledger.begin(block, { from: address, to: to.address, value: 0n, input: input("c47f0027", 3) });
  if (isNew) {
    writeReverse(scene, address, resolver4, `${name.label}.eth`);
    return;
  }
  const { node, hash, resolver } = reverseOf(scene, address);
  ledger.log(registry, "NewOwner", ADDR_REVERSE_NODE, hash, address);
  if (resolver?.address !== silentResolver.address)
    ledger.log(registry, "NewResolver", node, silentResolver.address);
  scene.reverse.set(address, { node, hash, resolver: silentResolver });
}

/** An account sets its name for all chains that have no name of their own. */
export function setDefaultName({ ledger }: Scene, block: number, name: Name): void {
  const { defaultReverseRegistrar } = contracts;
  const to = defaultReverseRegistrar.address;
  ledger.begin(block, { from: name.owner, to, value: 0n, input: input("c47f0027", 3) });
  ledger.log(defaultReverseRegistrar, "NameForAddrChanged", name.owner, `${name.label}.eth`);
}

/** A private resolver may log anything about a name. */
export function writeForeignRecord(scene: Scene, block: number, name: Name, resolver: Contract): void {
  scene.ledger.begin(block, {
    from: name.owner,
    to: resolver.address,
    value: 0n,
    input: input("10f13a8c", 6),
  });
  writeRecords(scene, { ...name, resolver }, { address: name.owner, texts: 1 });
}

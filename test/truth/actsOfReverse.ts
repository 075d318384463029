import {
  ADDR_REVERSE_NODE,
  addressOf,
  claimReverse,
  claimReverseWithResolver,
  clearRecords,
  encodeCall,
  REVERSE_NODE,
  ROOT_NODE,
  reverseNode,
  send,
  setDefaultName,
  setLayer2Name,
  setResolver,
  setReverseName,
  setReverseNameForAddr,
  setSubnodeOwner,
  useReverseRegistrar,
  writeRecord,
} from "../../devnet/acts.ts";
import { anyResolver } from "./actsOfNames.ts";
import type { Act } from "./catalogue.ts";
import { record } from "./recordChoices.ts";
import type { Scene } from "./scene.ts";

const anyName = ({ pick, prefix }: Scene): string =>
  pick([`${prefix}a.eth`, `pay.${prefix}b.eth`, "", "Ünnormal.eth", "nul\u0000.eth", `${prefix}c.eth`]);

const current = (scene: Scene) => {
  const { chain, pick, people } = scene;
  const from = pick(people);
  switch (scene.number(4)) {
    case 0:
      return claimReverse(chain, { from, owner: pick([from, ...people]) });
    case 1:
      return claimReverseWithResolver(chain, { from, owner: from, resolver: anyResolver(scene) });
    case 2: {
      const resolver = addressOf(chain, pick(["resolver4", "resolver5"]));
      return setReverseNameForAddr(chain, { from, addr: from, owner: from, resolver, name: anyName(scene) });
    }
    default:
      return setReverseName(chain, { from, name: anyName(scene) });
  }
};

/** Uses the reverse registrar of 2020, whose default resolver emits nothing; afterwards that of 2023 is back. */
const silent = async (scene: Scene) => {
  const { chain, deployer, pick, people } = scene;
  const [from, registrar] = [pick(people), "reverseRegistrar2"];
  await useReverseRegistrar(chain, { from: deployer, registrar });
  if (scene.number(3) > 0) await setReverseName(chain, { from, name: anyName(scene), registrar });
  else
    await claimReverseWithResolver(chain, {
      from,
      owner: pick(people),
      resolver: anyResolver(scene),
      registrar,
    });
  await useReverseRegistrar(chain, { from: deployer, registrar: "reverseRegistrar3" });
};

/** The owner of a reverse node writes to it as to any other. */
const asOwner = (scene: Scene) => {
  const { chain, pick, people } = scene;
  const from = pick(people);
  const node = reverseNode(from);
  const resolver = pick(["resolver4", "resolver5"]);
  switch (scene.number(4)) {
    case 0:
      return setResolver(chain, { from, node, resolver: anyResolver(scene) });
    case 1:
      return clearRecords(chain, { from, node, resolver });
    case 2:
      return writeRecord(chain, { from, node, resolver, write: record(scene, resolver) });
    default:
      return writeRecord(chain, { from, node, resolver, write: { kind: "name", name: anyName(scene) } });
  }
};

/**
 * A contract claims its node: neither sender nor owner is the address in question. Only the registrar of 2023 logs it; after a
 * claim at that of 2020 the node has a name, but no log gives its address.
 */
const ofContract = async (scene: Scene) => {
  const { chain, pick, people, deployer } = scene;
  const [from, owner] = [pick(people), pick(people)];
  const isOld = scene.number(2) === 0;
  const contract = isOld ? "reverseRegistrar2" : "reverseRegistrar3";
  if (isOld) await useReverseRegistrar(chain, { from: deployer, registrar: contract });
  const question = pick([
    { contract, functionName: "setName", args: [anyName(scene)] },
    { contract, functionName: "claimWithResolver", args: [owner, addressOf(chain, "resolver5")] },
  ]);
  const calls = [{ target: addressOf(chain, contract), value: 0n, data: encodeCall(chain, question) }];
  await send(chain, { from, contract: "batch", functionName: "run", args: [calls] });
  if (isOld) await useReverseRegistrar(chain, { from: deployer, registrar: "reverseRegistrar3" });
  if (question.functionName === "setName") return;
  const node = reverseNode(addressOf(chain, "batch"));
  const write = { kind: "name", name: anyName(scene) } as const;
  await writeRecord(chain, { from: owner, node, resolver: "resolver5", write });
};

/** The reverse node of an address that never came to the registry of 2020: the old one answers for it. */
const inOldRegistry = async (scene: Scene) => {
  const { chain, deployer: from, people, pick } = scene;
  const registry = "oldRegistry";
  const strangers = chain.accounts.slice(1 + people.length);
  const owner = pick(strangers.length > 0 ? strangers : people);
  const label = owner.slice(2).toLowerCase();
  await setSubnodeOwner(chain, { from, registry, parent: ROOT_NODE, label: "reverse", owner: from });
  await setSubnodeOwner(chain, { from, registry, parent: REVERSE_NODE, label: "addr", owner: from });
  await setSubnodeOwner(chain, { from, registry, parent: ADDR_REVERSE_NODE, label, owner });
  const [node, resolver] = [reverseNode(owner), pick(["resolver2", "resolver4", "resolver5"])];
  await setResolver(chain, { from: owner, registry, node, resolver: addressOf(chain, resolver) });
  return writeRecord(chain, { from: owner, node, resolver, write: { kind: "name", name: anyName(scene) } });
};

/** Names that addresses claim, by every registrar for them. */
export const reverseActs: Record<string, Act> = {
  claim: { weight: 5, perform: current },
  claimSilently: { weight: 2, perform: silent },
  writeReverseNode: { weight: 3, perform: asOwner },
  claimByContract: { weight: 3, perform: ofContract },
  claimInOldRegistry: { weight: 2, perform: inOldRegistry },
  setDefaultName: {
    weight: 2,
    perform: (scene) => setDefaultName(scene.chain, { from: scene.pick(scene.people), name: anyName(scene) }),
  },
  setLayer2Name: {
    weight: 2,
    perform: (scene) => setLayer2Name(scene.chain, { from: scene.pick(scene.people), name: anyName(scene) }),
  },
};

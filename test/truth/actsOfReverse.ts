import {
  addressOf,
  claimReverse,
  claimReverseWithResolver,
  clearRecords,
  reverseNode,
  send,
  setDefaultName,
  setLayer2Name,
  setResolver,
  setReverseName,
  setReverseNameForAddr,
  useReverseRegistrar,
  writeRecord,
} from "../devnet/acts.ts";
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

/** The reverse registrar of 2020, whose default resolver emits nothing; afterwards that of 2023 is back. */
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

/** The owner of a reverse node writes it as any other. */
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

/** A contract names itself: neither sender nor owner is the address that is meant. */
const ofContract = (scene: Scene) => {
  const { chain, pick, people } = scene;
  const target = addressOf(chain, "reverseRegistrar3");
  const setName = "0xc47f0027";
  const name = Buffer.from(anyName(scene)).toString("hex");
  const words = [32n, BigInt(name.length / 2)].map((word) => word.toString(16).padStart(64, "0")).join("");
  const data = `${setName}${words}${name.padEnd(Math.ceil(name.length / 64) * 64, "0")}`;
  const args = [[{ target, value: 0n, data }]];
  return send(chain, { from: pick(people), contract: "batch", functionName: "run", args });
};

/** Names that addresses claim, by every registrar of them. */
export const reverseActs: Record<string, Act> = {
  claim: { weight: 5, perform: current },
  claimSilently: { weight: 2, perform: silent },
  writeReverseNode: { weight: 3, perform: asOwner },
  claimByContract: { weight: 1, perform: ofContract },
  setDefaultName: {
    weight: 2,
    perform: (scene) => setDefaultName(scene.chain, { from: scene.pick(scene.people), name: anyName(scene) }),
  },
  setLayer2Name: {
    weight: 2,
    perform: (scene) => setLayer2Name(scene.chain, { from: scene.pick(scene.people), name: anyName(scene) }),
  },
};

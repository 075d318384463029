import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

/** The version of Ponder that the changes were written for. */
export const PONDER_VERSION = "0.17.7";

/** The SHA-256 of every file of Ponder that is changed, by its path in Ponder's `dist/esm`. */
const knownFiles = {
  "build/index.js": "433c6c62479cb3a4eaf747e1dc687b69fb76b7bffd502f7e3162a70bbe98359c",
  "database/index.js": "cd51e275d4ef2034038070e5f517a858e78ac07cd5e6c46adc0add24782aa3b8",
  "indexing-store/cache.js": "e18db7b062c89f7d81f18a6b7838b660b6a46815e90ee0937724742192dbb1ec",
  "indexing-store/index.js": "c8f9b93c717c9e0d3bc4c2639fcbfed90ed0948962dd226a7fa7084537f4f634",
  "indexing-store/profile.js": "b8b4da6b71da8e12b772384bd48e2b03b01f218eac3fde84bc86b06bfd9f8a76",
  "indexing/client.js": "027d5d3a1fec0624078169bd8f2cf812383e39b69fce4c88f42d51272f1d132f",
  "indexing/index.js": "7209cb8fd0ca2133752a3787046c299748d39665aabe315ec6eee93d77945387",
  "internal/logger.js": "091a9d507dda3814f044d526e0476dd8849041f8b622077abc2e9e16862ca8cd",
  "runtime/events.js": "0e435d8492e69a59ce830ff4db5291d5475e33b8a01d21c5e4af90fd5481d416",
  "runtime/historical.js": "9ff112e17a18f60cdb8aa6125882d7d0a3e99f36635de5ace7ea52cc9c944028",
  "runtime/multichain.js": "baebf66465e30faf68da7fefa3df85190d159a0fdc24d9e6b393982706272df6",
  "runtime/realtime.js": "41cf28ac504b44a904691417324c363ec8a561cc4e897134d5286f69b59b04d8",
  "server/index.js": "e968a2f85f29ff91cfd758a94be4d9928dab3dc12f87d872676fd6f99f43346f",
  "sync-historical/index.js": "8b0f1c8193c98731287aae8c0131b733449830f83dc6229c970b12e6bc4bdb27",
  "sync-realtime/bloom.js": "f5bfb1d90adc6f54775984e591be32accaf11e6a3ed067797980a3f18f282da7",
  "sync-realtime/index.js": "f17cf9876faf3a644e2245349caaacc9553d22fad7c20ac8b279b707d72afa7d",
  "sync-store/index.js": "543fd27444119c0aa924fe05f120a62f51b78d0ccfadae10a07f118702cbb2cc",
  "utils/decodeAbiParameters.js": "cf5eded1172f85b2e0e52927469c5f24167d0beb7dd1e4f50e9a297bfb5b8505",
  "utils/mutex.js": "5298009fadaaf469a1a9df016e6e61ab30d039e3b8821d8ea0478f7749c9739c",
  "utils/pg.js": "49fb901c4ba7149dfb90b7cd73c8baea98243d146747031f947b950d01dedf48",
  "utils/queue.js": "27f4d7d24d59db6d775ccec9ba1d9aab0387d83c0ba69e01f63ad459fdcc615d",
} as const;

/** Path of a changed file in Ponder's `dist/esm`. */
export type PonderFile = keyof typeof knownFiles;

export const ponderFiles = Object.keys(knownFiles) as PonderFile[];

/** A file of Ponder is not the one that the changes were written for. The message says what to do. */
class PonderMismatchError extends Error {
  override readonly name = "PonderMismatchError";
}

const urlOf = (path: string): URL => new URL(path, import.meta.resolve("ponder"));

/** Where Node loads a file of Ponder from. */
export const ponderUrlOf = (file: PonderFile): string => urlOf(file).href;

/** The text of a file of Ponder. @throws PonderMismatchError if it is not the known one */
export function readPonderFile(file: PonderFile): string {
  const text = readFileSync(urlOf(file), "utf8");
  const sha256 = createHash("sha256").update(text).digest("hex");
  if (sha256 === knownFiles[file]) return text;
  const { version } = JSON.parse(readFileSync(urlOf("../../package.json"), "utf8")) as { version: string };
  throw new PonderMismatchError(
    `Ponder's file ${file} is not the one that Namedex changes.
  expected: ponder ${PONDER_VERSION}, SHA-256 ${knownFiles[file]}
  found:    ponder ${version}, SHA-256 ${sha256}
Run "npm ci" to install the expected version. To move to another version, follow docs/ponder.md.`,
  );
}

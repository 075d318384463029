import type { Address } from "viem";
import { send } from "../../devnet/acts/chain.ts";
import type { Chain } from "../../devnet/acts.ts";
import { ethNode, registerReferred } from "../../devnet/acts.ts";

/** Labels that strangers registered to harm the readers of a page. */
export const hostileLabels = {
  markup: `<img src=x onerror=alert(1)>`,
  script: `"'><script>alert(1)</script>`,
  bidi: "\u202eecila",
  mixed: "\u0430lice-of-two-scripts",
  unseen: "ali\u200bce\u200d\u2060",
  arabic: "مرحبا",
  long: "w".repeat(255),
} as const;

/** Values of records, by their keys. */
const hostileTexts = {
  avatar: `data:image/svg+xml,<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><script>alert(1)</script></svg>`,
  description: `</bdi><script>alert(1)</script>\u202e gnp.exe`,
  url: "javascript:alert(1)",
  email: `https://evil.example/"onmouseover="alert(1)`,
  "<b>key</b>\u202e": "a key that is markup",
  notice: `&lt;script&gt; ${"\u0301".repeat(500)}`,
} as const;

const LONG = 100_000;
/** A text uses a word of storage for each 32 bytes. */
const LONG_GAS = 200_000_000n;

/** Registers these names, and sets these texts for the first of them; one text is 100 KB long. */
export async function playHostile(chain: Chain, from: Address): Promise<void> {
  const resolver = "resolver5";
  const texts = Object.entries(hostileTexts).map(([key, value]) => ({ kind: "text" as const, key, value }));
  for (const label of Object.values(hostileLabels)) {
    const records = label === hostileLabels.markup ? texts : [];
    await registerReferred(chain, { from, label, resolver, records });
  }
  const node = ethNode(hostileLabels.markup);
  const args = [node, "long", "long ".repeat(LONG / 5)];
  await send(chain, { from, contract: resolver, functionName: "setText", args, gas: LONG_GAS });
}

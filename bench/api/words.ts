import type { Chance } from "./chance.ts";

/** How often a label has each number of code points, as on mainnet: most have 5 to 11. */
const lengths: readonly (readonly [weight: number, length: number])[] = [
  ...([
    [2, 3],
    [4, 4],
    [10, 5],
    [12, 6],
    [13, 7],
    [13, 8],
    [11, 9],
    [9, 10],
    [7, 11],
    [5, 12],
  ] as const),
  ...([
    [4, 13],
    [3, 14],
    [2, 15],
    [2, 16],
    [1, 18],
    [1, 20],
    [0.6, 24],
    [0.3, 32],
    [0.1, 48],
  ] as const),
];

const syllables = [
  ..."ba be bi bo da de di do fa fi ga go ha he jo ka ke ki la le li lo lu ma me mi mo mu na ne ni no".split(
    " ",
  ),
  ..."pa pe po ra re ri ro sa se si so ta te ti to tu va vi wa wo ya zo 0 1 2 3 7 8 9 00 88 99".split(" "),
  ..."ali bob car dao eth fox gem hub ice joy kit lab max nft one pin sky sun web xyz zen".split(" "),
];

/** A label that looks like a word; not always another one. */
function wordOf(chance: Chance): string {
  const length = chance.of(lengths);
  let word = "";
  while (word.length < length) word += syllables[chance.below(syllables.length)];
  return word.slice(0, length);
}

/** A word that `taken` does not hold yet, and does from here on; grown until it is new. */
export function newWord(chance: Chance, taken: Set<string>): string {
  let word = wordOf(chance);
  while (taken.has(word)) word += syllables[chance.below(syllables.length)];
  taken.add(word);
  return word;
}

/** Words that come again and again, each kept once, by number. */
export class Words {
  #numbers = new Map<string, number>();
  #words: string[] = [];

  /** The number of a word, which is new if it was not there. */
  add(word: string): number {
    const known = this.#numbers.get(word);
    if (known !== undefined) return known;
    this.#numbers.set(word, this.#words.length);
    return this.#words.push(word) - 1;
  }

  find(word: string): number | undefined {
    return this.#numbers.get(word);
  }

  at(number: number): string {
    const word = this.#words[number];
    if (word === undefined) throw new RangeError(`there is no word ${number}`);
    return word;
  }
}

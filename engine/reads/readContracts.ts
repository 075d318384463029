// Part of the patch knownContracts.

type Contract = { address: string };
/** A handler's chain reads: one contract, or several at once. */
type Read = Partial<Contract> & { contracts?: readonly Contract[] };

/** Contracts that handlers have read since the start. */
export class ReadContracts {
  readonly #keys = new Set<string>();

  note(chainId: number, { address, contracts = [] }: Read): void {
    for (const contract of contracts) this.#keys.add(keyOf(chainId, contract.address));
    if (address !== undefined) this.#keys.add(keyOf(chainId, address));
  }

  has({ chainId, address }: Contract & { chainId: number }): boolean {
    return this.#keys.has(keyOf(chainId, address));
  }
}

const keyOf = (chainId: number, address: string): string => `${chainId} ${address}`.toLowerCase();

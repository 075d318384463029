/** Who asks, over HTTP or as a tool: what access is decided by. */
export type Caller = {
  /** IP address of the client, as far as it can be trusted. */
  address: string;
  /** A header of the request; the name is written in lower case. */
  header: (name: string) => string | undefined;
};

/** What one request costs. */
export type Price = {
  credits: number;
  /** Method and path as declared: `GET /whois/{name}`. A payment is good for this operation alone. */
  operation: string;
};

/** Leave to answer one request. Nothing is charged before the answer is there: a failing request costs nothing. */
export type Admission = {
  /** Headers that any answer to this request carries, an error too. */
  headers: Record<string, string>;
  /** Charges for the answer and gives the headers that say so. @throws ApiError where it can no longer be charged */
  settle: () => Promise<Record<string, string>>;
};

/** Decides who is answered, and who pays. */
export type Access = {
  /** @throws ApiError INVALID_API_KEY, PAYMENT_REQUIRED or RATE_LIMITED */
  admit: (caller: Caller, price: Price) => Promise<Admission>;
};

const leave: Admission = { headers: {}, settle: async () => ({}) };

/** Everybody is answered, nothing is counted (`ACCESS=open`). */
export const openAccess: Access = { admit: async () => leave };

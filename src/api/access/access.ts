/** The caller of an operation, over HTTP or as a tool; access is decided by this. */
export type Caller = {
  /** IP address of the client, as far as it is trusted. */
  address: string;
  /** A header of the request; the name is written in lower case. */
  header: (name: string) => string | undefined;
};

/** What one request costs. */
export type Price = {
  credits: number;
  /** Method and path as declared: `GET /whois/{name}`. A payment is valid for this operation only. */
  operation: string;
};

/** Permission to answer one request. The charge follows the answer: a failed request costs nothing. */
export type Admission = {
  /** Headers of every answer to this request, errors included. */
  headers: Record<string, string>;
  /** Charges for the answer and gives its headers. @throws ApiError if it can no longer be charged */
  settle: () => Promise<Record<string, string>>;
};

/** Decides which requests are answered, and who pays. */
export type Access = {
  /** @throws ApiError INVALID_API_KEY, PAYMENT_REQUIRED or RATE_LIMITED */
  admit: (caller: Caller, price: Price) => Promise<Admission>;
};

const free: Admission = { headers: {}, settle: async () => ({}) };

/** Answers every request and counts nothing (`ACCESS=open`). */
export const openAccess: Access = { admit: async () => free };

/** Credits in a sentence. */
export const inWords = (credits: number): string => (credits === 1 ? "1 credit" : `${credits} credits`);

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
  /** The whole price is known after some work, and given to `Admission.raise`: payments are checked, and asked for, there. */
  isPart?: boolean;
};

/**
 * Permission to answer one request. What pays for it is held before the work, so that parallel requests cannot all work
 * for it. After the answer it is charged. If the request fails it is free again: a failed request costs nothing.
 */
export type Admission = {
  /** Charges for the answer and gives its headers. @throws ApiError if it can no longer be charged */
  settle: () => Promise<Record<string, string>>;
  /** Gives back what is held for a request that failed, and gives the headers of its error. Never throws. */
  refund: () => Promise<Record<string, string>>;
  /** The admission for the whole price; this one then holds nothing. @throws as `Access.admit` */
  raise: (credits: number) => Promise<Admission>;
};

/** Decides which requests are answered, and who pays. */
export type Access = {
  /**
   * Counts requests before any work, regardless of their kind and outcome. Those that are paid for
   * later do not count. @throws ApiError RATE_LIMITED
   */
  count: (caller: Caller, requests?: number) => void;
  /** @throws ApiError INVALID_API_KEY, PAYMENT_REQUIRED or RATE_LIMITED */
  admit: (caller: Caller, price: Price) => Promise<Admission>;
};

/** Permission that holds nothing: the same headers for an answer and an error, and by itself for every price. */
export function admissionWith(headers: Record<string, string>, raise?: Admission["raise"]): Admission {
  const admission: Admission = {
    settle: async () => headers,
    refund: async () => headers,
    raise: raise ?? (async () => admission),
  };
  return admission;
}

/** Answers every request and counts nothing (`ACCESS=open`). */
export const openAccess: Access = { count: () => {}, admit: async () => admissionWith({}) };

/** Credits in a sentence. */
export const inWords = (credits: number): string => (credits === 1 ? "1 credit" : `${credits} credits`);

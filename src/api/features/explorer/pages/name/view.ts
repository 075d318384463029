import type { ApiError } from "../../../../server/errors/errors.ts";
import type { Visit } from "../../page.ts";
import type { Domain, Records } from "../../replies.ts";

/** What the views of a name work with. */
export type NameView = {
  visit: Visit;
  domain: Domain;
  now: number;
  /** The records of the name, read once, if a view or the head of the page needs them. */
  records: () => Promise<Records | ApiError>;
};

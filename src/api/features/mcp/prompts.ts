import { UNTRUSTED } from "./descriptions.ts";

/** A frequent question, worded so that the model uses the right tools. */
export type Prompt = {
  name: string;
  title: string;
  description: string;
  /** The name or address that the question is about. */
  argument: { name: string; description: string };
  write: (value: string) => string;
};

/** What a person typed is put in quotation marks: it is data, not part of the instructions. */
const quote = (value: string): string => JSON.stringify(value);

export const prompts: readonly Prompt[] = [
  {
    name: "explain_name",
    title: "Explain a name",
    description: "Who owns a name, until when, what it points to, and how that came about",
    argument: { name: "name", description: "Full name, for example alice.eth" },
    write: (name) =>
      `Explain the ENS name ${quote(name)}. Call \`whois\` first; if it is registered, \`get_records\` and \`get_domain_history\` with the views \`registrations\` and \`ownership\`. Say who owns it and why (\`ownership\`; where \`is_owner_current\` is false, who had it last), when it expires and what happens then, what it points to, and which answers are \`live\`. ${UNTRUSTED}`,
  },
  {
    name: "review_portfolio",
    title: "Review the names of an address",
    description: "What an address owns, what expires soon, and what it lost",
    argument: { name: "address", description: "Address: 0x and 40 hexadecimal digits" },
    write: (address) =>
      `Review the ENS names of the address ${quote(address)}. Call \`get_address_portfolio\` with the view \`summary\`, then \`domains\` sorted by \`expiry_timestamp\`, then \`previous\`. List what expires within 90 days or is in grace, soonest first, and say what the address held before. ${UNTRUSTED}`,
  },
];

import type { IndexingStatus } from "../replies.ts";
import type { Asked } from "../visit.ts";
import { Icon } from "./icon.tsx";
import { Time } from "./time.tsx";

type Props = { asked: readonly Asked[]; status: IndexingStatus | null };

const sources: Record<string, string> = {
  indexed: "from the index",
  live: "from the chain, live",
};

/** The sources of the page: the block of the registry's chain, that of the name's chain, and each operation with its JSON. */
export const Answered = ({ asked, status }: Props) => {
  const chains = (status?.chains ?? []).filter(
    (one, i) => i === 0 || asked.some(({ chain }) => chain === one.chain),
  );
  if (asked.length === 0) return null;
  return (
    <section class="answered" aria-labelledby="answered">
      <h2 id="answered">Sources</h2>
      {chains.map((chain) => (
        <p>
          Index{chains.length > 1 && ` of ${chain.chain}`} as of block{" "}
          <strong class="number">{chain.indexed_block_number.toLocaleString("en")}</strong>,{" "}
          <Time at={chain.indexed_block_timestamp} />.
        </p>
      ))}
      <ul>
        {asked.map(({ url, source, error }) => (
          <li>
            <Icon name="code" />{" "}
            <a class="mono" href={url}>
              {`/${shorten(url)}`}
            </a>
            {source !== null && <span class="faint">{` ${sources[source] ?? source}`}</span>}
            {error !== null && <span class="faint">{` failed: ${error.code}`}</span>}
          </li>
        ))}
      </ul>
    </section>
  );
};

const MAX_URL = 90;

const shorten = (url: string): string => (url.length > MAX_URL ? `${url.slice(0, MAX_URL)}…` : url);

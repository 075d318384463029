import { ApiError } from "../../../server/errors/errors.ts";
import type { ExplorerPage } from "../page.ts";
import { Card } from "../parts/card.tsx";
import { Whole } from "../parts/hash.tsx";
import { NameLink, nameUrl } from "../parts/name.tsx";
import { StateBadge } from "../parts/state.tsx";
import type { Availability } from "../replies.ts";
import { redirect } from "./go.ts";

type Labelled = { name: string; availability_status: Availability };

type Reply =
  | { type: "namehash"; name: string }
  | { type: "labelhash"; domains: Labelled[]; total: number }
  | { hash: string; indexed: false };

/** The names with a labelhash. A namehash leads to the page of its name. */
export const hashPage: ExplorerPage = {
  path: "/explore/hash/:hash",
  render: async (visit) => {
    const hash = visit.param("hash");
    const reply = await visit.ask<Reply>("/lookup-hash/{hash}", { hash, partial: "true" });
    if ("indexed" in reply) {
      throw new ApiError(
        "NOT_FOUND",
        "No indexed name has this namehash or labelhash. Transactions have no page here.",
      );
    }
    if (reply.type === "namehash") return redirect(`../../${nameUrl(reply.name)}`);
    return {
      title: "Labelhash",
      description: "ENS names with this hash.",
      canonical: `explore/hash/${hash.toLowerCase()}`,
      section: "search",
      body: (
        <>
          <h1>Labelhash</h1>
          <p>
            <Whole value={hash} what="hash" />
          </p>
          <Card id="names" title={`Names with this label: ${reply.total.toLocaleString("en")}`}>
            <ul class="expiries">
              {reply.domains.map((domain) => (
                <li>
                  <NameLink name={domain.name} />
                  <StateBadge state={domain.availability_status} />
                </li>
              ))}
            </ul>
          </Card>
        </>
      ),
    };
  },
};

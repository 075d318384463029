import { errorCodes } from "../../errors/errors.ts";
import { isEthSecondLevel, parseName } from "../../schemas/input.ts";
import type { ExplorerPage, Page } from "../page.ts";
import { Empty, NotFoundOut } from "../parts/card.tsx";
import { Copy } from "../parts/hash.tsx";
import { Icon } from "../parts/icon.tsx";
import { listed, NameNotice, nameUrl } from "../parts/name.tsx";
import { StateBadge } from "../parts/state.tsx";
import { visible } from "../parts/text.tsx";
import { inTitle, Tabs, type Views, viewOf, viewUrl } from "../parts/views.tsx";
import type { Domain, Whois } from "../replies.ts";
import { agentsOfName } from "./name/agents.tsx";
import { historyOfName } from "./name/history.tsx";
import { overviewOfName } from "./name/overview.tsx";
import { permissionsOfName } from "./name/permissions.tsx";
import { subnamesOfName } from "./name/subnames.tsx";
import type { NameView } from "./name/view.ts";

const views: Views<NameView> = [
  { key: "overview", label: "Overview", show: overviewOfName },
  { key: "history", label: "History", show: historyOfName },
  { key: "subnames", label: "Subnames", show: subnamesOfName },
  { key: "permissions", label: "Permissions", show: permissionsOfName },
  { key: "agents", label: "Agents", show: agentsOfName },
];

/** Everything about one name. */
export const namePage: ExplorerPage = {
  path: "/explore/name/:name",
  render: async (visit) => {
    const name = visit.param("name");
    const view = viewOf(visit, views);
    const [whois, now] = await Promise.all([
      visit.ask<Whois>("/whois/{name}", { name, partial: "true" }),
      visit.now(),
    ]);
    if (!("name" in whois)) return absentPage(whois);
    const body = await view.show({ visit, domain: whois, now });
    const shown = whois.display ?? whois.name;
    const path = nameUrl(whois.name);
    return {
      title: `${listed(shown)}${inTitle({ views, view })}`,
      description: descriptionOf(whois),
      canonical: viewUrl(path, { views, view }),
      section: "search",
      body: (
        <>
          <Heading domain={whois} />
          <NameNotice name={whois.name} />
          {whois.unresolved && <NotFoundOut unresolved={whois.unresolved} />}
          <Tabs label="Views of this name" path={path} views={views} view={view} />
          {body}
        </>
      ),
    };
  },
};

const descriptionOf = ({ name, availability_status, ownership }: Domain): string =>
  `${listed(name)} is ${availability_status}${ownership.owner ? `, its owner is ${ownership.owner}` : ""}: expiry, records and history.`;

const Heading = ({ domain }: { domain: Domain }) => {
  const { name, display = name } = domain;
  const encoded = encodeURIComponent(domain.query);
  return (
    <div class="heading">
      <div class="heading-title">
        <h1>
          <bdi class="theirs">{visible(listed(display))}</bdi>
        </h1>
        <Copy text={name} what="name" />
        <StateBadge state={domain.availability_status} />
        {domain.ownership.is_wrapped && <span class="badge">Wrapped</span>}
        {domain.chain !== undefined && <span class="badge">On {domain.chain}</span>}
      </div>
      <p class="actions">
        {domain.expiry_timestamp !== null && (
          <a class="button" href={`domain/${encoded}/expiry.ics`}>
            <Icon name="calendar" /> Expiry calendar
          </a>
        )}
        <a class="button" href={`whois/${encoded}`}>
          <Icon name="code" /> JSON
        </a>
      </p>
    </div>
  );
};

/** A name that no event names; where it is a .eth name, it can be registered. */
function absentPage({ query, availability_status, unresolved }: Exclude<Whois, Domain>): Page {
  const parsed = parseName(query);
  const isOpen = availability_status === "available";
  return {
    title: listed(parsed.name),
    description: unresolved
      ? `What ${listed(parsed.name)} is could not be found out.`
      : `${listed(parsed.name)} is in no event of ENS.`,
    ...(unresolved && { status: errorCodes.LIVE_RESOLUTION_FAILED.status }),
    canonical: nameUrl(parsed.name),
    section: "search",
    body: (
      <>
        <div class="heading">
          <div class="heading-title">
            <h1>
              <bdi class="theirs">{visible(listed(parsed.name))}</bdi>
            </h1>
            <StateBadge state={availability_status} />
          </div>
        </div>
        <NameNotice name={parsed.name} />
        {unresolved ? (
          <NotFoundOut unresolved={unresolved} />
        ) : (
          <Empty>
            {isOpen
              ? "No event ever named this name. Anyone can register it."
              : isEthSecondLevel(parsed)
                ? "No event ever named this name, and it cannot be registered."
                : "No event ever named this name, and no resolver answers for it."}
          </Empty>
        )}
      </>
    ),
  };
}

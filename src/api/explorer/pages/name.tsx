import type { ExplorerPage } from "../page.ts";
import { NotFoundOut } from "../parts/card.tsx";
import { Copy } from "../parts/hash.tsx";
import { Icon } from "../parts/icon.tsx";
import { listed, NameNotice, nameUrl } from "../parts/name.tsx";
import { StateBadge } from "../parts/state.tsx";
import { visible } from "../parts/text.tsx";
import { inTitle, Tabs, type Views, viewOf, viewUrl } from "../parts/views.tsx";
import type { Domain, Whois } from "../replies.ts";
import { absentPage } from "./name/absent.tsx";
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
    if (!("name" in whois)) return absentPage(visit, whois);
    const body = await view.show({ visit, domain: whois, now });
    const shown = whois.display ?? whois.name;
    const path = nameUrl(whois.name);
    return {
      title: `${listed(shown)}${inTitle({ views, view })}`,
      description: descriptionOf(whois),
      canonical: viewUrl(path, { views, view }),
      section: "search",
      scripts: ["watch.js"],
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
        <button type="button" class="button watch" data-watch={name} aria-pressed="false">
          <Icon name="eye" /> <span>Watch</span>
        </button>
      </p>
    </div>
  );
};

import { endingExpiryOf } from "../../../names/rules/lifeEnds.ts";
import type { ApiError } from "../../../server/errors/errors.ts";
import type { ExplorerPage, Page } from "../page.ts";
import { managedAt } from "../parts/apps.ts";
import { Avatar, avatarUrl } from "../parts/avatar.tsx";
import { NotFoundOut } from "../parts/card.tsx";
import { Copy } from "../parts/hash.tsx";
import { Icon } from "../parts/icon.tsx";
import { Identicon } from "../parts/identicon.tsx";
import { askedAs, listed, NameNotice, nameUrl } from "../parts/name.tsx";
import { StateBadge } from "../parts/state.tsx";
import { visible } from "../parts/text.tsx";
import { inTitle, Tabs, type Views, viewOf, viewUrl } from "../parts/views.tsx";
import type { Domain, Records, Whois } from "../replies.ts";
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
    let asked: Promise<Records | ApiError> | undefined;
    const records = () =>
      (asked ??= visit.tryAsk<Records>("/domain/{name}/records", { name: whois.query, partial: "true" }));
    const [body, network] = await Promise.all([
      view.show({ visit, domain: whois, now, records }),
      visit.network(),
    ]);
    const written = asked === undefined ? null : await asked;
    const shown = whois.display ?? whois.name;
    const path = nameUrl(whois.name);
    return {
      title: `${listed(shown)}${inTitle({ views, view })}`,
      description: descriptionOf(whois),
      canonical: viewUrl(path, { views, view }),
      preview: previewOf(
        whois,
        written === null || written instanceof Error ? null : written,
        visit.hasAvatars,
      ),
      section: "search",
      scripts: ["watch.js"],
      body: (
        <>
          <Heading domain={whois} network={network} hasAvatars={visit.hasAvatars} />
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
  `${listed(name)} is ${availability_status}${ownership.is_owner_current ? `, its owner is ${ownership.owner}` : ""}: expiry, records and history.`;

/** Longest description of an owner that other sites are given. */
const MAX_PREVIEW = 200;

/** The preview on other sites: the owner's description if there is one, and a raster image. */
function previewOf(
  domain: Domain,
  records: Records | null,
  hasAvatars: boolean,
): NonNullable<Page["preview"]> {
  const { description = "", avatar } = records?.records?.texts ?? {};
  const said = description.replaceAll(/\s+/g, " ").trim().slice(0, MAX_PREVIEW);
  return {
    description: [said, descriptionOf(domain)].filter((part) => part !== "").join(" · "),
    image: hasAvatars && avatar ? avatarUrl(askedAs(domain.name)) : null,
  };
}

type HeadingProps = { domain: Domain; network: string | null; hasAvatars: boolean };

const Heading = ({ domain, network, hasAvatars }: HeadingProps) => {
  const { name, display = name } = domain;
  const encoded = encodeURIComponent(domain.query);
  const app = managedAt(domain, network);
  return (
    <div class="heading">
      <div class="heading-title">
        {hasAvatars ? (
          <Avatar name={askedAs(name)} side={56} />
        ) : (
          <Identicon
            address={(domain.ownership.is_owner_current && domain.ownership.owner) || domain.namehash}
          />
        )}
        <h1>
          <bdi class="theirs">{visible(listed(display))}</bdi>
        </h1>
        <Copy text={name} what="name" />
        <StateBadge state={domain.availability_status} />
        {domain.ownership.is_wrapped && <span class="badge">Wrapped</span>}
        {domain.chain !== undefined && <span class="badge">On {domain.chain}</span>}
      </div>
      <p class="actions">
        {endingExpiryOf(domain) !== null && (
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
        {app && (
          <a class="button" href={app.url} rel="noopener" referrerpolicy="no-referrer">
            Manage <span class="host">{app.host}</span>
            <Icon name="out" />
          </a>
        )}
      </p>
    </div>
  );
};

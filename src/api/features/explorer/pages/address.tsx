import type { ExplorerPage } from "../page.ts";
import { Avatar } from "../parts/avatar.tsx";
import { Figures, NotFoundOut } from "../parts/card.tsx";
import { Copy, Halves, OnBlockExplorer } from "../parts/hash.tsx";
import { Icon } from "../parts/icon.tsx";
import { Identicon } from "../parts/identicon.tsx";
import { NameLink } from "../parts/name.tsx";
import { inTitle, Tabs, type Views, viewOf, viewUrl } from "../parts/views.tsx";
import type { AddressSummary } from "../replies.ts";
import { calendarOfAddress } from "./address/calendar.tsx";
import { namesOfAddress } from "./address/names.tsx";
import { previousOfAddress } from "./address/previous.tsx";
import { primaryNamesOfAddress } from "./address/primaryNames.tsx";
import type { AddressView } from "./address/view.ts";
import { MAX_CSV_NAMES } from "./namesCsv.ts";

const views: Views<AddressView> = [
  { key: "names", label: "Names", show: namesOfAddress },
  { key: "calendar", label: "Expiries", show: calendarOfAddress },
  { key: "primary", label: "Primary names", show: primaryNamesOfAddress },
  { key: "previous", label: "Previous names", show: previousOfAddress },
];

/** An address: its names with their expiries, its primary names, and its previous names. */
export const addressPage: ExplorerPage = {
  path: "/explore/address/:address",
  render: async (visit) => {
    const view = viewOf(visit, views);
    const asked = visit.param("address");
    const [summary, now] = await Promise.all([
      visit.ask<AddressSummary>("/address/{address}/summary", { address: asked, partial: "true" }),
      visit.now(),
    ]);
    const { address } = summary;
    const path = `explore/address/${address}`;
    const body = await view.show({ visit, address, now });
    return {
      title: `${summary.primary_name ?? address}${inTitle({ views, view })}`,
      description: `Names of ${address}: ${summary.domain_count} active, ${summary.domains_expiring_30d} expiring within 30 days.`,
      canonical: viewUrl(path, { views, view }),
      section: "search",
      body: (
        <>
          <Heading summary={summary} hasAvatars={visit.hasAvatars} />
          <Figures
            figures={[
              ["Active names", summary.domain_count.toLocaleString("en")],
              ["Expiring within 30 days", summary.domains_expiring_30d.toLocaleString("en")],
              ["Previous names", summary.previously_owned_count.toLocaleString("en")],
            ]}
          />
          <Tabs label="Views of this address" path={path} views={views} view={view} />
          {body}
        </>
      ),
    };
  },
};

type HeadingProps = { summary: AddressSummary; hasAvatars: boolean };

const Heading = ({
  summary: { address, primary_name, unresolved, domain_count },
  hasAvatars,
}: HeadingProps) => (
  <div class="heading">
    <div class="heading-title">
      {hasAvatars && primary_name != null ? (
        <Avatar name={primary_name} side={56} />
      ) : (
        <Identicon address={address} />
      )}
      <h1 class="mono">
        <Halves value={address} />
      </h1>
      <Copy text={address} what="address" />
      <OnBlockExplorer kind="address" of={address} chain={undefined} />
    </div>
    {primary_name != null && (
      <p class="primary">
        Primary name <NameLink name={primary_name} />
      </p>
    )}
    {unresolved && <NotFoundOut unresolved={unresolved} />}
    <p class="actions">
      <a class="button" href={`address/${address}/expiries.ics`}>
        <Icon name="calendar" /> Expiry calendar
      </a>
      <a class="button" href={`explore/address/${address}/names.csv`} download>
        <Icon name="download" /> CSV
        {domain_count > MAX_CSV_NAMES && ` of the first ${MAX_CSV_NAMES.toLocaleString("en")}`}
      </a>
      <a class="button" href={`address/${address}/summary`}>
        <Icon name="code" /> JSON
      </a>
    </p>
  </div>
);

import type { Domain } from "../replies.ts";

type App = {
  host: string;
  path: (name: string, label: string) => string;
  renewal?: (name: string) => string;
};

/** The applications in which people register and renew, by network and chain; "" is the main chain. */
const apps: Record<string, Record<string, App>> = {
  mainnet: {
    "": {
      host: "app.ens.domains",
      path: (name) => `/${name}/register`,
      renewal: (name) => `/${name}`,
    },
    base: { host: "www.base.org", path: (_, label) => `/name/${label}` },
    linea: { host: "names.linea.build", path: (name) => `/${name}` },
  },
  sepolia: {
    "": {
      host: "sepolia.app.ens.domains",
      path: (name) => `/${name}/register`,
      renewal: (name) => `/${name}`,
    },
  },
};

/** Where a name is registered or renewed; null on networks that have no such application. */
export function appOf(
  { domain, chain = "" }: { domain: string; chain?: string | undefined },
  { network, isRenewal }: { network: string | null; isRenewal: boolean },
): { url: string; host: string } | null {
  const app = apps[network ?? ""]?.[chain];
  if (app === undefined) return null;
  const name = encodeURIComponent(domain);
  const label = encodeURIComponent(domain.split(".")[0] ?? "");
  const path = isRenewal && app.renewal ? app.renewal(name) : app.path(name, label);
  return { url: `https://${app.host}${path}`, host: app.host };
}

/** Where the owner of a name manages it; null for a name without an owner, too. */
export const managedAt = ({ name, chain, ownership }: Domain, network: string | null) =>
  ownership.is_owner_current ? appOf({ domain: name, chain }, { network, isRenewal: true }) : null;

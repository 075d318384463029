// React hooks for wallets: the name of an address, the names of many, and the address of a picture. They need `react` and
// `@tanstack/react-query`. Names are written by their owners: show them as text, never as markup.
import { useQuery } from "@tanstack/react-query";
import { createNamedex } from "namedex-client";

const namedex = createNamedex({ url: "https://names.example.org" });

/**
 * @example
 * const { data: names } = useNames(transfers.map(({ to }) => to));
 * return transfers.map(({ to }) => <span key={to}>{names?.get(to) ?? to}</span>);
 */
export function useNames(addresses: readonly string[]) {
  const asked = [...new Set(addresses)].sort();
  return useQuery({
    queryKey: ["primary-names", asked],
    queryFn: async ({ signal }) => {
      const { results } = await namedex.primaryNames({ addresses: asked }, { signal });
      const names = new Map<string, string>();
      for (const item of Object.values(results)) {
        if (!item.known || !item.primary_name) continue;
        for (const spelling of [item.query, ...(item.other_queries ?? [])])
          names.set(spelling, item.primary_name);
      }
      return names;
    },
    enabled: asked.length > 0,
    retry: false,
    staleTime: 60_000,
  });
}

/**
 * @example
 * return <img src={useAvatar("alice.eth")} width={32} height={32} loading="lazy" alt="" />;
 */
export const useAvatar = (name: string): string => namedex.avatarUrl(name);

// A React hook: the primary name of an address. It needs `react` and `@tanstack/react-query`.
// Names are written by their owners: show them as text, never as markup.
import { useQuery } from "@tanstack/react-query";
import { createNamedex } from "namedex-client";

const namedex = createNamedex({ url: "https://names.example.org" });

/**
 * @example
 * const { data: name } = usePrimaryName(address);
 * return <span>{name ?? address}</span>;
 */
export function usePrimaryName(address: string) {
  return useQuery({
    queryKey: ["primary-name", address],
    // The request ends if the component goes, or if the address changes.
    queryFn: async ({ signal }) => {
      const answer = await namedex.address(address).primaryName({}, { signal });
      return (answer.known && answer.primary_name) || null;
    },
    // The client itself asks again after errors that pass.
    retry: false,
    staleTime: 60_000,
  });
}

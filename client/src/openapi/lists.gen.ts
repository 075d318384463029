// The fields with the results of each operation that answers in pages. Written by `npm run client:generate`.

export const listsOf = {
  "getSearchDomains": [
    "results"
  ],
  "getDomainSubdomains": [
    "results"
  ],
  "getDomainRecordsTextHistory": [
    "history"
  ],
  "getDomainEvents": [
    "events"
  ],
  "getAddressEvents": [
    "events"
  ],
  "getContractEvents": [
    "events"
  ],
  "getEvents": [
    "events"
  ],
  "getDomainRegistrationHistory": [
    "registrations",
    "renewals"
  ],
  "getDomainOwnershipHistory": [
    "history",
    "registry",
    "registrar",
    "wrapper"
  ],
  "getDomainResolverHistory": [
    "history"
  ],
  "getLookupLabelhashByHash": [
    "domains"
  ],
  "getAddressDomains": [
    "results"
  ],
  "getAddressPreviousDomains": [
    "results"
  ],
  "getDomainPermissions": [
    "permissions"
  ],
  "getAddressPermissions": [
    "permissions"
  ],
  "getAddressResolvesTo": [
    "results"
  ],
  "getResolverNames": [
    "results"
  ],
  "getResolverFormerNames": [
    "results"
  ],
  "getResolverLinks": [
    "results"
  ],
  "getResolverRoles": [
    "results"
  ],
  "getRegistryLabels": [
    "results"
  ],
  "getRegistryReferringNames": [
    "results"
  ],
  "getDomainRoles": [
    "results"
  ],
  "getDomainRoleChanges": [
    "results"
  ],
  "getRegistryRoles": [
    "results"
  ],
  "getRegistryRoleChanges": [
    "results"
  ],
  "getAgents": [
    "agents"
  ]
} as const;

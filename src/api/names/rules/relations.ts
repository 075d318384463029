/**
 * Relations of an address to a name. `effective_owner`: by wrapper, then registrar, then registry. `manager`, in ENSv1: holder of
 * the NameWrapper's token if the name is wrapped, otherwise owner in the registry. `role_holder`, in ENSv2: has roles for the
 * name. `former_owner`: an event named it as receiver or owner, and it no longer controls the name.
 */
export const relations = [
  "effective_owner",
  "registry_owner",
  "registrar_owner",
  "wrapper_owner",
  "resolver",
  "manager",
  "role_holder",
  "former_owner",
] as const;

export type Relation = (typeof relations)[number];

/** Owner, manager or role holder: the accounts that can do something with a name. */
export const ANY: readonly Relation[] = ["effective_owner", "manager", "role_holder"];

import { all, any, type Condition, equals, isPresent, isTrue, named, not } from "../../../ens/condition.ts";
import { managedNames, secondLevelOf, tokenNames } from "../../../ens/managedNames.ts";
import { ADDR_REVERSE_NODE, ETH_NODE, ROOT_NODE } from "../../../ens/name.ts";
import { isEmancipated } from "../../../ens/wrapper.ts";

/* Rules about names that do not depend on the time. */

type RegistrarColumn = "chainId" | "parentNode";

/** Rule: any node except the root, which has no name. */
export const isNotRoot = not(equals("node", ROOT_NODE));

/**
 * Rule: a name that counts as held by people: neither the root nor `<address>.addr.reverse`, which an address gets for setting a
 * primary name.
 */
export const isCounted = all(isNotRoot, not(equals("parentNode", ADDR_REVERSE_NODE)));

/**
 * Rule: a second-level name of a registrar, which stores its expiry: directly under .eth, or on a layer 2 directly under its
 * managed name.
 */
export const isOfRegistrar = named("isOfRegistrar", secondLevelOf(managedNames));

const isOneOf = (names: typeof managedNames) =>
  any<RegistrarColumn>(
    ...names.map(({ chainId, node }) =>
      all<RegistrarColumn>(equals("chainId", chainId), equals("parentNode", node)),
    ),
  );

/** Rule: a second-level name of a layer 2's registrar. */
export const isOfLayer2 = isOneOf(managedNames);

/** Rule: a second-level name of a layer 2's registrar that has no premium after its grace. */
export const isWithoutPremium = isOneOf(managedNames.filter(({ hasPremium }) => !hasPremium));

/** Rule: a token of 3DNS. */
export const isToken = any(...tokenNames.map(({ chainId }) => equals("chainId", chainId)));

/** Rule: a wrapped name that is not emancipated from its parent, so the wrapper's expiry does not end it. */
export const isLasting = all<"isWrapped" | "wrapperFuses">(isTrue("isWrapped"), not(isEmancipated));

/** Rule: an ENSv2 entry controls the name. */
export const isEnsv2 = named("isEnsv2", isPresent("registry"));

/** Rule: the name's owner in ENSv1 is one of these contracts, which do not count as owners. */
export const isOfNonOwner = (nonOwners: ReadonlySet<string>): Condition<"effectiveOwnerAddress"> =>
  any(...[...nonOwners].sort().map((one) => equals("effectiveOwnerAddress", one)));

/** Rule: an ENSv1 name whose owner does not count. Its expiry there is meaningless. */
export const isRetired = (nonOwners: ReadonlySet<string>) =>
  named(
    "isRetired",
    all<"parentNode" | "registry" | "expiryTimestamp" | "effectiveOwnerAddress">(
      equals("parentNode", ETH_NODE),
      not(isEnsv2),
      isPresent("expiryTimestamp"),
      isOfNonOwner(nonOwners),
    ),
  );

/** Rule: an ENSv1 .eth name that the ENSv2 registry never saw, while its registrar is open. `unseenSql.ts` is its SQL. */
export const isUnseen = (ethRegistry: string) => named("isUnseen", isTrue("isUnseen"), [ethRegistry]);

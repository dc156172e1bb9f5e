// @onym/core/naming: the catalog, naming tables and locks one by one, for hosts that do not build a snapshot.

export { buildCatalog } from "../catalog/build-catalog.js";
export { integrationApart, integrationFromServerId, plainIntegration } from "../catalog/integration-of.js";
export { findLookAlikes, type LookAlikeFinding } from "../catalog/look-alikes.js";
export { buildNamingTable, type NamingOptions } from "./build-naming-table.js";
export { formatLockSteps } from "./lock/format-lock.js";
export { DEFAULT_ALIAS, readLockedTool } from "./lock/lock.js";
export { isNamingStyle } from "./wish/style.js";

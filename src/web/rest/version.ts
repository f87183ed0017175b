import { errors } from "../errors.ts";

/**
 * Use of the `version` of items. By default, items that have a whole number as `version` have versions.
 *
 * - `true`: all items have one. The OpenAPI document describes it.
 * - `"optional"`: as `true`, but a change without a version is carried out as well, instead of 428.
 * - `false`: `version` is a property like others.
 */
export type Versions = boolean | "optional";

/** Functions on the versions of a resource's items. */
export interface ItemVersions {
  /** Returns the version of an item, or `undefined` if its items have none. @throws E_VERSION_INVALID */
  readonly of: (item: object) => number | undefined;
  /** True if a change without a version is refused with 428. */
  readonly areRequired: boolean;
}

/**
 * Returns the functions on versions. A field `version` of the schema is a property that people edit.
 *
 * @throws E_RESOURCE_INVALID
 */
export function itemVersions(name: string, fields: readonly string[], versions: Versions | undefined): ItemVersions {
  if (versions !== undefined && versions !== false && fields.includes("version")) {
    throw errors.E_RESOURCE_INVALID(name, 'its schema has a field "version", so its items cannot have versions');
  }
  const areUsed = versions !== false && (versions !== undefined || !fields.includes("version"));
  return {
    of: (item) => {
      const version = areUsed ? (item as { readonly version?: unknown }).version : undefined;
      const isAbsent = versions === undefined && typeof version !== "number";
      if (!areUsed || isAbsent) return undefined;
      if (!isVersion(version)) throw errors.E_VERSION_INVALID(name, version);
      return version;
    },
    areRequired: versions !== "optional",
  };
}

/** Returns true for a version: a whole number from 0 to 2⁵³ − 1. */
export function isVersion(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

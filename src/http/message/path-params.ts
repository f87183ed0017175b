/**
 * Path parameters by name. The prototype is empty, so that `/x/:constructor?` has no value on `/x`. V8 creates objects of a
 * constructor with fast properties, and those of `Object.create(null)` as hash tables.
 */
export const PathParams = function PathParams() {} as unknown as new () => Record<string, string>;
PathParams.prototype = Object.create(null);

/** Parameters of a path without any. */
export const emptyParams: Readonly<Record<string, string>> = Object.freeze(new PathParams());

/** Exported name that has a new name, has moved to another entry point, or is gone. */
export interface ExportRename {
  readonly kind: "export";
  /** Import path, such as `limmat/database`. */
  readonly entryPoint: string;
  /** Old name, by its parts: `["Context", "find"]`. */
  readonly path: readonly string[];
  /** New name and its entry point; `undefined` if there is none. */
  readonly target: { readonly entryPoint: string; readonly path: readonly string[] } | undefined;
  /** Advice if there is no new name. */
  readonly advice: string;
}

/** Property or option with a new name. */
export interface PropertyRename {
  readonly kind: "property";
  /** Names of the types that have the property, as the type checker prints them. */
  readonly types: readonly string[];
  readonly name: string;
  readonly target: string;
}

/** Configuration key with a new name. */
export interface KeyRename {
  readonly kind: "key";
  readonly name: string;
  readonly target: string;
}

/** Rename that a codemod can apply or report. */
export type Rename = ExportRename | PropertyRename | KeyRename;

/** Row of the table of renamed names in the documentation, with its renames. */
export interface RenameRow {
  readonly module: string;
  /** Old names, as Markdown. */
  readonly before: readonly string[];
  /** New names in the same order, or one text for all, as Markdown. */
  readonly after: readonly string[];
  /** Empty for names that no codemod covers. */
  readonly renames: readonly Rename[];
}

/** Place of a change in a file. */
export interface Finding {
  readonly path: string;
  readonly line: number;
  readonly message: string;
}

const code = (name: string): string => `\`${name}\``;

/** Splits `limmat:Web` into the import path and the namespace, which is empty for an import path alone. */
function parseLocation(location: string): readonly [entryPoint: string, namespace: readonly string[]] {
  const [entryPoint = "", namespace] = location.split(":");
  return [entryPoint, namespace === undefined ? [] : [namespace]];
}

/**
 * Makes a row of exported names. `locations` are import paths with an optional namespace: `limmat/web`, `limmat:Web`. The
 * names are relative to them. A new name of another entry point is written `limmat/http#compose`.
 */
export function exports(
  module: string,
  locations: readonly string[],
  names: Readonly<Record<string, string>>,
): RenameRow {
  const [, documentedNamespace] = parseLocation(locations[0] ?? "");
  const describe = (name: string): string => {
    const [entryPoint, moved] = name.split("#");
    if (moved !== undefined) return `${code(moved)} of ${code(entryPoint ?? "")}`;
    return code([...(documentedNamespace ?? []), name].join("."));
  };
  const renames = locations.flatMap((location) => {
    const [entryPoint, namespace] = parseLocation(location);
    return Object.entries(names).map(([before, after]): ExportRename => {
      const [newEntryPoint = "", moved] = after.split("#");
      const target =
        moved === undefined
          ? { entryPoint, path: [...namespace, ...after.split(".")] }
          : { entryPoint: newEntryPoint, path: moved.split(".") };
      return { kind: "export", entryPoint, path: [...namespace, ...before.split(".")], target, advice: "" };
    });
  });
  return {
    module,
    before: Object.keys(names).map(describe),
    after: Object.values(names).map(describe),
    renames,
  };
}

/** Makes a row of exported names without a new name. `advice` says what to use. */
export function removed(
  module: string,
  locations: readonly string[],
  names: readonly string[],
  advice: string,
): RenameRow {
  const renames = locations.flatMap((location) => {
    const [entryPoint, namespace] = parseLocation(location);
    return names.map((name): ExportRename => {
      return { kind: "export", entryPoint, path: [...namespace, ...name.split(".")], target: undefined, advice };
    });
  });
  return { module, before: names.map(code), after: [advice], renames };
}

/** Makes a row of properties and options of types. The first type is the documented one. */
export function properties(
  module: string,
  types: readonly string[],
  names: Readonly<Record<string, string>>,
): RenameRow {
  const [firstType = ""] = types;
  return {
    module,
    before: Object.keys(names).map((name) => code(`${firstType}.${name}`)),
    after: Object.values(names).map(code),
    renames: Object.entries(names).map(([name, target]) => ({ kind: "property", types, name, target })),
  };
}

/** Makes a row of configuration keys. */
export function keys(module: string, names: Readonly<Record<string, string>>): RenameRow {
  return {
    module,
    before: Object.keys(names).map(code),
    after: Object.values(names).map(code),
    renames: Object.entries(names).map(([name, target]) => ({ kind: "key", name, target })),
  };
}

/** Makes a row that no codemod covers. */
export function documented(module: string, before: string, after: string): RenameRow {
  return { module, before: [before], after: [after], renames: [] };
}

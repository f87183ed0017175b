import { type FSWatcher, readdirSync, statSync, watch as watchPath } from "node:fs";
import { join, sep } from "node:path";

// Folders that never contain sources of the application and may be very large.
const ignoredFolders: ReadonlySet<string> = new Set([
  ".git",
  "coverage",
  "dist",
  "logs",
  "node_modules",
  "tmp",
  "vendor",
]);

// Editors write a file in several steps, and switching a branch writes many files.
const debounceMs = 15;

/**
 * Watches a project and calls `onChange` with the changed paths, debounced by 15 ms. Returns a function that stops it.
 *
 * Paths are relative to the root and use `/` as separator.
 */
export function watch(root: string, onChange: (paths: ReadonlySet<string>) => void): () => void {
  const watchers = new Map<string, FSWatcher>();
  let changed = new Set<string>();
  let timer: NodeJS.Timeout | undefined;

  const recordChange = (path: string): void => {
    changed.add(path.split(sep).join("/"));
    clearTimeout(timer);
    timer = setTimeout(() => {
      const paths = changed;
      changed = new Set();
      onChange(paths);
    }, debounceMs);
  };
  /** Watches a folder of the root. Returns false for a file, an ignored folder, and one that is watched already. */
  const watchFolder = (name: string): boolean => {
    if (watchers.has(name) || ignoredFolders.has(name) || !isFolder(join(root, name))) return false;
    const watcher = watchPath(
      join(root, name),
      { recursive: true },
      (_, path) => path !== null && recordChange(join(name, path)),
    );
    watcher.on("error", () => {
      watcher.close();
      watchers.delete(name);
    });
    watchers.set(name, watcher);
    return true;
  };

  // The root is not watched recursively: ignored folders would cost one watch per subfolder.
  const rootWatcher = watchPath(root, (_, name) => {
    if (name === null || ignoredFolders.has(name)) return;
    // Files of a new folder may have been written before it was watched.
    const isNewFolder = watchFolder(name);
    const files = isNewFolder ? filesBelow(join(root, name)) : [];
    for (const path of [name, ...files.map((file) => join(name, file))]) recordChange(path);
  });
  for (const name of readdirSync(root)) watchFolder(name);

  return () => {
    clearTimeout(timer);
    for (const watcher of [rootWatcher, ...watchers.values()]) watcher.close();
  };
}

/** Returns the paths of all files below a folder, relative to it. A folder that has gone meanwhile has none. */
function filesBelow(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: "utf8" });
  } catch {
    return [];
  }
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

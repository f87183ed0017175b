import { type FSWatcher, readdirSync, statSync, watch as watchPath } from "node:fs";
import { join, sep } from "node:path";

// What is never a part of the application, and may be very large.
const ignored: ReadonlySet<string> = new Set([".git", "coverage", "dist", "logs", "node_modules", "vendor"]);

// Editors write a file in several steps; a branch that is changed writes many files.
const settling = 15;

/**
 * Calls back with the paths, relative to the root and with `/` between the parts, that changed, once no more follow.
 * Gives the function that ends it.
 */
export function watch(root: string, onChange: (paths: ReadonlySet<string>) => void): () => void {
  const watchers = new Map<string, FSWatcher>();
  let changed = new Set<string>();
  let timer: NodeJS.Timeout | undefined;

  const note = (path: string): void => {
    changed.add(path.split(sep).join("/"));
    clearTimeout(timer);
    timer = setTimeout(() => {
      const paths = changed;
      changed = new Set();
      onChange(paths);
    }, settling);
  };
  const watchFolder = (name: string): void => {
    if (watchers.has(name) || ignored.has(name) || !isFolder(join(root, name))) return;
    const watcher = watchPath(
      join(root, name),
      { recursive: true },
      (_, path) => path !== null && note(join(name, path)),
    );
    watcher.on("error", () => {
      watcher.close();
      watchers.delete(name);
    });
    watchers.set(name, watcher);
  };

  // The root itself is not watched recursively: what is ignored would cost a watch per folder.
  const top = watchPath(root, (_, name) => {
    if (name === null || ignored.has(name)) return;
    watchFolder(name);
    note(name);
  });
  for (const name of readdirSync(root)) watchFolder(name);

  return () => {
    clearTimeout(timer);
    for (const watcher of [top, ...watchers.values()]) watcher.close();
  };
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

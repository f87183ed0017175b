import { type FSWatcher, readdirSync, statSync, watch as watchPath } from "node:fs";
import { join, sep } from "node:path";

// Folders that never contain sources of the application and may be very large.
const ignoredFolders: ReadonlySet<string> = new Set(".git coverage dist logs node_modules tmp vendor".split(" "));

// Files that editors and generators write beside a file and rename.
const temporaryFile = /(?:~|\.tmp|\.sw[a-z]|(?:^|[/\\])\d+)$/;

// An editor writes one file, in several steps that follow each other at once.
const minQuietMs = 15;
// A generator or a switch of the branch writes many files. A pause of four times the longest one so far ends them.
const minBurstQuietMs = 60;
const maxQuietMs = 400;
const quietFactor = 4;
// Files that are written without an end, such as a log in a watched folder, must not prevent all restarts.
const maxBurstMs = 5000;

/** Watched project. */
export interface ProjectWatcher {
  /** Resolves when the changes so far were reported; at once if none are pending. */
  readonly settled: () => Promise<void>;
  readonly stop: () => void;
}

/** Changes that follow each other closely. */
interface Burst {
  readonly startMs: number;
  lastMs: number;
  longestPauseMs: number;
  readonly paths: Set<string>;
}

/**
 * Watches a project and calls `onChange` once with all changed paths when the writes have settled.
 *
 * A change of one file settles after 15 ms. Changes of several files settle after four times the longest pause between two
 * of them, within 60 to 400 ms. Paths are relative to the root and use `/` as separator.
 */
export function watch(root: string, onChange: (paths: ReadonlySet<string>) => void): ProjectWatcher {
  const watchers = new Map<string, FSWatcher>();
  let changed = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let burst: Burst | undefined;
  let reported = Promise.withResolvers<void>();

  const recordChange = (path: string): void => {
    if (temporaryFile.test(path)) return;
    const nowMs = performance.now();
    const name = path.split(sep).join("/");
    // A slow command goes on after a report: its next change belongs to the same burst.
    if (burst === undefined || nowMs - burst.lastMs > maxQuietMs || nowMs - burst.startMs > maxBurstMs) {
      burst = { startMs: nowMs, lastMs: nowMs, longestPauseMs: 0, paths: new Set() };
    }
    burst.longestPauseMs = Math.max(burst.longestPauseMs, nowMs - burst.lastMs);
    burst.lastMs = nowMs;
    burst.paths.add(name);
    changed.add(name);
    const burstQuietMs = Math.min(maxQuietMs, Math.max(minBurstQuietMs, quietFactor * burst.longestPauseMs));
    const quietMs = burst.paths.size === 1 ? minQuietMs : burstQuietMs;
    clearTimeout(timer);
    timer = setTimeout(report, Math.min(quietMs, Math.max(0, burst.startMs + maxBurstMs - nowMs)));
  };
  const report = (): void => {
    const paths = changed;
    changed = new Set();
    onChange(paths);
    reported.resolve();
    reported = Promise.withResolvers();
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

  return {
    settled: () => (changed.size === 0 ? Promise.resolve() : reported.promise),
    stop: () => {
      clearTimeout(timer);
      reported.resolve();
      for (const watcher of [rootWatcher, ...watchers.values()]) watcher.close();
    },
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

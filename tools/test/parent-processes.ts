// Ancestors of the runner: it ends when one of them has ended, for example a terminal, a CI agent, or npm.
import { readFileSync } from "node:fs";

/** Interval of the checks, in milliseconds. */
const intervalMs = 1000;

/**
 * Calls `onEnd` when a parent process has ended. Watches the parent of the runner; if npm runs it, also those up to npm and the
 * process that started npm, because the processes in between do not end with it. Checks the latter on Linux only.
 */
export function watchParents(onEnd: () => void): Disposable {
  const parents = findParents();
  const timer = setInterval(() => {
    if (parents.every(([pid, parent]) => parentOf(pid) === parent)) return;
    clearInterval(timer);
    onEnd();
  }, intervalMs).unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

/** Returns each watched process with its parent. */
function findParents(): readonly (readonly [pid: number, parent: number | undefined])[] {
  const parents: [number, number | undefined][] = [[process.pid, process.ppid]];
  if (process.platform !== "linux" || process.env["npm_lifecycle_event"] === undefined) return parents;
  for (let pid = process.ppid; pid > 1;) {
    const parent = parentOf(pid);
    parents.push([pid, parent]);
    if (parent === undefined || isNpm(pid)) return parents;
    pid = parent;
  }
  return parents.slice(0, 1);
}

/** Returns the parent of a process; `undefined` if it has ended. A process whose parent ends gets another one. */
function parentOf(pid: number): number | undefined {
  if (pid === process.pid) return process.ppid;
  // pid (name) state ppid …: the name may contain spaces and parentheses.
  const text = read(`/proc/${pid}/stat`);
  return text === undefined ? undefined : Number(text.slice(text.lastIndexOf(")") + 2).split(" ")[1]);
}

/** Returns true if a process is npm, which sets its title to its command: `npm test`. */
const isNpm = (pid: number): boolean => /^npm |\bnpm(?:-cli\.js)?\0/.test(read(`/proc/${pid}/cmdline`) ?? "");

function read(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

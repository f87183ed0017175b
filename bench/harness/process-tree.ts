import { readdirSync, readFileSync } from "node:fs";
import type { Usage } from "./server.ts";

// The unit of /proc is a clock tick: 10 ms on Linux, on all platforms of Node.
const tickMicroseconds = 10_000;

/** Returns CPU time and resident memory of a process and its descendants. Reads /proc, so it needs Linux. */
export function treeUsage(pid: number): Usage {
  const fields = statOf(pid);
  let cpu = (Number(fields[11]) + Number(fields[12])) * tickMicroseconds;
  let rss = Number(/^VmRSS:\s*(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) * 1024;
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    for (const child of readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8").trim().split(" ")) {
      if (child === "") continue;
      const usage = treeUsage(Number(child));
      cpu += usage.cpu;
      rss += usage.rss;
    }
  }
  return { cpu, rss };
}

/** Returns the fields of /proc/<pid>/stat after the name of the command, from the state on. */
function statOf(pid: number): readonly string[] {
  const text = readFileSync(`/proc/${pid}/stat`, "utf8");
  return text.slice(text.lastIndexOf(")") + 2).split(" ");
}

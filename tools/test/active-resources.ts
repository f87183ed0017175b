// Description of what keeps a process alive.

/** Parts of a diagnostic report: https://nodejs.org/api/report.html */
interface DiagnosticReport {
  readonly libuv: readonly Handle[];
}

/** Handle of the event loop. */
interface Handle {
  readonly type: string;
  readonly is_active?: boolean;
  readonly is_referenced?: boolean;
  readonly pid?: number;
  readonly fd?: number;
  readonly filename?: string;
  readonly localEndpoint?: Endpoint | null;
  readonly remoteEndpoint?: Endpoint | null;
}

interface Endpoint {
  readonly ip4?: string;
  readonly ip6?: string;
  readonly port?: number;
}

/** Returns a sentence with the resources that keep this process alive: `Active resources: tcp server at 127.0.0.1:80, timer.` */
export function describeResources(): string {
  // Without look-ups of names. The types of Node do not know this property yet.
  const report: NodeJS.ProcessReport & { excludeNetwork?: boolean } = process.report;
  report.excludeNetwork = true;
  const { libuv } = report.getReport() as unknown as DiagnosticReport;
  // The handle of the loop itself has neither flag.
  const handles = libuv.filter((handle) => handle.is_active === true && handle.is_referenced === true);
  const names = new Map<string, number>();
  // Includes requests without a handle, such as an open file.
  for (const name of [...handles.map(describeHandle), ...requestsOnly(process.getActiveResourcesInfo())])
    names.set(name, (names.get(name) ?? 0) + 1);
  const list = [...names].map(([name, count]) => (count === 1 ? name : `${count} × ${name}`));
  return `Active resources: ${list.length === 0 ? "none" : list.join(", ")}.`;
}

const requestsOnly = (types: readonly string[]): readonly string[] => types.filter((type) => /Req/.test(type));

function describeHandle({ type, pid, fd, filename, localEndpoint, remoteEndpoint }: Handle): string {
  if (type === "process") return `child process ${pid}`;
  // Node keeps this handle active while callbacks of setImmediate wait.
  if (type === "idle") return "setImmediate";
  if (filename !== undefined) return `${type} ${filename}`;
  const local = describeEndpoint(localEndpoint);
  const remote = describeEndpoint(remoteEndpoint);
  if (remote !== undefined) return `${type} connection to ${remote}`;
  if (local !== undefined) return `${type} server at ${local}`;
  return fd === undefined ? type : `${type} with descriptor ${fd}`;
}

function describeEndpoint(endpoint: Endpoint | null | undefined): string | undefined {
  const host = endpoint?.ip4 ?? endpoint?.ip6;
  return host === undefined ? undefined : `${host}:${endpoint?.port}`;
}

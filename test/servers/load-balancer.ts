// Load balancer as docs/guide/scale.md describes one.
import { once } from "node:events";
import { Agent, createServer, type IncomingMessage, request as send, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** Address of a machine. */
export interface Machine {
  readonly host: string;
  readonly port: number;
}

/** Running load balancer. */
export interface LoadBalancer extends AsyncDisposable {
  readonly url: string;
  /** Returns true if the last health check of a machine succeeded. */
  readonly isReady: (index: number) => boolean;
}

const checkIntervalMs = 50;

/**
 * Starts a load balancer. It sends requests in turn to the machines whose `/health/ready` is 200. It repeats a request on the
 * next machine if the connection is refused, and a GET request also if it breaks before the response.
 */
export async function startLoadBalancer(machines: readonly Machine[]): Promise<LoadBalancer> {
  const agent = new Agent({ keepAlive: true });
  const ready = machines.map(() => false);
  const closing = new AbortController();
  let turn = 0;

  const check = async (index: number): Promise<void> => {
    const { host, port } = machines[index] as Machine;
    try {
      const response = await fetch(`http://${host}:${port}/health/ready`, { signal: closing.signal });
      await response.arrayBuffer();
      ready[index] = response.status === 200;
    } catch {
      ready[index] = false;
    }
  };
  // A check has no time limit: a busy machine is late, but ready.
  const checkUntilClosed = async (_: Machine, index: number): Promise<void> => {
    while (!closing.signal.aborted) {
      await check(index);
      await sleep(checkIntervalMs);
    }
  };
  const checking = Promise.all(machines.map(checkUntilClosed));

  /** Returns the machines in the order in which a request tries them: those that are ready, from the next one on. */
  const candidates = (): readonly Machine[] => {
    turn += 1;
    const ordered = machines.map((_, index) => (index + turn) % machines.length);
    return ordered.filter((index) => ready[index]).map((index) => machines[index] as Machine);
  };

  const forward = (
    incoming: IncomingMessage,
    body: Buffer,
    response: ServerResponse,
    [machine, ...others]: readonly Machine[],
  ): void => {
    if (machine === undefined) return void response.writeHead(502).end("No machine is ready");
    const headers = { ...incoming.headers, "x-forwarded-for": incoming.socket.remoteAddress };
    const { method = "GET", url = "/" } = incoming;
    const outgoing = send({ ...machine, agent, method, path: url, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
      answer.pipe(response);
      answer.on("error", () => response.destroy());
    });
    outgoing.on("error", ({ code }: NodeJS.ErrnoException) => {
      if (response.headersSent) response.destroy();
      else if (method === "GET" || code === "ECONNREFUSED") forward(incoming, body, response, others);
      else response.writeHead(502).end("The machine does not answer");
    });
    outgoing.end(body);
  };

  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => forward(incoming, Buffer.concat(chunks), response, candidates()));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    isReady: (index) => ready[index] === true,
    [Symbol.asyncDispose]: async () => {
      closing.abort();
      await checking;
      agent.destroy();
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

import assert from "node:assert/strict";
import { once } from "node:events";
import { Agent, request } from "node:http";
import { text } from "node:stream/consumers";

// A server that does not answer at all must not keep the clients busy.
const maxLost = 100;

/** Result of a load. */
export interface LoadReport {
  readonly answered: number;
  /** Requests that got no complete answer with status 200. */
  readonly lost: readonly string[];
  /** Longest time until an answer, in milliseconds. */
  readonly slowestMs: number;
}

/** Requests that are sent without a pause. */
export interface Load {
  /** Stops the requests, waits for their answers, and returns the report. */
  readonly stop: () => Promise<LoadReport>;
}

/**
 * Sends requests to a port: half of the clients keep their connection, the others connect for each request.
 *
 * A request on a kept connection that the server closes before it answers is sent again, as HTTP clients do (RFC 9110
 * §9.2.2). Everything else that is not 200 is a lost request.
 */
export function startLoad(port: number, path: string, clients: number): Load {
  const lost: string[] = [];
  let answered = 0;
  let slowestMs = 0;
  const over = new AbortController();
  const client = async (_: unknown, index: number): Promise<void> => {
    const agent = new Agent({ keepAlive: index % 2 === 0, maxSockets: 1 });
    while (!over.signal.aborted && lost.length < maxLost) {
      const startMs = performance.now();
      const sent = request({ host: "127.0.0.1", port, path, agent }).end();
      try {
        const [response] = (await once(sent, "response")) as [NodeJS.ReadableStream & { readonly statusCode: number }];
        const body = await text(response);
        if (response.statusCode === 200) answered += 1;
        else lost.push(`${response.statusCode} ${body.slice(0, 200)}`);
      } catch (error) {
        if (sent.reusedSocket) continue;
        lost.push(String(error));
      }
      slowestMs = Math.max(slowestMs, performance.now() - startMs);
    }
    agent.destroy();
  };
  const running = Promise.all(Array.from({ length: clients }, client));
  return {
    stop: async () => {
      over.abort();
      await running;
      return { answered, lost, slowestMs };
    },
  };
}

/** Runs a task while eight clients send requests to a port. Fails if one of them is lost, or if they are too few. */
export async function runUnderLoad(port: number, minRequests: number, task: () => Promise<unknown>): Promise<void> {
  const load = startLoad(port, "/", 8);
  await task().catch(async (error: unknown) => {
    await load.stop();
    throw error;
  });
  const { answered, lost } = await load.stop();
  assert.deepEqual(lost, []);
  assert.ok(answered >= minRequests, `${answered} requests`);
}

import { ClientConnection } from "./client.ts";
import { type Loader, Recorder } from "./load.ts";

/**
 * Returns a loader that sends a fixed number of requests per second, whatever the server does.
 *
 * A latency begins at the time at which the request was due, not when a connection was free for it. A pause of the server
 * thus counts for all requests that it delays, and not only for the one that met it ("coordinated omission").
 */
export const loadAtRate =
  (requestsPerSecond: number): Loader =>
  async (options) => {
    const { requests, seconds } = options;
    const recorder = new Recorder(options.statuses);
    const total = Math.round(requestsPerSecond * seconds);
    const dueAt = (index: number): number => recorder.from + (index / requestsPerSecond) * 1000;
    const idle: (() => void)[] = [];
    let next = 0;
    let answered = 0;
    await new Promise<void>((resolve) => {
      for (let n = 0; n < options.connections; n += 1) {
        let due = 0;
        const connection = new ClientConnection(options, (status) => {
          recorder.add(status, performance.now() - due);
          answered += 1;
          sendNext();
          if (answered === total) resolve();
        });
        const sendNext = (): void => {
          if (next < total && dueAt(next) <= performance.now()) {
            due = dueAt(next);
            connection.send(requests[next++ % requests.length] as Buffer);
          } else if (next < total) idle.push(sendNext);
          else if (!connection.isBusy) connection.close();
        };
        idle.push(sendNext);
      }
      const nextSender = (): (() => void) | undefined =>
        next < total && dueAt(next) <= performance.now() ? idle.pop() : undefined;
      // A timer would be up to a millisecond late. The client has a core of its own.
      const watch = (): void => {
        for (let send = nextSender(); send !== undefined; send = nextSender()) send();
        if (next < total) setImmediate(watch);
        else for (const close of idle.splice(0)) close();
      };
      watch();
    });
    return recorder.result();
  };

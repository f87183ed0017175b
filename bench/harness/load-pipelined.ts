import { connect } from "./client.ts";
import { type Loader, Recorder } from "./load.ts";

const headEnd = Buffer.from("\r\n\r\n");

/** Returns a loader that sends `depth` requests in one write on each connection, and the next ones after the last response. */
export const loadPipelined =
  (depth: number): Loader =>
  async (options) => {
    const { requests, connections } = options;
    const recorder = new Recorder(options.statuses);
    const until = recorder.from + options.seconds * 1000;
    const batch = Buffer.concat(
      Array.from({ length: depth }, (_, index) => requests[index % requests.length] as Buffer),
    );
    const converse = (): Promise<void> =>
      new Promise((resolve) => {
        const socket = connect(options);
        let sent = 0;
        let answered = 0;
        let rest: Buffer = Buffer.alloc(0);
        const send = (): void => {
          sent = performance.now();
          if (sent < until) socket.write(batch);
          else {
            socket.removeAllListeners("close").destroy();
            resolve();
          }
        };
        socket.on("data", (chunk: Buffer) => {
          rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
          for (;;) {
            const end = rest.indexOf(headEnd);
            if (end === -1) return;
            const text = rest.toString("latin1", 0, end);
            const length = Number(/\r\ncontent-length: *(\d+)/i.exec(text)?.[1] ?? 0);
            if (rest.length < end + 4 + length) return;
            rest = rest.subarray(end + 4 + length);
            recorder.add(Number(text.slice(9, 12)), performance.now() - sent);
            answered = (answered + 1) % depth;
            if (answered === 0) send();
          }
        });
        socket.on("error", () => {});
        socket.on("close", () => {
          recorder.add(0, performance.now() - sent);
          resolve();
        });
        send();
      });
    await Promise.all(Array.from({ length: connections }, converse));
    return recorder.result();
  };

import { once } from "node:events";
import type { Socket } from "node:net";
import { connect } from "./client.ts";
import { type Loader, Recorder } from "./load.ts";
import { requestBytes } from "./http.ts";

/** Mark in the data of each event. */
export const eventMark = "tick";

const mark = Buffer.from(eventMark);

/**
 * Opens event streams and publishes events, each after all streams have received the last one. Each received event counts as
 * a request; its latency begins with the publication. The first request opens a stream, the second one publishes.
 */
export const loadEvents: Loader = async (options) => {
  const [subscription, publication] = options.requests as readonly [Buffer, Buffer];
  let onEvent: () => void = () => {};
  const subscribe = async (): Promise<Socket> => {
    const socket = connect(options);
    socket.write(subscription);
    await once(socket, "data");
    socket.on("data", (chunk: Buffer) => {
      for (let at = chunk.indexOf(mark); at !== -1; at = chunk.indexOf(mark, at + mark.length)) onEvent();
    });
    return socket;
  };
  const sockets = await Promise.all(Array.from({ length: options.connections }, subscribe));
  const publisher = connect(options);
  publisher.resume();
  const recorder = new Recorder(options.statuses);
  const until = recorder.from + options.seconds * 1000;
  while (performance.now() < until) {
    const published = performance.now();
    await new Promise<void>((resolve) => {
      let missing = sockets.length;
      const lost = setTimeout(() => {
        recorder.add(0, performance.now() - published);
        resolve();
      }, 5_000);
      onEvent = () => {
        recorder.add(200, performance.now() - published);
        missing -= 1;
        if (missing > 0) return;
        clearTimeout(lost);
        resolve();
      };
      publisher.write(publication);
    });
  }
  for (const socket of [...sockets, publisher]) socket.destroy();
  return recorder.result();
};

/** Returns the requests of `loadEvents`. */
export const eventRequests = (port: number): readonly Buffer[] => [
  requestBytes(port, "/events", { headers: { accept: "text/event-stream" } }),
  requestBytes(port, "/events", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ text: eventMark }),
  }),
];

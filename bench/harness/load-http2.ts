import { type ClientHttp2Session, connect } from "node:http2";
import { type Loader, Recorder } from "./load.ts";

/** Number of concurrent requests on each connection: as many as a page of a browser has. */
const streams = 8;

/**
 * Sends requests on HTTP/2 connections over TLS, eight at a time on each, `connections` in all. Each request is the bytes of
 * a request of HTTP/1.1, of which only the path and the header lines are used.
 */
export const loadHttp2: Loader = async (options) => {
  const recorder = new Recorder(options.statuses);
  const until = recorder.from + options.seconds * 1000;
  const heads = options.requests.map(toHeaders);
  let next = 0;
  const ask = (session: ClientHttp2Session): Promise<void> =>
    new Promise((resolve) => {
      const sent = performance.now();
      let status = 0;
      const stream = session.request(heads[next++ % heads.length]);
      stream.on("response", (headers) => (status = Number(headers[":status"])));
      stream.on("error", () => (status = 0));
      stream.on("close", () => {
        recorder.add(status, performance.now() - sent);
        resolve();
      });
      stream.resume();
    });
  const converse = async (session: ClientHttp2Session): Promise<void> => {
    while (performance.now() < until && !session.closed) await ask(session);
  };
  const sessions = Array.from({ length: Math.ceil(options.connections / streams) }, () => {
    const session = connect(`https://127.0.0.1:${options.port}`, { rejectUnauthorized: false });
    session.on("error", () => {});
    return session;
  });
  await Promise.all(sessions.flatMap((session) => Array.from({ length: streams }, () => converse(session))));
  for (const session of sessions) session.destroy();
  return recorder.result();
};

function toHeaders(request: Buffer): Readonly<Record<string, string>> {
  const [first = "", ...lines] = request.toString("latin1").trimEnd().split("\r\n");
  const [method = "", path = ""] = first.split(" ");
  const fields = lines.map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)] as const);
  return {
    ":method": method,
    ":path": path,
    ...Object.fromEntries(fields.filter(([name]) => name !== "host")),
  };
}

import type { Socket } from "node:net";
import { connect, type Target } from "./client.ts";
import { load, type Loader } from "./load.ts";

/** Bad connections per second, and the time after which each is dropped. */
const perSecond = 200;
const lifetimeMs = 1_000;

const lines = (...text: readonly string[]): Buffer => Buffer.from(`${text.join("\r\n")}\r\n\r\n`);

/** First bytes of bad connections: malformed, oversized, incomplete, for pages that do not exist, or for other hosts. */
const openings: readonly Buffer[] = [
  lines("GET /hello/world HTTP/1.1"),
  lines("GET /hello/world HTTP/1.1", "host: 127.0.0.1", "host: example.com"),
  lines("GET /hello/world HTTP/9.9", "host: 127.0.0.1"),
  lines("POST /hello/world HTTP/1.1", "host: 127.0.0.1", "content-length: 5", "transfer-encoding: chunked"),
  lines("POST /hello/world HTTP/1.1", "host: 127.0.0.1", "content-length: 1000000000"),
  lines("GET /hello/world HTTP/1.1", "host: 127.0.0.1", `cookie: ${"x".repeat(40_000)}`),
  lines("GET /wp-login.php?x=%00 HTTP/1.1", "host: 127.0.0.1"),
  lines("GET /../../etc/passwd HTTP/1.1", "host: 127.0.0.1"),
  lines("GET /hello/%ff%fe HTTP/1.1", "host: 127.0.0.1"),
  Buffer.from("GET /hello/world HTTP/1.1\r\nhost: 127.0.0.1\r\nx-slow: "),
  Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03, 0x03]),
  Buffer.alloc(0),
];

/** Loads a server like `load`, while bad connections come in at a fixed rate. Only the good requests count. */
export const loadAmongBadTraffic: Loader = async (options) => {
  const stop = startBadTraffic(options);
  try {
    return await load(options);
  } finally {
    stop();
  }
};

/** Sends each kind of bad traffic once. Resolves when the server has closed the connections, or after a second. */
export async function sendBadTraffic(target: Target): Promise<void> {
  await Promise.all(openings.map((bytes) => new Promise((resolve) => openBadly(target, bytes).on("close", resolve))));
}

function openBadly(target: Target, bytes: Buffer): Socket {
  const socket = connect(target);
  socket.setTimeout(lifetimeMs, () => socket.destroy());
  socket.on("error", () => {});
  socket.resume();
  socket.write(bytes);
  return socket;
}

function startBadTraffic(target: Target): () => void {
  const sockets = new Set<Socket>();
  let count = 0;
  const timer = setInterval(() => {
    const socket = openBadly(target, openings[count++ % openings.length] as Buffer);
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  }, 1000 / perSecond);
  return () => {
    clearInterval(timer);
    for (const socket of sockets) socket.destroy();
  };
}

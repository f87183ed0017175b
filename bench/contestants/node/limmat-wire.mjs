// Applications for connections, large bodies, processes and event streams.
import { EventEmitter } from "node:events";
import { stat } from "node:fs/promises";
import { Schema, Web } from "limmat";
import { report as reportValue } from "../../work/data.mjs";

export const plaintext = () => [Web.get("/plaintext", () => Web.Response.text("Hello, World!"))];

export function report() {
  const value = reportValue();
  const stack = [...Web.Middleware.api(), Web.Middleware.compression()];
  return [Web.choose([Web.get("/report", () => Web.Response.json(value))], { middlewares: stack })];
}

export const upload = () => {
  const receive = (request) =>
    request.upload(
      async ({ file }) => {
        const { path = "" } = file("file") ?? {};
        return path === ""
          ? Web.Response.json({ error: "no file" }, { status: 422 })
          : Web.Response.json({ size: (await stat(path)).size });
      },
      { maxFileBytes: 20_000_000 },
    );
  const middlewares = [...Web.Middleware.api(), Web.Middleware.bodyLimit(21_000_000)];
  return [Web.choose([Web.post("/upload", receive)], { middlewares })];
};

const message = Schema.record({ text: Schema.string() });

export function events() {
  const hub = new EventEmitter().setMaxListeners(0);
  /** Events from now on, until the client disconnects. */
  async function* published(signal) {
    const queue = [];
    let wake;
    const add = (text) => {
      queue.push({ data: text });
      wake?.();
    };
    hub.on("message", add);
    signal.addEventListener("abort", () => wake?.());
    try {
      while (!signal.aborted) {
        if (queue.length > 0) yield queue.shift();
        else await new Promise((resolve) => (wake = resolve));
      }
    } finally {
      hub.off("message", add);
    }
  }
  return [
    Web.get("/events", (request) => Web.Response.events(published(request.signal))),
    Web.post("/events", async (request) => {
      const { value } = message.decodeJson(await request.json());
      if (value === undefined) return Web.Response.json({ error: "invalid" }, { status: 422 });
      hub.emit("message", value.text);
      return Web.Response.empty();
    }),
  ];
}

import assert from "node:assert/strict";
import { connect } from "node:net";
import { once } from "node:events";
import { loadAmongBadTraffic, sendBadTraffic } from "../harness/bad-traffic.ts";
import { loadAtRate } from "../harness/load-at-rate.ts";
import { eventMark, eventRequests, loadEvents } from "../harness/load-events.ts";
import { siteWork } from "./site.ts";
import { helloWork } from "./wire.ts";
import type { Work } from "./work.ts";
import { rowWork } from "./world.ts";

const helloJson = helloWork("json", "JSON with a path parameter", {});

const atRate = (work: Work, rate: number, title: string): Work => ({
  ...work,
  group: "load",
  name: `${work.name}-rate`,
  title: `${title} at ${rate.toLocaleString("en")} requests per second: latencies from the time at which each request is due`,
  load: loadAtRate(rate),
});

const eventsWork: Work = {
  group: "load",
  name: "events",
  title: "Event stream: each published event to 256 clients; a request is an event of one client",
  application: "events",
  status: 200,
  connections: 256,
  load: loadEvents,
  async prepare(visitor, port) {
    const requests = eventRequests(port);
    const socket = connect({ port, host: "127.0.0.1" });
    socket.write(requests[0] as Buffer);
    let received = "";
    socket.on("data", (chunk: Buffer) => (received += chunk.toString()));
    await once(socket, "data");
    assert.match(received, /^HTTP\/1\.1 200 /);
    assert.match(received, /\r\ncontent-type: text\/event-stream/i);
    const published = await visitor.ask("/events", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ text: eventMark }),
    });
    assert.equal(published.status, 204);
    while (!new RegExp(`data: ?${eventMark}\r?\n`).test(received)) await once(socket, "data");
    socket.destroy();
    return requests;
  },
};

/** Benchmarks of behaviour under load: at a fixed rate, among bad traffic, with many clients. */
export const loadWorks: readonly Work[] = [
  atRate(helloJson, 5_000, "JSON with a path parameter"),
  atRate(siteWork("site", 64), 1_000, "Site page"),
  atRate(rowWork, 2_000, "One row by its key as JSON"),
  {
    ...helloJson,
    group: "load",
    name: "bad-traffic",
    title: "JSON with a path parameter, while 200 bad connections come in per second",
    load: loadAmongBadTraffic,
    async prepare(visitor, port) {
      await sendBadTraffic({ port });
      // Some refuse a malformed path, others take it as it is. None may fail.
      assert.ok((await visitor.ask("/hello/%ff")).status < 500);
      return helloJson.prepare(visitor, port);
    },
  },
  {
    ...siteWork("memory", 1_200),
    group: "load",
    title: "Memory under load: the site page for 1,200 visitors on 512 connections",
    connections: 512,
  },
  eventsWork,
];

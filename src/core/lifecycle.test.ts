import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { declarationsOf, isError, Lifecycle, Service } from "./index.ts";

interface RecordedService extends Service.Service {
  readonly events: string[];
}

function recorder(): {
  events: string[];
  service: (name: string, definition?: Partial<Service.Service>) => RecordedService;
} {
  const events: string[] = [];
  const service = (name: string, definition: Partial<Service.Service> = {}): RecordedService => ({
    ...Service.make({
      name,
      start: () => void events.push(`start ${name}`),
      stop: () => void events.push(`stop ${name}`),
      ...definition,
    }),
    events,
  });
  return { events, service };
}

test("starts dependencies first, whether listed or not, and stops all services in reverse order", async () => {
  const { events, service } = recorder();
  const pool = service("pool");
  const database = service("database", { dependencies: () => [pool] });
  const web = service("web", { dependencies: () => [database] });
  const running = await Lifecycle.start([web, database]);
  assert.deepEqual(
    running.services.map(({ name }) => name),
    ["pool", "database", "web"],
  );
  await Promise.all([running.stop(), running.stop()]);
  assert.deepEqual(events, ["start pool", "start database", "start web", "stop web", "stop database", "stop pool"]);
});

test("calls ready after all services have started, and drains all before the first one stops", async () => {
  const { events, service } = recorder();
  const release = Promise.withResolvers<void>();
  const queue = service("queue", {
    ready: ({ services }) => void events.push(`ready ${services.map(({ name }) => name).join(" ")}`),
    drain: async () => {
      await release.promise;
      events.push("drain queue");
    },
  });
  const web = service("web", { drain: () => void events.push("drain web") });
  const running = await Lifecycle.start([queue, web]);
  const stopping = running.stop();
  release.resolve();
  await stopping;
  assert.deepEqual(events, [
    "start queue",
    "start web",
    "ready queue web",
    "drain web",
    "drain queue",
    "stop web",
    "stop queue",
  ]);
});

test("starts the server last, after ready of the others, followed by the services that depend on it", async () => {
  const { events, service } = recorder();
  const ready = (name: string) => (): void => void events.push(`ready ${name}`);
  const server = service("server", { fetch: () => Promise.reject(new Error("unused")), ready: ready("server") });
  const proxy = service("proxy", { dependencies: () => [server], ready: ready("proxy") });
  const search = service("search", { ready: ready("search") });
  const running = await Lifecycle.start([proxy, server, search]);
  assert.deepEqual(
    running.services.map(({ name }) => name),
    ["search", "server", "proxy"],
  );
  await running.stop();
  const starts = ["start search", "ready search", "start server", "start proxy", "ready server", "ready proxy"];
  assert.deepEqual(events, [...starts, "stop proxy", "stop server", "stop search"]);
});

test("fails the start when ready throws, and the stop when drain throws", async () => {
  const { events, service } = recorder();
  const broken = service("broken", { ready: () => Promise.reject(new Error("no")) });
  await assert.rejects(Lifecycle.start([service("first"), broken]), {
    code: "E_SERVICE_START",
    message: 'The service "broken" could not start: no',
  });
  assert.deepEqual(events, ["start first", "start broken", "stop broken", "stop first"]);
  const stuck = service("stuck", { drain: () => Promise.reject(new Error("no")) });
  const running = await Lifecycle.start([stuck]);
  await assert.rejects(running.stop(), { code: "E_SERVICE_STOP" });
  assert.equal(events.at(-1), "stop stuck");
});

test("stops the started services after a failed start and names the service that failed", async () => {
  const { events, service } = recorder();
  const cause = new Error("refused");
  const broken = service("broken", { start: () => Promise.reject(cause) });
  await assert.rejects(Lifecycle.start([service("first"), broken, service("never")]), {
    code: "E_SERVICE_START",
    message: 'The service "broken" could not start: refused',
    cause,
  });
  assert.deepEqual(events, ["start first", "stop first"]);
});

test("stops the other services when one fails to stop", async () => {
  const { events, service } = recorder();
  const stuck = service("stuck", { stop: () => Promise.reject(new Error("no")) });
  const running = await Lifecycle.start([service("first"), stuck, service("last")]);
  await assert.rejects(running.stop(), { code: "E_SERVICE_STOP" });
  assert.deepEqual(events.slice(-2), ["stop last", "stop first"]);
});

test("throws both errors when start and stop fail", async () => {
  const { service } = recorder();
  const stuck = service("stuck", { stop: () => Promise.reject(new Error("no")) });
  const broken = service("broken", { start: () => Promise.reject(new Error("refused")) });
  await assert.rejects(Lifecycle.start([stuck, broken]), (thrown) => {
    assert.ok(thrown instanceof SuppressedError);
    assert.equal(isError(thrown.error, "E_SERVICE_STOP"), true);
    assert.equal(isError(thrown.suppressed, "E_SERVICE_START"), true);
    return true;
  });
});

test("stops the started services and starts no more after an abort", async () => {
  const { events, service } = recorder();
  const control = new AbortController();
  const aborting = service("aborting", { start: () => control.abort(new Error("enough")) });
  await assert.rejects(Lifecycle.start([aborting, service("never")], { signal: control.signal }), {
    message: "enough",
  });
  assert.deepEqual(events, ["stop aborting"]);
});

test("reports a dependency cycle with its path, and two services of one name with the name", () => {
  const { service } = recorder();
  const a: RecordedService = service("a", { dependencies: () => [b] });
  const b: RecordedService = service("b", { dependencies: () => [c] });
  const c: RecordedService = service("c", { dependencies: () => [b] });
  assert.throws(() => Lifecycle.sortByDependencies([a]), { code: "E_SERVICE_CYCLE", message: /b → c → b/ });
  const declaration = new Error("declaration");
  const d: Service.Service = { ...Service.make({ name: "d" }), dependencies: () => [d], declaration };
  assert.throws(
    () => Lifecycle.sortByDependencies([d]),
    (error) => declarationsOf(error)[0] === declaration,
  );
  assert.throws(() => Lifecycle.sortByDependencies([service("x"), service("x")]), {
    code: "E_SERVICE_NAME_TAKEN",
    message: /"x"/,
  });
});

test("sorts every acyclic graph so that each service follows its dependencies", () => {
  const graphs = fc.array(fc.array(fc.nat(), { maxLength: 4 }), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(graphs, (graph) => {
      const services: Service.Service[] = [];
      graph.forEach((edges, index) => {
        const dependencies = index === 0 ? [] : edges.map((edge) => services[edge % index] as Service.Service);
        services.push(Service.make({ name: `s${index}`, dependencies: () => dependencies }));
      });
      const ordered = Lifecycle.sortByDependencies(services.toReversed());
      assert.equal(ordered.length, services.length);
      for (const [index, service] of ordered.entries()) {
        assert.ok(service.dependencies().every((dependency) => ordered.indexOf(dependency) < index));
      }
    }),
  );
});

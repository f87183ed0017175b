import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { isError, Lifecycle, Service } from "./index.ts";

interface Told extends Service.Service {
  readonly told: string[];
}

function recorder(): { told: string[]; service: (name: string, definition?: Partial<Service.Service>) => Told } {
  const told: string[] = [];
  const service = (name: string, definition: Partial<Service.Service> = {}): Told => ({
    ...Service.make({
      name,
      start: () => void told.push(`start ${name}`),
      stop: () => void told.push(`stop ${name}`),
      ...definition,
    }),
    told,
  });
  return { told, service };
}

test("dependencies start first, listed or not, and all stop in reverse", async () => {
  const { told, service } = recorder();
  const pool = service("pool");
  const database = service("database", { dependencies: () => [pool] });
  const web = service("web", { dependencies: () => [database] });
  const running = await Lifecycle.start([web, database]);
  assert.deepEqual(
    running.services.map(({ name }) => name),
    ["pool", "database", "web"],
  );
  await Promise.all([running.stop(), running.stop()]);
  assert.deepEqual(told, ["start pool", "start database", "start web", "stop web", "stop database", "stop pool"]);
});

test("services begin when all have started, and all drain before the first one stops", async () => {
  const { told, service } = recorder();
  const release = Promise.withResolvers<void>();
  const queue = service("queue", {
    ready: ({ services }) => void told.push(`ready ${services.map(({ name }) => name).join(" ")}`),
    drain: async () => {
      await release.promise;
      told.push("drain queue");
    },
  });
  const web = service("web", { drain: () => void told.push("drain web") });
  const running = await Lifecycle.start([queue, web]);
  const stopping = running.stop();
  release.resolve();
  await stopping;
  assert.deepEqual(told, [
    "start queue",
    "start web",
    "ready queue web",
    "drain web",
    "drain queue",
    "stop web",
    "stop queue",
  ]);
});

test("a service that cannot begin is a start that fails, and one that cannot drain a stop that fails", async () => {
  const { told, service } = recorder();
  const broken = service("broken", { ready: () => Promise.reject(new Error("no")) });
  await assert.rejects(Lifecycle.start([service("first"), broken]), {
    code: "E_SERVICE_START",
    message: 'The service "broken" could not start: no',
  });
  assert.deepEqual(told, ["start first", "start broken", "stop broken", "stop first"]);
  const stuck = service("stuck", { drain: () => Promise.reject(new Error("no")) });
  const running = await Lifecycle.start([stuck]);
  await assert.rejects(running.stop(), { code: "E_SERVICE_STOP" });
  assert.equal(told.at(-1), "stop stuck");
});

test("a start that fails stops what had started and names the service", async () => {
  const { told, service } = recorder();
  const cause = new Error("refused");
  const broken = service("broken", { start: () => Promise.reject(cause) });
  await assert.rejects(Lifecycle.start([service("first"), broken, service("never")]), {
    code: "E_SERVICE_START",
    message: 'The service "broken" could not start: refused',
    cause,
  });
  assert.deepEqual(told, ["start first", "stop first"]);
});

test("a stop that fails does not keep the others from stopping", async () => {
  const { told, service } = recorder();
  const stuck = service("stuck", { stop: () => Promise.reject(new Error("no")) });
  const running = await Lifecycle.start([service("first"), stuck, service("last")]);
  await assert.rejects(running.stop(), { code: "E_SERVICE_STOP" });
  assert.deepEqual(told.slice(-2), ["stop last", "stop first"]);
});

test("when start and stop fail, both are told", async () => {
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

test("an abort between two services stops what had started and starts nothing more", async () => {
  const { told, service } = recorder();
  const control = new AbortController();
  const aborting = service("aborting", { start: () => control.abort(new Error("enough")) });
  await assert.rejects(Lifecycle.start([aborting, service("never")], { signal: control.signal }), {
    message: "enough",
  });
  assert.deepEqual(told, ["stop aborting"]);
});

test("a circle is told by its path, two services of one name by the name", () => {
  const { service } = recorder();
  const a: Told = service("a", { dependencies: () => [b] });
  const b: Told = service("b", { dependencies: () => [c] });
  const c: Told = service("c", { dependencies: () => [b] });
  assert.throws(() => Lifecycle.inOrder([a]), { code: "E_SERVICE_CYCLE", message: /b → c → b/ });
  assert.throws(() => Lifecycle.inOrder([service("x"), service("x")]), {
    code: "E_SERVICE_NAME_TAKEN",
    message: /"x"/,
  });
});

test("in every graph without circles each service comes once, after all that it depends on", () => {
  const graphs = fc.array(fc.array(fc.nat(), { maxLength: 4 }), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(graphs, (graph) => {
      const services: Service.Service[] = [];
      graph.forEach((edges, index) => {
        const dependencies = index === 0 ? [] : edges.map((edge) => services[edge % index] as Service.Service);
        services.push(Service.make({ name: `s${index}`, dependencies: () => dependencies }));
      });
      const ordered = Lifecycle.inOrder(services.toReversed());
      assert.equal(ordered.length, services.length);
      for (const [index, service] of ordered.entries()) {
        assert.ok(service.dependencies().every((dependency) => ordered.indexOf(dependency) < index));
      }
    }),
  );
});

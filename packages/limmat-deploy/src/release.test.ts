import assert from "node:assert/strict";
import { test } from "node:test";
import { fakeClock } from "limmat/testing";
import { obsoleteReleases, previousRelease, releaseName, releaseOfPath, releasePattern } from "./release.ts";

const releases = ["20260101T000000Z-a", "20260102T000000Z-b", "20260103T000000Z-c", "20260104T000000Z-d"];
const [a = "", b = "", c = "", d = ""] = releases;

test("the names of releases sort by time", () => {
  using _ = fakeClock(new Date("2026-11-23T06:15:07.250Z"));
  const name = releaseName("1e015077aa-dirty");
  assert.equal(name, "20261123T061507Z-1e015077aa-dirty");
  assert.match(name, releasePattern);
  assert.ok(name > d);
});

test("a rollback leads to the release before the current one", () => {
  assert.equal(previousRelease([d, a, c], d), c);
  assert.equal(previousRelease(releases, b), a);
  assert.equal(previousRelease(releases, a), undefined);
  assert.equal(previousRelease(releases, ""), undefined);
});

test("the latest releases stay, and those in use", () => {
  assert.deepEqual(obsoleteReleases(releases, [d], 2), [a, b]);
  assert.deepEqual(obsoleteReleases(releases, [a, d], 2), [b]);
  assert.deepEqual(obsoleteReleases(releases, [b], 5), []);
});

test("finds the release of a path, and no other folder", () => {
  assert.equal(releaseOfPath(`/srv/shop/releases/${b}/run/run.ts`, "/srv/shop"), b);
  assert.equal(releaseOfPath(`/srv/shop/releases/../run.ts`, "/srv/shop"), undefined);
  assert.equal(releaseOfPath(`/srv/other/releases/${b}/run.ts`, "/srv/shop"), undefined);
});

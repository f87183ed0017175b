import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { deviceName } from "./sessions.ts";

const mozilla = (system: string, rest: string): string => `Mozilla/5.0 (${system}) ${rest}`;
const webkit = "AppleWebKit/537.36 (KHTML, like Gecko)";
const windows = "Windows NT 10.0; Win64; x64";
const iphone = "iPhone; CPU iPhone OS 18_5 like Mac OS X";

const devices: Readonly<Record<string, string>> = {
  [mozilla(windows, `${webkit} Chrome/140.0.0.0 Safari/537.36`)]: "Chrome on Windows",
  [mozilla(windows, `${webkit} Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0`)]: "Edge on Windows",
  [mozilla(windows, `${webkit} Chrome/140.0.0.0 Safari/537.36 OPR/120.0.0.0`)]: "Opera on Windows",
  [mozilla("X11; Linux x86_64; rv:140.0", "Gecko/20100101 Firefox/140.0")]: "Firefox on Linux",
  [mozilla("X11; CrOS x86_64 14541.0.0", `${webkit} Chrome/140.0.0.0 Safari/537.36`)]: "Chrome on ChromeOS",
  [mozilla("Macintosh; Intel Mac OS X 10_15_7", `${webkit} Version/18.5 Safari/605.1.15`)]: "Safari on macOS",
  [mozilla(iphone, `${webkit} Version/18.5 Mobile/15E148 Safari/604.1`)]: "Safari on iPhone",
  [mozilla(iphone, `${webkit} CriOS/140.0 Mobile/15E148 Safari/604.1`)]: "Chrome on iPhone",
  [mozilla(iphone, `${webkit} FxiOS/140.0 Mobile/15E148 Safari/604.1`)]: "Firefox on iPhone",
  [mozilla("iPad; CPU OS 18_5 like Mac OS X", `${webkit} Version/18.5 Safari/604.1`)]: "Safari on iPad",
  [mozilla("Linux; Android 10; K", `${webkit} Chrome/140.0.0.0 Mobile Safari/537.36`)]: "Chrome on Android",
  [mozilla("Linux; Android 10; K", `${webkit} SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36`)]:
    "Samsung Internet on Android",
  [mozilla("Windows NT 10.0", "Something/1.0")]: "Windows",
  [mozilla("X11; Linux x86_64", `${webkit} HeadlessChrome/140.0.0.0 Safari/537.36`)]: "Chrome on Linux",
  "Firefox/140.0": "Firefox",
};

test("a device is named by its browser and its operating system", () => {
  for (const [userAgent, device] of Object.entries(devices)) assert.equal(deviceName(userAgent), device, userAgent);
});

test("an unknown, foreign or overlong header has no device name", () => {
  for (const userAgent of ["", "curl/8.0", "Firefoxy", "x".repeat(10_000) + " Firefox/1 Windows"])
    assert.equal(deviceName(userAgent), undefined, userAgent);
});

test("only the first 512 characters of the header are read", () => {
  assert.equal(deviceName(" ".repeat(504) + "Firefox/1"), "Firefox");
  assert.equal(deviceName(" ".repeat(505) + "Firefox/1"), undefined);
});

test("the name never contains text of the header", () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      assert.match(deviceName(`${text} Edg/1 Windows`) ?? "", /^[A-Za-z ]{1,64}$/);
    }),
  );
});

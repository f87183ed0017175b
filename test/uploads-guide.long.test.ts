import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { promisify } from "node:util";
import { root } from "./sources.ts";
import { guideArguments, guideProgram } from "./uploads-guide.ts";

const check = `
import assert from "node:assert/strict";
import { visitor } from "limmat/testing";
const ada = visitor(app);
await ada.get("/photos/new");
const bytes = Buffer.from("89504e470d0a1a0a00010203fffe", "hex");
const photo = new File([bytes], "cat.png", { type: "text/html" });

const untitled = await ada.post("/photos", { title: "", photo });
assert.equal(untitled.status, 422);
assert.match(untitled.body, /Please fill this in/);
const none = await ada.post("/photos", { title: "A <cat>", photo: new File([], "") });
assert.match(none.body, /value="A &lt;cat&gt;"[^]*Please choose a PNG, JPEG or WebP image/);
const script = await ada.post("/photos", { title: "A cat", photo: new File(["<script>"], "a.png", { type: "image/png" }) });
assert.equal(script.status, 422);
const large = await ada.post("/photos", { title: "A cat", photo: new File([new Uint8Array(5_000_001)], "a.png") });
assert.deepEqual([large.status, /field &quot;photo&quot; is larger than 5000000 bytes/.test(large.body)], [413, true]);
assert.equal((await ada.post("/photos", { title: "A cat", photo, csrf: "wrong" })).status, 403);
assert.equal((await Array.fromAsync(storage.list())).length, 0);

const stored = await ada.post("/photos", { title: "A cat", photo });
assert.equal(stored.status, 303);
const shown = await ada.follow(stored);
const [, address = ""] = /<h1>A cat<[^]*<img src="([^"]+)"/.exec(shown.body) ?? [];
const image = await ada.get(address);
assert.deepEqual([image.status, image.headers.get("content-type")], [200, "image/png"]);
assert.match(image.headers.get("content-disposition") ?? "", /^inline; filename="A cat"/);
const [file] = await Array.fromAsync(storage.list());
assert.deepEqual(await storage.readAll(file?.id ?? ""), bytes);
await app.stop();
console.log("done");
`;

test("the application of the uploads guide accepts a photo, shows it, and refuses other files", async () => {
  const env = {
    ...process.env,
    FRAMEWORK_ENV: "test",
    CHECK_CSRF: "true",
    LOG_LEVEL: "error",
    DATABASE_URL: ":memory:",
  };
  const { stdout } = await promisify(execFile)(process.execPath, [...guideArguments(guideProgram(check, false))], {
    cwd: root,
    env,
  });
  assert.equal(stdout, "done\n");
});

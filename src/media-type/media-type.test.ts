import assert from "node:assert/strict";
import { test } from "node:test";
import { mediaType } from "./index.ts";

const texts = "atom cjs css csv htm html ics js md mjs rss svg txt vcf vtt xml".split(" ");
const others = (
  "aac apng avif bmp doc docx epub flac gif gz ico jpeg jpg json jsonld m4a map mp3 mp4 odt oga ogg ogv opus otf pdf png " +
  "pptx tar tif tiff ttf wasm wav webm webmanifest webp woff woff2 xlsx zip"
).split(" ");

test("depends on the last extension of a name, in any letter case", () => {
  assert.equal(mediaType("index.html"), "text/html; charset=utf-8");
  assert.equal(mediaType("archive.tar.gz"), "application/gzip");
  assert.equal(mediaType("folder.css/PHOTO.JPG"), "image/jpeg");
  assert.equal(mediaType(".css"), "text/css; charset=utf-8");
});

test("is application/octet-stream for an unknown extension, and without one", () => {
  for (const name of ["", "css", "html", "a.", "a.unknown", "a.css ", "a.constructor", "a.__proto__"])
    assert.equal(mediaType(name), "application/octet-stream", name);
});

test("names the charset of texts, and of no other type (RFC 8259 defines none for JSON)", () => {
  for (const extension of texts) {
    assert.match(
      mediaType(`a.${extension}`),
      /^(?:text|image|application)\/[a-z]+(?:\+xml)?; charset=utf-8$/,
      extension,
    );
  }
  for (const extension of others) {
    assert.match(mediaType(`a.${extension}`), /^(?:image|audio|video|font|application)\/[a-z0-9.+-]+$/, extension);
    assert.notEqual(mediaType(`a.${extension}`), "application/octet-stream", extension);
  }
});

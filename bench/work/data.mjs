// Data for every contestant: its database, its secret and the rows of the site page.
// Plain JavaScript without imports, so that no start of a contestant includes type stripping.

// A database of its own for each run, so that two runs at the same time do not disturb each other. The processes of the
// contestants get the name from the harness.
const name = (process.env["BENCH_DATABASE"] ??= `limmat_bench_${process.pid}`);

/** Database that the harness creates before a run and drops after it. */
export const database = {
  host: "127.0.0.1",
  port: 5432,
  user: "postgres",
  password: "",
  database: name,
};

/** The same for MariaDB. */
export const mariadbDatabase = {
  host: "127.0.0.1",
  port: 3306,
  user: "root",
  password: "",
  database: name,
};

/** Path of the SQLite file of the run. */
export const sqliteFile = new URL(`../results/${name}.sqlite`, import.meta.url).pathname;

/** Secret that signs or encrypts sessions. Every contestant requires at least 32 bytes. */
export const secret = "k4Qm8Zr1Tn6Yb3Wd9Xs5Vf2Hg7Jp0LcA";

/** Folder with `assets/site.css`, absolute. */
export const publicFolder = new URL("../public/", import.meta.url).pathname;

/** Folder with the templates that Fastify and Express share, absolute. */
export const viewsFolder = new URL("../views/", import.meta.url).pathname;

/** Ends of the titles of todos. */
export const subjects = [
  "Buy oat milk",
  "Call <the> plumber",
  'Read "Middlemarch"',
  "Water plants & herbs",
  "Book train",
];

/**
 * @param {number} n
 * @returns {{ id: string, title: string, done: boolean, created_at: Date }}
 */
export function todo(n) {
  return {
    id: `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`,
    title: `Task ${n}: ${subjects[n % subjects.length]}`,
    done: n % 3 === 0,
    created_at: new Date(Date.UTC(2026, 0, 1) + n * 3_600_000),
  };
}

/** Text of the page without a form. */
export const aboutText = "A list of things to do.";

/** 20 rows of the site page, newest first. */
export const rows = Array.from({ length: 20 }, (_, index) => todo(20 - index));

/** E-mail addresses of 64 accounts with one password, hashed with argon2id and OWASP's minimum parameters. */
export const accounts = Array.from({ length: 64 }, (_, index) => `visitor${index}@example.org`);
export const password = "correct horse battery staple";

/** First segments of the 500 routes: 100 resources with five GET routes each. */
export const resources = Array.from({ length: 100 }, (_, index) => `resource${index}`);

/** Headers that limmat sends by default with a JSON response, beside the request id. */
export const securityHeaders = {
  "cross-origin-opener-policy": "same-origin",
  "referrer-policy": "strict-origin-when-cross-origin",
  "x-content-type-options": "nosniff",
  "content-security-policy":
    "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'self'; img-src 'self' data:; object-src 'none'; script-src 'self'; style-src 'self'",
};

/** Folder of the static set, created by the harness. */
export const assetsFolder = new URL("../results/assets/", import.meta.url).pathname;

/** Certificate and key of TLS, created by the harness. */
export const tlsFiles = {
  cert: new URL("../results/tls/cert.pem", import.meta.url).pathname,
  key: new URL("../results/tls/key.pem", import.meta.url).pathname,
};

const words = ["amber", "basil", "cedar", "delta", "ember", "fjord", "grove", "hazel", "indigo", "juniper"];

/** Returns the value of a JSON response of 50 kB, different text in each row. */
export function report() {
  return Array.from({ length: 350 }, (_, n) => ({
    id: n,
    sku: `SKU-${((n * 7919) % 100_000).toString(36)}`,
    name: `${words[n % 10]} ${words[(n * 3) % 10]} ${words[(n * 7) % 10]} ${n * n}`,
    price: ((n * 104_729) % 100_000) / 100,
    tags: [words[(n * 9) % 10], words[(n + 5) % 10]],
    updated: new Date(Date.UTC(2026, 0, 1) + n * 86_461_000).toISOString(),
  }));
}

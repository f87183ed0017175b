// Data for every contestant: its database, its secret and the rows of the site page.
// Plain JavaScript without imports, so that no start of a contestant includes type stripping.

/** Database that the harness creates before a run and drops after it. */
export const database = {
  host: "127.0.0.1",
  port: 5432,
  user: "postgres",
  password: "",
  database: "limmat_bench",
};

/** The same for MariaDB. */
export const mariadbDatabase = {
  host: "127.0.0.1",
  port: 3306,
  user: "root",
  password: "",
  database: "limmat_bench",
};

/** Path of the SQLite file of the run. */
export const sqliteFile = new URL("../results/todos.sqlite", import.meta.url).pathname;

/** Secret that signs or encrypts sessions. Every contestant requires at least 32 bytes. */
export const secret = "k4Qm8Zr1Tn6Yb3Wd9Xs5Vf2Hg7Jp0LcA";

/** Folder with `assets/site.css`, absolute. */
export const publicFolder = new URL("../public/", import.meta.url).pathname;

/** Folder with the templates that Fastify and Express share, absolute. */
export const viewsFolder = new URL("../views/", import.meta.url).pathname;

const subjects = ["Buy oat milk", "Call <the> plumber", 'Read "Middlemarch"', "Water plants & herbs", "Book train"];

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

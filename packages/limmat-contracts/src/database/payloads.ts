const prefixes = ["", "'", "''", '"', "`", "\\", "\\'", ")", "'))", "%27", "' ", "1", "null", "%", "_", "!"];

const bodies = [
  "or 1=1",
  "or 'a'='a",
  "and 1=0",
  "union select 1,2,3,4",
  "union all select null,secret,null,null from c_guard",
  "; drop table c_guard",
  "; delete from c_guard",
  "; update c_guard set secret='x'",
  "; attach database 'x' as y",
  "and sleep(5)",
  "and pg_sleep(5)",
  "; select pg_sleep(5)",
  "and benchmark(9999999,md5(1))",
  "and randomblob(999999999)",
  "order by 99",
  "limit 0",
  "into outfile '/tmp/x'",
  "and extractvalue(1,concat(0x7e,version()))",
  "|| (select secret from c_guard)",
  "like '%' escape ''",
  "collate nocase",
  "returning secret",
  "\u02BC or 1=1",
  "\uFF07 or 1=1",
  "$$ or 1=1",
  "$1",
  "?",
  ":id",
  "{{7*7}}",
  "/*!50000 or 1=1*/",
];

const suffixes = ["", "--", "-- -", "#", "/*", ";", ";--", "\\"];

/** Generates texts that would be SQL injections if a statement were concatenated from them. */
export function* payloads(count: number): Generator<string> {
  let generatedCount = 0;
  for (const end of suffixes) {
    for (const start of prefixes) {
      for (const body of bodies) {
        if (generatedCount++ >= count) return;
        yield `${start} ${body}${end}`;
      }
    }
  }
}

/** Text with everything that an array of PostgreSQL, JSON or a literal could trip over. */
export const hostileText: string = `a"b\\c'd{e},f NULL \n\t$1 %s \u{1f600} --; /* */ \\\\" `;

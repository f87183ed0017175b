/**
 * A content security policy that lets in the script of the development server, and lets it listen for news: pages that
 * load nothing, such as those of errors, reload as well. The rest of the policy stays as it is.
 */
export function allowingOwn(policy: string): string {
  const directives = new Map(
    policy.split(";").flatMap((text): [string, readonly string[]][] => {
      const [name, ...sources] = text.trim().split(/\s+/);
      return name ? [[name.toLowerCase(), sources]] : [];
    }),
  );
  const script = directives.has("script-src-elem") ? "script-src-elem" : "script-src";
  for (const name of [script, "connect-src"]) {
    const sources = directives.get(name) ?? directives.get("default-src");
    if (sources === undefined || sources.includes("'self'")) continue;
    directives.set(name, [...sources.filter((source) => source !== "'none'"), "'self'"]);
  }
  return [...directives].map(([name, sources]) => [name, ...sources].join(" ")).join("; ");
}

import { hash } from "node:crypto";

/** Style sheet of the dashboard: light and dark, wide and narrow. */
export const dashboardStyle = `:root{color-scheme:light dark;--ink:#1d2433;--soft:#5b6474;--paper:#fbfaf7;--card:#fff;--line:#1d243322;
--accent:#3b5bdb;--good:#2b7a3d;--bad:#b42318;--busy:#8a5a00}
@media(prefers-color-scheme:dark){:root{--ink:#e8eaf0;--soft:#a0a8b8;--paper:#14161c;--card:#1c1f28;--line:#ffffff22;
--accent:#91a7ff;--good:#7ddc92;--bad:#ff9d91;--busy:#f2c265}}
*{box-sizing:border-box}body{margin:0;padding:1.5rem 1.25rem 4rem;background:var(--paper);color:var(--ink);
font:1rem/1.55 system-ui,sans-serif}
main{max-width:60rem;margin:auto}h1{margin:.25rem 0 1rem;font-size:clamp(1.35rem,4vw,1.75rem);line-height:1.25;overflow-wrap:anywhere}
h2{margin:2rem 0 .5rem;font-size:1.0625rem}p{margin:0 0 1rem}a{color:var(--accent)}.soft{color:var(--soft)}
a:focus-visible,button:focus-visible,input:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
.card{background:var(--card);border:1px solid var(--line);border-radius:.5rem}
.notice,.alert{padding:.625rem 1rem;border-left:4px solid var(--good)}.alert{border-left-color:var(--bad)}
nav ul{display:flex;flex-wrap:wrap;gap:.5rem;margin:0 0 1rem;padding:0;list-style:none}
nav a{display:inline-block;padding:.375rem .75rem;border:1px solid var(--line);border-radius:2rem;background:var(--card);
color:inherit;text-decoration:none}nav a[aria-current]{border-color:var(--accent);box-shadow:inset 0 0 0 1px var(--accent)}
form{display:flex;flex-wrap:wrap;gap:.5rem;align-items:end;margin:0 0 1rem}label{flex:1 1 12rem}label span{display:block;color:var(--soft)}
input{width:100%}input,button{min-height:2.75rem;padding:.375rem .75rem;border:1px solid var(--soft);border-radius:.5rem;
background:var(--card);color:inherit;font:inherit}button{cursor:pointer;border-color:var(--accent)}
ol.jobs{margin:0 0 1rem;padding:0;list-style:none;overflow:hidden}ol.jobs li+li{border-top:1px solid var(--line)}
ol.jobs a{display:grid;grid-template-columns:6.5rem 1fr auto;gap:0 1rem;padding:.625rem 1rem;color:inherit;text-decoration:none}
ol.jobs a:hover{background:color-mix(in srgb,var(--accent) 8%,transparent)}ol.jobs a:focus-visible{outline-offset:-3px}
.name{font-weight:600;overflow-wrap:anywhere}.tag{color:var(--soft);font-weight:400}
.error{grid-column:2/-1;color:var(--soft);overflow-wrap:anywhere}
.status::before{content:"";display:inline-block;width:.625rem;height:.625rem;margin-right:.5rem;border-radius:50%;background:var(--soft)}
.succeeded::before{background:var(--good)}.failed::before{background:var(--bad)}.running::before{background:var(--busy)}
.pending::before{background:none;box-shadow:inset 0 0 0 2px var(--busy)}
time{color:var(--soft);font-variant-numeric:tabular-nums;white-space:nowrap}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.25rem 1rem;margin:0 0 1rem;padding:.75rem 1rem}
dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere}
pre{margin:0;padding:.75rem 1rem;white-space:pre-wrap;overflow-wrap:anywhere;font:.875rem/1.6 ui-monospace,monospace}
@media(max-width:34rem){ol.jobs a{grid-template-columns:1fr auto}ol.jobs .name{grid-row:1;grid-column:1/-1}.error{grid-column:1/-1}
dl{grid-template-columns:1fr}dd+dt{margin-top:.5rem}}`;

/** Content Security Policy of the dashboard: allows its own style and forms, and nothing else. */
export const contentSecurityPolicy: string = [
  "default-src 'none'",
  `style-src 'sha256-${hash("sha256", dashboardStyle, "base64")}'`,
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join("; ");

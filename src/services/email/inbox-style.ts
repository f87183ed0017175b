/** The look of the inbox, for the light and the dark. */
export const style = `:root{color-scheme:light dark;--ink:#1d2433;--soft:#5b6474;--paper:#fbfaf7;--card:#fff;--line:#1d243322;
--accent:#3b5bdb}
@media(prefers-color-scheme:dark){:root{--ink:#e8eaf0;--soft:#a0a8b8;--paper:#14161c;--card:#1c1f28;--line:#ffffff22;
--accent:#91a7ff}}
*{box-sizing:border-box}body{margin:0;padding:1.5rem 1.25rem 4rem;background:var(--paper);color:var(--ink);
font:1rem/1.55 system-ui,sans-serif}
main{max-width:52rem;margin:auto}h1{margin:.25rem 0 1rem;font-size:clamp(1.35rem,4vw,1.75rem);line-height:1.25;
overflow-wrap:anywhere;text-wrap:balance}h2{margin:2rem 0 .5rem;font-size:1.0625rem}
a{color:var(--accent)}a:focus-visible,summary:focus-visible,iframe:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
p{margin:0 0 1rem}.soft{color:var(--soft)}.card{background:var(--card);border:1px solid var(--line);border-radius:.5rem}
ol.mails{margin:0;padding:0;list-style:none;overflow:hidden}ol.mails li+li{border-top:1px solid var(--line)}
ol.mails a{display:grid;grid-template-columns:1fr auto;gap:0 1rem;padding:.75rem 1rem;color:inherit;text-decoration:none}
ol.mails a:hover{background:color-mix(in srgb,var(--accent) 8%,transparent)}ol.mails a:focus-visible{outline-offset:-3px}
ol.mails .subject{font-weight:600;overflow-wrap:anywhere}ol.mails .people{grid-column:1/-1;color:var(--soft);overflow-wrap:anywhere}
time{color:var(--soft);font-variant-numeric:tabular-nums;white-space:nowrap}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.25rem 1rem;margin:0;padding:.75rem 1rem}
dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere}
iframe{display:block;width:100%;height:32rem;border:0;border-radius:.5rem;background:#fff;resize:vertical}
pre{margin:0;padding:.75rem 1rem;white-space:pre-wrap;overflow-wrap:anywhere;font:.875rem/1.6 ui-monospace,monospace}
@media(max-width:30rem){dl{grid-template-columns:1fr}dd+dt{margin-top:.5rem}ol.mails a{grid-template-columns:1fr}}`;

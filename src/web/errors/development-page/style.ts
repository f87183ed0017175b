/** The look of the development page, for the light and the dark. */
export const style = `:root{color-scheme:light dark;--ink:#1d2433;--soft:#5b6474;--paper:#fbfaf7;--card:#fff;--line:#1d243322;
--accent:#c92a2a;--mark:#ffe3e3}
@media(prefers-color-scheme:dark){:root{--ink:#e8eaf0;--soft:#a0a8b8;--paper:#14161c;--card:#1c1f28;--line:#ffffff22;
--accent:#ff8787;--mark:#4a2226}}
*{box-sizing:border-box}body{margin:0;padding:2rem 1.25rem 4rem;background:var(--paper);color:var(--ink);
font:1rem/1.55 system-ui,sans-serif}
main{max-width:62rem;margin:auto}.kind{margin:0;color:var(--accent);font-weight:600}
h1{margin:.25rem 0 1rem;font-size:clamp(1.35rem,4vw,2rem);line-height:1.25;overflow-wrap:anywhere;white-space:pre-wrap}
h2{margin:2.25rem 0 .5rem;font-size:1.125rem}.soft,summary .place{color:var(--soft)}
code,pre,td,th,summary{font-family:ui-monospace,monospace;font-size:.875rem}
.card,details{background:var(--card);border:1px solid var(--line);border-radius:.5rem;overflow:auto}
details{margin:.375rem 0}summary{padding:.5rem .75rem;cursor:pointer;overflow-wrap:anywhere}
summary:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
ol.source{margin:0;padding:.5rem 0;list-style:none;min-width:max-content}
ol.source li{display:flex;padding:0 .75rem;white-space:pre;tab-size:2}ol.source span{width:3.5rem;flex:none;color:var(--soft);
user-select:none}ol.source li[aria-current]{background:var(--mark);box-shadow:inset 3px 0 var(--accent)}
table{width:100%;border-collapse:collapse}th,td{padding:.35rem .75rem;text-align:left;vertical-align:top;
border-top:1px solid var(--line);overflow-wrap:anywhere}tr:first-child>*{border-top:0}th{width:min(14rem,35vw);font-weight:600;color:var(--soft)}
footer{margin-top:2.5rem;color:var(--soft);font-size:.8125rem}`;

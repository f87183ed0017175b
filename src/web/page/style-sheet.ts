/** Style sheet of the built-in pages. It shares custom properties and components with `template/public/app.css`. */
export const styleSheet = `:root{color-scheme:light dark;
--text:light-dark(#14202b,#e8eef4);--muted:light-dark(#51606e,#9fb0c0);--border:light-dark(#d8e0e7,#2c3946);
--input-border:light-dark(#7b8a98,#6b7c8c);--background:light-dark(#f4f7f9,#0f161d);--surface:light-dark(#fff,#17212b);
--accent:light-dark(#0b6e99,#5cc0e8);--on-accent:light-dark(#fff,#06202c);
--success-background:light-dark(#e2f4e8,#12301d);--success-text:light-dark(#14532d,#a7e3bd);
--error-background:light-dark(#fdeaea,#3a1717);--error-text:light-dark(#991b1b,#fbb4b4);--radius:.6rem}
*{box-sizing:border-box}
body{margin:0;padding:clamp(1.25rem,4vw,2.5rem) 1rem 4rem;background:var(--background);color:var(--text);
font:1rem/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
main{max-width:60rem;margin-inline:auto}
.centered{display:grid;place-items:center;min-height:100vh;min-height:100dvh;padding-block:1.5rem}
.centered main{width:100%;max-width:30rem}
a{color:var(--accent);text-underline-offset:.15em}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
h1{margin:0 0 1rem;font-size:1.6rem;line-height:1.2;text-wrap:balance}
.centered h1{margin-bottom:.75rem;font-size:clamp(1.75rem,6vw,2.25rem);letter-spacing:-.015em}
h2{margin:2rem 0 .5rem;font-size:1.1rem}h2 time{color:var(--muted);font-size:.875rem;font-weight:400}
.kicker{margin:0 0 .25rem;color:var(--accent);font-weight:600}
p{margin:0 0 1rem}
.meta{color:var(--muted);font-size:.875rem}
.back{font-size:.875rem}.back a{text-decoration:none}.back a:hover{text-decoration:underline}.back a::before{content:"← " / ""}
.card{margin:0 0 1rem;background:var(--surface);border:1px solid var(--border);border-radius:var(--radius);overflow:auto}
form.card{padding:1.25rem}
.message{margin:0 0 1rem;padding:.75rem 1rem;border-radius:var(--radius)}
.notice{background:var(--success-background);color:var(--success-text)}
.alert{background:var(--error-background);color:var(--error-text)}
.button,button{display:inline-block;min-height:2.75rem;padding:.55rem 1.1rem;border:1px solid var(--accent);
border-radius:var(--radius);background:var(--accent);color:var(--on-accent);font:inherit;font-weight:600;line-height:1.5;
text-decoration:none;cursor:pointer}
.button:hover,button:hover{filter:brightness(1.08)}
.secondary{background:transparent;border-color:var(--border);color:var(--text);font-weight:500}
.danger{background:transparent;border-color:var(--border);color:var(--error-text);font-weight:500}
.row{display:flex;flex-wrap:wrap;align-items:end;gap:.6rem;margin:0 0 1rem}.row>*{margin:0}
form.card>.row:last-child{margin:0}
label{display:block;margin-bottom:.25rem;font-size:.875rem;font-weight:600}
input:not([type=hidden]){width:100%;min-height:2.75rem;padding:.5rem .75rem;border:1px solid var(--input-border);
border-radius:var(--radius);background:var(--background);color:inherit;font:inherit}
input[readonly]{border-style:dashed;color:var(--muted)}input[aria-invalid=true]{border-color:var(--error-text)}
.field{margin-bottom:1.1rem}
.error{margin:0 0 .35rem;color:var(--error-text);font-size:.875rem;font-weight:600}.error:empty{display:none}
code,pre{font:.875em/1.6 ui-monospace,monospace}
pre{margin:0;padding:.875rem 1.25rem;white-space:pre-wrap}
time{font-variant-numeric:tabular-nums;white-space:nowrap}
dl{display:grid;grid-template-columns:minmax(8rem,max-content) 1fr;padding:.25rem 1.25rem}
dt,dd{margin:0;padding:.5rem 0;border-top:1px solid var(--border)}dt{padding-right:1.5rem;color:var(--muted)}
dt:first-of-type,dt:first-of-type+dd{border-top:0}
.list{padding:0;list-style:none;overflow:hidden}.list li+li{border-top:1px solid var(--border)}
.list a{display:grid;grid-template-columns:1fr auto;gap:.125rem 1rem;padding:.75rem 1.25rem;color:inherit;text-decoration:none}
.list a:hover{background:color-mix(in srgb,var(--accent) 7%,transparent)}.list a:focus-visible{outline-offset:-3px}
.list .title{font-weight:600}.list time,.list .detail{color:var(--muted);font-size:.875rem}.list .detail{grid-column:1/-1}
nav ul{display:flex;flex-wrap:wrap;gap:.5rem;margin:0 0 1rem;padding:0;list-style:none}
nav a{display:inline-block;padding:.375rem .875rem;border:1px solid var(--border);border-radius:2rem;background:var(--surface);
color:inherit;text-decoration:none}nav a:hover{border-color:var(--accent)}
nav a[aria-current]{border-color:var(--accent);background:var(--accent);color:var(--on-accent);font-weight:600}
footer{margin-top:2rem;padding-top:1rem;border-top:1px solid var(--border);color:var(--muted);font-size:.875rem}
@media(max-width:40rem){dl{grid-template-columns:1fr}dd{padding-top:0;border-top:0}dt{padding-bottom:0;font-size:.875rem}
.list a{grid-template-columns:1fr}}`;

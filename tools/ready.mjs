// Installs the packages of package-lock.json unless they are up to date, copies the style sheet and the script of the examples, and then runs
// the program in the arguments with the installed Node. The calling shell cannot run it: a shell caches the path of the Node
// that it found first.
// With --start it installs only what an example needs, and not the tools for tests, which are ten times as large.
// Plain JavaScript for Node 18 and newer, because it runs before the Node of the repository is installed.
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { fileURLToPath } from "node:url";
import { runProgram } from "./run-program.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const modules = `${root}node_modules`;
const isWindows = process.platform === "win32";
const isStart = process.argv[2] === "--start";
const program = process.argv.slice(isStart ? 3 : 2);

const { packages, ...lock } = JSON.parse(readFileSync(`${root}package-lock.json`, "utf8"));
// npm writes this file at the end of an installation.
const installedFile = `${modules}/.package-lock.json`;
const installed = existsSync(installedFile) ? JSON.parse(readFileSync(installedFile, "utf8")).packages : {};

/** Returns true if packages are installed with the versions of package-lock.json. Optional ones may be missing. */
function isInstalled(paths) {
  return paths.every((path) => {
    if (installed[path] === undefined) return packages[path].optional === true;
    return installed[path].version === packages[path].version;
  });
}

/** Returns true if the Node of the system can run the framework: engines in package.json. */
function isSystemNodeSupported() {
  // npm puts the Node of the repository first.
  if (existsSync(modules) && process.execPath.startsWith(realpathSync(modules))) return false;
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  return major > 24 || (major === 24 && minor >= 15);
}

/** Installs the packages of a lock file in its folder, and shows the elapsed time. Returns true if that succeeds. */
async function install(folder, text) {
  const startMs = Date.now();
  const { isTTY } = process.stdout;
  const draw = () => process.stdout.write(`\r${text} … ${Math.round((Date.now() - startMs) / 1000)} s`);
  if (isTTY) draw();
  else console.log(`${text} …`);
  const timer = isTTY ? setInterval(draw, 1000) : undefined;
  const status = await runProgram(
    "npm",
    ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--no-progress", "--loglevel=error"],
    { cwd: folder, stdio: ["ignore", "ignore", "inherit"], shell: isWindows },
  );
  clearInterval(timer);
  if (isTTY) console.log();
  if (status !== 0)
    console.error("npm ci did not complete. Check the network connection and run the same command again.");
  return status === 0;
}

const { dependencies } = packages[""];
const { optionalDependencies } = packages["tools/node"];
const pathOf = (name) => `node_modules/${name}`;

/** Installs the packages that an example imports, and Node if needed. Returns true if that succeeds. */
async function installForExample() {
  const project = { name: "limmat-example", version: "0.0.0", dependencies };
  if (!isSystemNodeSupported()) project.optionalDependencies = optionalDependencies;
  const paths = Object.keys({ ...dependencies, ...project.optionalDependencies }).map(pathOf);
  const entries = paths.map((path) => [path, packages[path]]);
  const exampleLock = { ...lock, ...project, packages: { "": project, ...Object.fromEntries(entries) } };
  mkdirSync(`${root}tmp`, { recursive: true });
  const folder = mkdtempSync(`${root}tmp/start-`);
  try {
    writeFileSync(`${folder}/package.json`, JSON.stringify(project));
    writeFileSync(`${folder}/package-lock.json`, JSON.stringify(exampleLock));
    if (!(await install(folder, "Installing Node and the packages of the example"))) return false;
    rmSync(modules, { recursive: true, force: true });
    renameSync(`${folder}/node_modules`, modules);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  // Examples import the framework by its name.
  symlinkSync("..", `${modules}/limmat`, "junction");
  return true;
}

// The examples use the style sheet and the script of the template. Git ignores their copies.
for (const example of ["shop", "todo", "tracker"]) {
  mkdirSync(`${root}examples/${example}/public`, { recursive: true });
  for (const file of ["public/app.css", "public/forms.js"])
    copyFileSync(`${root}template/${file}`, `${root}examples/${example}/${file}`);
}

const hasNode = existsSync(`${modules}/.bin/node`) || isSystemNodeSupported();
const needed = isStart ? Object.keys({ ...dependencies, ...optionalDependencies }).map(pathOf) : Object.keys(packages);
const isReady = hasNode && isInstalled(needed.filter((path) => path !== ""));
const canRun = isReady || (isStart ? await installForExample() : await install(root, "Installing all packages"));

if (!canRun) process.exitCode = 1;
else if (program.length > 0) process.exitCode = await runProgram("node", program, { shell: isWindows });

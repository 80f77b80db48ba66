// Builds the web interface into the Python package. The same sources give the same bytes.
import { build } from "esbuild";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const here = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2] ?? join(here, "..", "src", "lamina", "surfaces", "ui", "static");

await rm(out, { recursive: true, force: true });
await mkdir(out, { recursive: true });
const built = await build({
  absWorkingDir: here,
  // Names are made from paths too: the same whether or not packages lie elsewhere.
  preserveSymlinks: true,
  entryPoints: { app: "src/main.tsx", style: "src/styles/index.css" },
  outdir: out,
  entryNames: "[name]-[hash]",
  chunkNames: "[name]-[hash]",
  bundle: true,
  // Views that few need come when they are asked for.
  splitting: true,
  minify: true,
  format: "esm",
  target: ["es2022"],
  jsx: "automatic",
  jsxImportSource: "preact",
  legalComments: "none",
  charset: "utf8",
  metafile: true,
});

const outputs = Object.entries(built.metafile.outputs);
const names = outputs.map(([path]) => basename(path));
const made = (from) => basename(outputs.find(([, output]) => output.entryPoint === from)[0]);
const template = await readFile(join(here, "index.html"), "utf8");
// What the first load needs besides is fetched at the same time, not one after the other.
const needed = outputs.find(([, output]) => output.entryPoint === "src/main.tsx")[1].imports
  .filter((one) => one.kind === "import-statement")
  .map((one) => `<link rel="modulepreload" href="/assets/${basename(one.path)}">\n`).join("");
const page = template.replace("<script", `${needed}<script`)
  .replace("app.js", made("src/main.tsx")).replace("style.css", made("src/styles/index.css"));
await writeFile(join(out, "index.html"), page);
await writeFile(join(out, "icon.svg"), await readFile(join(here, "icon.svg")));

for (const name of names.sort()) {
  const body = await readFile(join(out, name));
  console.log(`${name}  ${body.length} bytes, ${gzipSync(body).length} gzipped`);
}

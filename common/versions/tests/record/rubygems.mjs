// Runs rubygems.rb with Ruby as WebAssembly, for machines without Ruby.
// Usage: node rubygems.mjs DIRECTORY SEED COUNT, with @ruby/wasm-wasi and @ruby/3.3-wasm-wasi installed in DIRECTORY.
import fs from "node:fs/promises";
import { createRequire } from "node:module";
const [directory, seed, count] = [process.argv[2], Number(process.argv[3]), Number(process.argv[4])];
const { resolve } = createRequire(directory + "/");
const { DefaultRubyVM } = await import(resolve("@ruby/wasm-wasi/dist/node"));
const wasm = await WebAssembly.compile(await fs.readFile(resolve("@ruby/3.3-wasm-wasi/dist/ruby+stdlib.wasm")));
const { vm } = await DefaultRubyVM(wasm);
const script = await fs.readFile(new URL("rubygems.rb", import.meta.url), "utf8");
vm.eval(`require "rubygems"\nSEED = ${seed}\nCOUNT = ${count}\n${script}`);
console.log(vm.eval("OUTPUT").toString());

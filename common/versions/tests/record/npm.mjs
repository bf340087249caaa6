// Results of npm's own semver for generated versions and ranges, as lines of tab-separated values:
//   order <a> <b> less|equal|greater|invalid      match <version> <range> yes|no|invalid
//   prerelease <version> - yes|no|invalid
// Usage: node npm.mjs DIRECTORY_OF_SEMVER SEED COUNT
import { createRequire } from "node:module";
const [directory, seed, count] = [process.argv[2], Number(process.argv[3]), Number(process.argv[4])];
const semver = createRequire(directory + "/")(directory);

// Mulberry32, so that a seed gives the same pairs everywhere.
let state = seed >>> 0;
function random() {
  state = (state + 0x6d2b79f5) >>> 0;
  let t = state;
  t = Math.imul(t ^ (t >>> 15), t | 1);
  t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
}
const below = (n) => Math.floor(random() * n);
const pick = (list) => list[below(list.length)];
const maybe = (chance, text) => (random() < chance ? text() : "");

const number = () => pick(["0", "1", "2", "3", "9", "10", "11", "99", "20260101", "9007199254740991", "01"].slice(0, random() < 0.05 ? 11 : 8));
const identifier = () => pick(["alpha", "beta", "rc", "0", "1", "2", "10", "x", "a-b", "-", "1a", "next", "01"].slice(0, random() < 0.05 ? 13 : 12));
const tail = () => maybe(0.35, () => "-" + identifier() + maybe(0.5, () => "." + identifier())) + maybe(0.1, () => "+" + pick(["build", "001", "b.1"]));
const version = () => maybe(0.05, () => pick(["v", "=", "= v", " "])) + number() + "." + number() + "." + number() + tail();
const wild = () => pick(["x", "X", "*"]);
const partial = () => {
  const kind = below(10);
  if (kind < 4) return number() + "." + number() + "." + number() + tail();
  if (kind < 6) return number() + "." + number();
  if (kind < 7) return number();
  if (kind < 8) return number() + "." + number() + "." + wild();
  if (kind < 9) return number() + "." + wild() + maybe(0.3, () => "." + pick([wild(), number()]));
  return wild();
};
const simple = () => {
  const space = maybe(0.1, () => " ");
  return pick(["", "", "=", ">", ">=", "<", "<=", "~", "^", "^", "~>"]) + space + maybe(0.05, () => "v") + partial();
};
const conjunction = () => {
  if (random() < 0.15) return partial() + " - " + partial();
  let text = simple();
  for (let n = below(3); n > 0; n--) text += pick([" ", " ", "  ", ", "].slice(0, random() < 0.03 ? 4 : 3)) + simple();
  return text;
};
const range = () => {
  if (random() < 0.03) return pick(["", "*", "latest", "^", "||", ">", "1.2.3.4", "^1.2.3 ||", "|| 1", "git+ssh://x", "1.x.3", "~1.2.3beta", ">=1.0.0-", "1 - ", "- 2", "><1", "=>1.0.0"]);
  let text = conjunction();
  while (random() < 0.25) text += pick([" || ", "||", " ||"]) + conjunction();
  return text;
};
// Versions near a range are more telling than random ones.
const near = (text) => {
  const found = text.match(/\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?/);
  if (!found || random() < 0.5) return version();
  const [release, pre] = found[0].split(/-(.*)/s);
  const parts = release.split(".").map(Number);
  const at = below(3);
  if (random() < 0.5) parts[at] = Math.max(0, parts[at] + pick([-1, 1]));
  return parts.join(".") + (random() < 0.4 ? "-" + (pre ?? identifier()) + maybe(0.3, () => "." + identifier()) : "");
};

const lines = new Set();
while (lines.size < count) {
  const kind = random();
  if (kind < 0.3) {
    const a = version();
    const b = random() < 0.5 ? near(a) : version();
    const valid = semver.valid(a) && semver.valid(b);
    lines.add(["order", a, b, valid ? ["less", "equal", "greater"][semver.compare(a, b) + 1] : "invalid"].join("\t"));
  } else if (kind < 0.35) {
    const v = version();
    lines.add(["prerelease", v, "-", semver.valid(v) ? (semver.prerelease(v) ? "yes" : "no") : "invalid"].join("\t"));
  } else {
    const r = range();
    const v = near(r);
    const valid = semver.valid(v) && semver.validRange(r) !== null;
    lines.add(["match", v, r, valid ? (semver.satisfies(v, r) ? "yes" : "no") : "invalid"].join("\t"));
  }
}
console.log([...lines].join("\n"));

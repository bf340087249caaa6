# Results of Gem::Version and Gem::Requirement for generated versions and requirements, as lines of tab-separated values:
# order, match and prerelease as in npm.mjs. Expects SEED and COUNT.
# Usage: ruby -rrubygems -e 'SEED = 1; COUNT = 6000' -e "$(cat rubygems.rb)", or rubygems.mjs with Ruby as WebAssembly.

GENERATOR = Random.new(SEED)
def pick(*words) = words[GENERATOR.rand(words.size)]
def chance = GENERATOR.rand

def number = pick("0", "1", "2", "3", "9", "10", "11", "99", "01", "20260101000000000000000")

def version
  text = Array.new(pick(1, 2, 3, 3, 3, 4)) { number }.join(".")
  text += pick(".a", ".b1", ".rc.2", ".pre", ".beta.10", "a", "-1", "-rc1", ".0.a.0", ".alpha.1.0") if chance < 0.35
  text += pick(".0", ".0.0") if chance < 0.1
  text += pick("..1", "-", ".", "_1", "+b", "!", " x") if chance < 0.02
  text = " #{text} " if chance < 0.02
  text
end

def requirement
  pick("=", "!=", ">", "<", ">=", "<=", "~>", "~>", "~>", "") + pick(" ", " ", "") + version
end

def near(text)
  return version if chance < 0.4
  base = text.split(",")[GENERATOR.rand(text.count(",") + 1)].gsub(/[=!<>~ ]/, "")
  return base if chance < 0.2
  return base + pick(".0", ".1", ".a", ".pre.1") if chance < 0.3
  parts = base.split(".")
  at = GENERATOR.rand(parts.size)
  parts[at] = [0, parts[at].to_i + pick(-1, 1)].max.to_s if parts[at]&.match?(/\A\d+\z/)
  parts.join(".")
end

def read(text) = Gem::Version.correct?(text) && !text.strip.empty? ? Gem::Version.new(text) : nil

def required(text)
  Gem::Requirement.new(text.split(",").map(&:strip))
rescue Gem::Requirement::BadRequirementError
  nil
end

lines = {}
while lines.size < COUNT
  kind = chance
  if kind < 0.35
    left = version
    right = chance < 0.5 ? near(left) : version
    a, b = read(left), read(right)
    result = a && b ? { -1 => "less", 0 => "equal", 1 => "greater" }[a <=> b] : "invalid"
    lines["order\t#{left}\t#{right}\t#{result}"] = true
  elsif kind < 0.4
    left = version
    a = read(left)
    lines["prerelease\t#{left}\t-\t#{a ? (a.prerelease? ? "yes" : "no") : "invalid"}"] = true
  else
    right = Array.new(pick(1, 1, 1, 2)) { requirement }.join(", ")
    left = near(right)
    a, b = read(left), required(right)
    lines["match\t#{left}\t#{right}\t#{a && b ? (b.satisfied_by?(a) ? "yes" : "no") : "invalid"}"] = true
  end
end
OUTPUT = lines.keys.join("\n")

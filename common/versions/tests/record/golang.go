// Results of Go's own module code for generated versions and queries, as lines of tab-separated values: order and prerelease
// as in npm.mjs; `pseudo <version> - yes|no`; and `select <versions> <query> <version>|none|invalid` by `go list -m` on a proxy
// in the file system. A version is valid if it is canonical.
// Usage: go run . SEED COUNT, in a module with golang.org/x/mod.
package main

import (
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
)

var random *rand.Rand

func pick(words ...string) string { return words[random.Intn(len(words))] }

func number() string { return pick("0", "1", "2", "3", "9", "10", "11") }

func pre() string {
	return pick("alpha", "beta.1", "rc.2", "0", "1", "pre", "a-b", "rc1", "0.20200101000000-abcdefabcdef", "pre.0.20200101000000-abcdefabcdef", "20200101000000-abcdefabcdef", "01", "")
}

func version() string {
	text := "v" + number() + "." + number() + "." + number()
	if random.Float64() < 0.08 {
		text = "v" + number() + ".0.0"
	}
	if random.Float64() < 0.4 {
		text += "-" + pre()
	}
	if random.Float64() < 0.1 {
		text += "+incompatible"
	}
	if random.Float64() < 0.05 {
		text = pick("1.2.3", "v1", "v1.2", "v01.2.3", "v1.2.3+meta", "v1.2.3.4", "", "vv1.2.3", "v1.2.x", "v0.0.0-20200101000000-abc", "v1.2.3-", "v1.2.4-0.20191109021931-daa7c04131f5", "v2.0.0-20191109021931-daa7c04131f5+incompatible")
	}
	return text
}

func valid(v string) bool { return v != "" && module.CanonicalVersion(v) == v }

func word(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}

// selected runs a query on a proxy with some versions.
func selected(versions []string, query string) string {
	directory, err := os.MkdirTemp("", "proxy")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(directory)
	listed := filepath.Join(directory, "proxy", "example.com", "m", "@v")
	if err := os.MkdirAll(listed, 0o755); err != nil {
		panic(err)
	}
	write := func(path, text string) {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			panic(err)
		}
	}
	write(filepath.Join(listed, "list"), strings.Join(versions, "\n")+"\n")
	for _, v := range versions {
		write(filepath.Join(listed, v+".info"), fmt.Sprintf("{\"Version\":%q,\"Time\":\"2020-01-01T00:00:00Z\"}", v))
		write(filepath.Join(listed, v+".mod"), "module example.com/m\n")
	}
	write(filepath.Join(directory, "go.mod"), "module example.com/main\n\ngo 1.20\n")
	command := exec.Command("go", "list", "-m", "-f", "{{.Version}}", "example.com/m@"+query)
	command.Dir = directory
	command.Env = append(os.Environ(), "GOPROXY=file://"+filepath.Join(directory, "proxy"), "GONOSUMDB=*", "GONOSUMCHECK=1", "GOFLAGS=-mod=mod", "GOSUMDB=off", "GOTOOLCHAIN=local", "GOMODCACHE="+filepath.Join(directory, "cache"))
	output, err := command.Output()
	if err != nil {
		text := string(err.(*exec.ExitError).Stderr)
		if strings.Contains(text, "invalid") || strings.Contains(text, "ambiguous") || strings.Contains(text, "unknown revision") {
			return "invalid"
		}
		return "none"
	}
	return strings.TrimSpace(string(output))
}

func main() {
	seed, _ := strconv.ParseInt(os.Args[1], 10, 64)
	count, _ := strconv.Atoi(os.Args[2])
	random = rand.New(rand.NewSource(seed))
	seen := map[string]bool{}
	show := func(words ...string) {
		line := strings.Join(words, "\t")
		if !seen[line] {
			seen[line] = true
			fmt.Println(line)
		}
	}
	for range count {
		a, b := version(), version()
		if random.Float64() < 0.3 {
			b = strings.SplitN(a, "-", 2)[0] + "-" + pre()
		}
		result := "invalid"
		if valid(a) && valid(b) {
			result = []string{"less", "equal", "greater"}[semver.Compare(a, b)+1]
		}
		show("order", a, b, result)
		if valid(a) {
			show("prerelease", a, "-", word(semver.Prerelease(a) != ""))
			show("pseudo", a, "-", word(module.IsPseudoVersion(a)))
		}
	}
	for range count / 25 {
		versions := []string{}
		for len(versions) < 6 {
			v := pick("v0", "v1") + "." + pick("0", "1", "2") + "." + pick("0", "1", "2")
			if random.Float64() < 0.3 {
				v += "-" + pick("alpha", "rc.1", "rc.2")
			}
			versions = append(versions, v)
		}
		base := pick("v0", "v1") + "." + pick("0", "1", "2") + "." + pick("0", "1", "2")
		if random.Float64() < 0.2 {
			base += "-rc.1"
		}
		query := pick("<", "<=", ">", ">=", "") + base
		if random.Float64() < 0.3 {
			query = pick("", "<", ">=", "<=", ">") + pick("v0", "v1", "v1.0", "v1.1", "v0.2")
		}
		show("select", strings.Join(versions, ","), query, selected(versions, query))
	}
}

//! Texts and declarations of MCP servers in three languages.

use code_signals::{Declarations, DeclaredKind, SourceFile, Subject, TextKind, analyze, declarations};

fn read(path: &str, content: &str) -> Declarations {
    declarations(&[SourceFile { path, content: content.as_bytes() }])
}

/// Name and joined texts of each declaration of a kind.
fn of(found: &Declarations, kind: DeclaredKind) -> Vec<(String, String)> {
    let declared = found.declared.iter().filter(|declared| declared.kind == kind);
    let joined = declared.map(|one| {
        let texts: Vec<&str> = one.texts.iter().map(|text| text.text.as_str()).collect();
        (one.name.clone(), texts.join("|"))
    });
    joined.collect()
}

#[test]
fn decorated_functions_of_python_are_tools_with_their_docstring_and_parameters() {
    let found = read(
        "server.py",
        "from mcp.server.fastmcp import FastMCP\n\
         INTRO = 'Be ' 'kind.'\n\
         mcp = FastMCP('demo', instructions=INTRO)\n\
         @mcp.tool()\n\
         def add(a: Annotated[int, Field(description='first')], b: int = 0) -> int:\n    '''Adds two.\n    Twice.'''\n    return a + b\n\
         @mcp.tool(name='other-name', description='Says ' + INTRO)\n\
         async def other():\n    return 1\n\
         @mcp.prompt()\n\
         def ask():\n    \"Asks.\"\n    return 'x'\n",
    );
    let tools = of(&found, DeclaredKind::Tool);
    assert_eq!(tools[0].0, "add");
    assert!(tools[0].1.contains("first") && tools[0].1.contains("Twice."), "{tools:?}");
    assert_eq!((tools[1].0.as_str(), tools[1].1.contains("Says Be kind.")), ("other-name", true));
    assert_eq!(of(&found, DeclaredKind::Prompt)[0], ("ask".to_owned(), "Asks.".to_owned()));
    assert_eq!(of(&found, DeclaredKind::Instructions)[0].1, "Be kind.");
}

#[test]
fn lists_of_tools_in_python_have_their_branch_as_handler() {
    let text = "import subprocess\n\
        @server.list_tools()\n\
        async def list_tools():\n    return [types.Tool(name='add', description='Adds', inputSchema={'properties': {'a': {'description': 'first number'}}}), Tool(name='run', description='Runs')]\n\
        @server.call_tool()\n\
        async def call_tool(name, arguments):\n    if name == 'add':\n        return 1\n    elif name == 'run':\n        return helper(arguments)\n\
        def helper(arguments):\n    subprocess.run(['ls'])\n";
    let files = [SourceFile { path: "server.py", content: text.as_bytes() }];
    let found = declarations(&files);
    let tools: Vec<&str> = found.tools().collect();
    assert_eq!(tools, ["add", "run"]);
    let report = analyze(&files, Subject::Repository);
    let process = &report.capabilities[0].site;
    let reaches = |name: &str| {
        let tool = found.declared.iter().find(|declared| declared.name == name).unwrap();
        found.reached(tool).contains(process)
    };
    assert!(reaches("run") && !reaches("add"));
    assert!(of(&found, DeclaredKind::Tool)[0].1.contains("first number"));
}

#[test]
fn calls_and_objects_of_javascript_are_tools() {
    let found = read(
        "index.ts",
        "const LONG = ['Reads', 'a file'].join(' ');\n\
         const server = new McpServer({name: 'demo', version: '1'}, {instructions: `Use ${LONG}.`});\n\
         server.tool('read', LONG, {path: z.string().describe('The path')}, async ({path}) => { return load(path); });\n\
         server.registerTool('write', {title: 'Write', description: 'Writes' + ' a file', inputSchema: {}}, writeIt);\n\
         const tools = [{name: 'list', description: 'Lists', inputSchema: {type: 'object', properties: {a: {description: 'of a'}}}}];\n\
         function load(p) { return fs.readFileSync(p); }\n\
         // A comment\n// on two lines\nfunction writeIt() {}\n",
    );
    let tools = of(&found, DeclaredKind::Tool);
    assert_eq!(tools.iter().map(|tool| tool.0.as_str()).collect::<Vec<_>>(), ["read", "write", "list"]);
    assert!(tools[0].1.contains("Reads a file") && tools[0].1.contains("The path"), "{tools:?}");
    assert!(tools[1].1.contains("Writes a file") && tools[2].1.contains("of a"), "{tools:?}");
    assert_eq!(of(&found, DeclaredKind::Instructions)[0].1, "Use Reads a file.");
    let comment = found.texts.iter().find(|text| text.kind == TextKind::Comment).unwrap();
    assert_eq!(comment.text, "A comment\non two lines");
}

#[test]
fn calls_and_structs_of_go_are_tools() {
    let found = read(
        "main.go",
        "package main\nfunc main() {\n\
         \tt := mcp.NewTool(\"hello\", mcp.WithDescription(\"Says \"+\"hello\"), mcp.WithString(\"name\", mcp.Description(\"Of whom\")))\n\
         \ts.AddTool(t, hello)\n\
         \tmcp.AddTool(server, &mcp.Tool{Name: \"bye\", Description: `Says bye`}, sayBye)\n}\n\
         func sayBye() { http.Get(\"https://a.example\") }\n",
    );
    let tools = of(&found, DeclaredKind::Tool);
    assert!(
        tools
            .iter()
            .any(|tool| tool.0 == "hello" && tool.1.contains("Says hello") && tool.1.contains("Of whom")),
        "{tools:?}"
    );
    let bye = found
        .declared
        .iter()
        .find(|declared| declared.name == "bye" && declared.kind == DeclaredKind::Tool)
        .unwrap();
    assert!(!found.reached(bye).is_empty());
}

#[test]
fn every_language_gives_its_literals_and_hostile_nesting_ends() {
    for (path, text) in [
        ("a.rb", "x = 'some text' # note\n"),
        ("a.sh", "echo 'some text' # note\n"),
        ("a.go", "package a\n// note\nvar x = \"some text\"\n"),
    ] {
        let found = read(path, text);
        assert!(found.texts.iter().any(|one| one.text.contains("some text")), "{path} {:?}", found.texts);
        assert!(
            found.texts.iter().any(|one| one.kind == TextKind::Comment && one.text.trim() == "note"),
            "{path}"
        );
    }
    let long = format!("x = {}'a'", "'a' + ".repeat(20_000));
    assert!(read("a.py", &long).texts.len() <= 1 << 16);
    let deep = format!("x = {}1{}", "(".repeat(20_000), ")".repeat(20_000));
    let _ = read("a.js", &deep);
    let calls = "f(".repeat(5_000);
    let _ = read("a.js", &calls);
    assert!(read("a.py", "\u{0}").texts.is_empty());
}

#[test]
fn any_character_behind_a_brace_is_read_in_every_language() {
    for path in ["a.sh", "a.py", "a.js", "a.ts", "a.go", "a.rb", "SKILL.md"] {
        for character in ['\u{80}', '\u{ff}', '\u{3b1}', '\u{ffff}', '\u{e0041}', '\u{10ffff}'] {
            let text = format!(
                "```bash\necho {{{character}..{character}}} {{1{character}\n```\n{{{character} ${{{character}}}\n"
            );
            let files = [SourceFile { path, content: text.as_bytes() }];
            let _ = (analyze(&files, Subject::Skill), declarations(&files));
        }
    }
    let found = read("a.sh", "echo 'größe' # Maß\n");
    assert!(found.texts.iter().any(|text| text.text == "größe"), "{:?}", found.texts);
}

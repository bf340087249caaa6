//! Descriptions of each version, and hostile ones.

use super::*;

fn described(body: &str) -> Vec<Route> {
    read(body.as_bytes(), &Url::parse("https://a.test/docs/openapi.yaml").unwrap()).unwrap().routes
}

fn line(route: &Route) -> String {
    let parameters: Vec<String> = route
        .parameters
        .iter()
        .map(|parameter| format!("{}:{}:{}", parameter.place.as_str(), parameter.name, parameter.kind))
        .collect();
    format!("{} {}{} {}", route.method, route.origin, route.template, parameters.join(" "))
}

#[test]
fn version_3_in_yaml_with_servers_references_and_bodies() {
    let routes = described(
        "openapi: 3.0.3
servers: [{url: 'https://{region}.a.test:{port}/v1', variables: {region: {default: eu}, port: {default: 8443}}}]
paths:
  /users/{userId}:
    parameters:
      - {name: userId, in: path, schema: {type: integer}}
      - $ref: '#/components/parameters/trace'
    get:
      parameters: [{name: full, in: query, schema: {type: boolean}}]
    put:
      requestBody: {$ref: '#/components/requestBodies/user'}
components:
  parameters: {trace: {name: X-Trace, in: header, schema: {type: string}}}
  requestBodies: {user: {content: {application/json: {schema: {$ref: '#/components/schemas/user'}}}}}
  schemas:
    user: {allOf: [{$ref: '#/components/schemas/named'}, {properties: {age: {type: integer}}}]}
    named: {properties: {name: {type: string}}}
",
    );
    assert_eq!(
        routes.iter().map(line).collect::<Vec<_>>(),
        [
            "GET https://eu.a.test:8443/v1/users/{userId} header:X-Trace:string query:full:boolean",
            "PUT https://eu.a.test:8443/v1/users/{userId} header:X-Trace:string body:age:integer body:name:string",
        ]
    );
}

#[test]
fn version_3_1_with_lists_of_types_and_relative_server() {
    let routes = described(
        r#"{"openapi":"3.1.0","servers":[{"url":"/api/"}],"paths":{"/q":{"get":{"parameters":[
            {"name":"n","in":"query","schema":{"type":["integer","null"]}},{"name":"c","in":"cookie"}]}}}}"#,
    );
    assert_eq!(
        routes.iter().map(line).collect::<Vec<_>>(),
        ["GET https://a.test/api/q cookie:c: query:n:integer"]
    );
}

#[test]
fn version_2_with_host_base_path_and_bodies() {
    let routes = described(
        r##"{"swagger":"2.0","host":"api.a.test:8443","basePath":"/v2","schemes":["https"],"paths":{"/pets":{"post":{
            "parameters":[{"in":"body","name":"b","schema":{"$ref":"#/definitions/pet"}},
            {"in":"formData","name":"file","type":"file"}]}}},"definitions":{"pet":{"properties":{"name":{"type":"string"}}}}}"##,
    );
    let expected = ["POST https://api.a.test:8443/v2/pets body:file:file body:name:string"];
    assert_eq!(routes.iter().map(line).collect::<Vec<_>>(), expected);
}

#[test]
fn references_in_circles_and_other_documents_end() {
    let routes = described(
        r##"{"openapi":"3.0.0","paths":{"/a":{"$ref":"#/paths/~1b"},"/b":{"$ref":"#/paths/~1a"},"/c":{"post":{
            "requestBody":{"content":{"x":{"schema":{"$ref":"#/s"}}}}}},"/d":5},"s":{"allOf":[{"$ref":"#/s"}]}}"##,
    );
    assert_eq!(routes.iter().map(line).collect::<Vec<_>>(), ["POST https://a.test/c "]);
    let url = Url::parse("https://a.test/").unwrap();
    for other in [
        "",
        "[]",
        "{}",
        "{\"openapi\":\"3.0.0\"}",
        "paths: {}",
        "<html>swagger</html>",
        "openapi: [",
        "\u{0}",
    ] {
        assert_eq!(read(other.as_bytes(), &url), None, "{other}");
    }
}

#[test]
fn bounds_hold() {
    let paths: String = (0..MOST_ROUTES + 1).map(|number| format!("  /p{number}: {{get: {{}}}}\n")).collect();
    let text = format!("openapi: 3.0.0\npaths:\n{paths}");
    let description = read(text.as_bytes(), &Url::parse("https://a.test/").unwrap()).unwrap();
    assert_eq!((description.routes.len(), description.cut), (MOST_ROUTES, true));
}

#[test]
fn descriptions_are_recognised_by_their_start() {
    assert!(is_description(b"{\"openapi\": \"3.0.0\""));
    assert!(is_description(b"# x\nswagger: '2.0'"));
    assert!(!is_description(b"<html>swagger"));
    assert!(!is_description(b"{\"a\": 1}"));
}

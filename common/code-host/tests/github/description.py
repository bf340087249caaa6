"""GitHub's interface description: checks requests and replies against it, and fills in fields that a reply must have."""

import json
import pathlib
import re
from urllib.parse import parse_qsl, unquote

import jsonschema

DOCUMENT = json.loads(pathlib.Path(__file__).with_name("openapi.json").read_text())
SAMPLES = {
    "date-time": "2020-01-02T03:04:05Z",
    "uri": "https://github.example/x",
    "uuid": "67e55044-10b1-426f-9247-bb680e5fe0c8",
    "email": "nobody@example.com",
}


def nullable(schema):
    """OpenAPI 3.0 as JSON Schema: `nullable` becomes a type. Alternatives need not exclude each other: some of GitHub's are alike."""
    if isinstance(schema, list):
        return [nullable(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: nullable(one) for key, one in schema.items() if key != "nullable"}
    if "oneOf" in made and "anyOf" not in made:
        made["anyOf"] = made.pop("oneOf")
    return {"anyOf": [made, {"type": "null"}]} if schema.get("nullable") is True else made


SCHEMA = nullable(DOCUMENT)


def resolve(value):
    while "$ref" in value:
        found = SCHEMA
        for part in value["$ref"].removeprefix("#/").split("/"):
            found = found[part]
        value = found
    return value


def fits(value, schema):
    """The first difference, or None."""
    whole = {**schema, "components": SCHEMA["components"]}
    checker = jsonschema.Draft202012Validator.FORMAT_CHECKER
    error = jsonschema.exceptions.best_match(
        jsonschema.Draft202012Validator(whole, format_checker=checker).iter_errors(value)
    )
    return error and f"{'/'.join(map(str, error.absolute_path))}: {error.message[:200]}"


def operation(method, path):
    """Template and description of an operation, by the template with the fewest parameters that fits the path."""
    found = []
    for template, methods in SCHEMA["paths"].items():
        pattern = re.sub(r"\{[^}]*\}", "([^/]+)", template)
        if method.lower() in methods and re.fullmatch(pattern, path):
            found.append((template.count("{"), template))
    if not found:
        return None, None
    template = min(found)[1]
    return template, SCHEMA["paths"][template][method.lower()]


def typed(text, schema):
    kind = resolve(schema).get("type")
    try:
        return {"integer": int, "number": float}.get(kind, str)(text)
    except ValueError:
        return text


def request_fault(method, path, query, body):
    template, described = operation(method, path)
    if described is None:
        return f"{method} {path}: not described"
    given = {name: ("path", unquote(value)) for name, value in path_values(template, path).items()}
    given.update({name: ("query", value) for name, value in parse_qsl(query, keep_blank_values=True)})
    known = {}
    for parameter in map(resolve, described.get("parameters", [])):
        known[parameter["name"]] = parameter
        place, value = given.get(parameter["name"], (None, None))
        if parameter.get("required") and place != parameter["in"]:
            return f"{method} {path}: parameter {parameter['name']} is missing"
        if place and (fault := fits(typed(value, parameter["schema"]), parameter["schema"])):
            return f"{method} {path}: parameter {parameter['name']}: {fault}"
    if unknown := set(given) - set(known):
        return f"{method} {path}: unknown parameters {sorted(unknown)}"
    described_body = described.get("requestBody")
    if body is not None and described_body is None:
        return f"{method} {path}: a body is not described"
    if body is not None:
        fault = fits(body, described_body["content"]["application/json"]["schema"])
        return fault and f"{method} {path}: body: {fault}"
    return None


def path_values(template, path):
    names = re.findall(r"\{([^}]*)\}", template)
    values = re.fullmatch(re.sub(r"\{[^}]*\}", "([^/]+)", template), path).groups()
    return dict(zip(names, values))


def reply_schema(method, path, status):
    _, described = operation(method, path)
    reply = resolve((described or {}).get("responses", {}).get(str(status), {}))
    return reply.get("content", {}).get("application/json", {}).get("schema")


def reply_fault(method, path, status, body):
    schema = reply_schema(method, path, status)
    if schema is None:
        return f"{method} {path}: a reply of status {status} is not described"
    fault = fits(body, schema)
    return fault and f"{method} {path}: reply: {fault}"


def fill(schema, given=None):
    """A value that fits a schema, with the given one's fields, and all others that it must have."""
    schema = resolve(schema)
    if isinstance(given, list) and "items" in schema:
        return [fill(schema["items"], one) for one in given]
    if given is not None and not isinstance(given, dict):
        return given
    if "anyOf" in schema and "properties" not in schema:
        return fill(schema["anyOf"][0], given)
    if "allOf" in schema:
        parts = [fill(part, given) for part in schema["allOf"]]
        # The first part is the object, the others add to it.
        return {key: one for part in reversed(parts) for key, one in part.items()}
    if "enum" in schema:
        return schema["enum"][0]
    kind = schema.get("type")
    if kind == "object" or "properties" in schema:
        properties = schema.get("properties", {})
        made = {name: fill(properties.get(name, {})) for name in schema.get("required", [])}
        for name, one in (given or {}).items():
            made[name] = None if one is None else fill(properties.get(name, {}), one)
        return made
    if kind == "string":
        return SAMPLES.get(schema.get("format"), "text")
    return {"integer": 1, "number": 1, "boolean": False, "array": []}.get(kind, given if given is not None else "text")

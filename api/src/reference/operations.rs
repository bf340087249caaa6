//! The operations of the document, by tag.

use serde_json::Value;

use super::kinds::kind;
use super::{elements, inline, members, prose};
use rest::html::escape;

/// One operation, with its location.
struct Operation<'d> {
    method: &'d str,
    path: &'d str,
    about: &'d Value,
}

/// Links to every operation and to the types.
pub(super) fn contents(api: &Value) -> String {
    let mut html = String::from("<h2>Contents</h2>\n<ul>\n");
    for tag in tags(api) {
        let links = of_tag(api, tag).map(|operation| {
            let summary = operation.about["summary"].as_str().unwrap_or_default();
            format!("<a href=\"#{}\">{}</a>", operation.id(), escape(summary))
        });
        let links = links.collect::<Vec<_>>().join(", ");
        html.push_str(&format!("<li>{}: {links}</li>\n", escape(tag)));
    }
    html.push_str("<li><a href=\"#types\">Types</a></li>\n</ul>\n");
    html
}

/// Every operation in full.
pub(super) fn all(api: &Value) -> String {
    let mut html = String::new();
    for tag in tags(api) {
        html.push_str(&format!("<h2>{}</h2>\n", escape(tag)));
        let about = elements(&api["tags"]).find(|known| known["name"] == tag);
        html.push_str(&about.map(|about| prose(&about["description"])).unwrap_or_default());
        of_tag(api, tag).for_each(|operation| html.push_str(&operation.html()));
    }
    html
}

fn tags(api: &Value) -> impl Iterator<Item = &str> {
    elements(&api["tags"]).filter_map(|tag| tag["name"].as_str())
}

fn of_tag<'d>(api: &'d Value, tag: &'d str) -> impl Iterator<Item = Operation<'d>> {
    let operations = members(&api["paths"]).flat_map(|(path, methods)| {
        members(methods).map(move |(method, about)| Operation { method, path, about })
    });
    operations.filter(move |operation| elements(&operation.about["tags"]).any(|named| named == tag))
}

impl Operation<'_> {
    fn id(&self) -> String {
        escape(self.about["operationId"].as_str().unwrap_or_default())
    }

    fn html(&self) -> String {
        let mut html = format!(
            "<section id=\"{}\">\n<h3>{}</h3>\n<p><code>{} {}</code></p>\n",
            self.id(),
            escape(self.about["summary"].as_str().unwrap_or_default()),
            escape(&self.method.to_uppercase()),
            escape(self.path),
        );
        html.push_str(&prose(&self.about["description"]));
        html.push_str(&self.parameters());
        html.push_str(&self.body());
        html.push_str(&self.responses());
        html.push_str("</section>\n");
        html
    }

    fn parameters(&self) -> String {
        let rows: String = elements(&self.about["parameters"])
            .map(|parameter| {
                let required = if parameter["required"] == true { "required" } else { "optional" };
                format!(
                    "<tr><td><code>{}</code></td><td>{}, {required}</td><td>{}</td><td>{}</td></tr>\n",
                    escape(parameter["name"].as_str().unwrap_or_default()),
                    escape(parameter["in"].as_str().unwrap_or_default()),
                    kind(&parameter["schema"]),
                    inline(parameter["description"].as_str().unwrap_or_default()),
                )
            })
            .collect();
        table("Parameters", ["Name", "In", "Type", "Description"], &rows)
    }

    fn body(&self) -> String {
        let body = &self.about["requestBody"];
        let rows: String = members(&body["content"])
            .map(|(media, content)| {
                format!(
                    "<tr><td><code>{}</code></td><td>{}</td></tr>\n",
                    escape(media),
                    kind(&content["schema"])
                )
            })
            .collect();
        let description = prose(&body["description"]);
        if rows.is_empty() {
            rows
        } else {
            table("Request body", ["Content type", "Type"], &rows) + &description
        }
    }

    fn responses(&self) -> String {
        let rows: String = members(&self.about["responses"])
            .map(|(status, response)| {
                let kinds: Vec<String> =
                    members(&response["content"]).map(|(_, content)| kind(&content["schema"])).collect();
                format!(
                    "<tr><td>{}</td><td>{}</td><td>{}</td></tr>\n",
                    escape(status),
                    inline(response["description"].as_str().unwrap_or_default()),
                    kinds.join(" or "),
                )
            })
            .collect();
        table("Responses", ["Status", "Meaning", "Type"], &rows)
    }
}

/// A table under its heading; nothing where there is no row.
pub(super) fn table<const N: usize>(title: &str, columns: [&str; N], rows: &str) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let head: String = columns.iter().map(|column| format!("<th scope=\"col\">{column}</th>")).collect();
    let title = if title.is_empty() { String::new() } else { format!("<h4>{title}</h4>\n") };
    format!("{title}<table>\n<tr>{head}</tr>\n{rows}</table>\n")
}
